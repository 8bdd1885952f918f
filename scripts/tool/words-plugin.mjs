// Vite: a declaration is in one place, and a build leaves out what its side does not use. For workers that is what is said of an option or a
// measure to a person (help, the glossary's entries), and what arms and presets are described by; for the page, what a method of the arena does in a run.

/** Declarations of options and measures. */
const DECLARATIONS =
  /\/src\/(experiments\/(config\/options|environments|methods)\/[^?]*|experiments\/records\/measures|environments\/\w+\/presentation)\.ts$/;

/** Properties of a declaration that the page and the command line alone read. */
const WORDS = new Set([
  'lead',
  'help',
  'helpMore',
  'glossary',
  'concepts',
  'formula',
  'nullValue',
  'notShown',
  'meaning',
  'span',
  'brief',
]);

/** Declarations of arms: a call for each, among whose arguments are its description (the only sentence) and, in the arena, its facts. */
const ARMS = /\/src\/experiments\/(config\/arms|methods)\/[^?]*\.ts$/;

/** Declarations of metrics: a call for each, with the sentence that charts have. */
const METRICS = /\/src\/environments\/\w+\/presentation\.ts$/;

const PRESETS = /\/src\/experiments\/config\/presets\.ts$/;

/** A property that all facts have and nothing else. */
const FACTS = new Set(['labels']);

/** Also the check: a build in which a worker reads them all the same is refused. */
export function wordsPlugin() {
  return {
    name: 'words',
    apply: 'build',
    transform(code, id) {
      const cuts = DECLARATIONS.test(id) ? propertiesOf(this.parse(code), WORDS, "''") : [];
      if (ARMS.test(id) || METRICS.test(id)) cuts.push(...toldOf(this.parse(code)));
      if (PRESETS.test(id)) cuts.push(...propertiesOf(this.parse(code), new Set(['description']), "''"));
      return without(code, cuts);
    },
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle))
        for (const [id, module] of Object.entries(chunk.modules ?? {})) {
          if (!id.includes('/src/') || !module.code) continue;
          const read = [...nodesOf(this.parse(module.code))].flatMap(wordsReadBy);
          if (read.length) this.error(`${id} reads ${read.join(', ')} in a worker, which has no such words.`);
        }
    },
  };
}

/** What a method of the arena does in a run is a worker's: the page has its arms, options and facts. */
export function hooksPlugin() {
  return {
    name: 'hooks',
    apply: 'build',
    transform(code, id) {
      if (!/\/src\/experiments\/methods\/[^?]*\.ts$/.test(id)) return null;
      return without(code, propertiesOf(this.parse(code), new Set(['prepare']), 'undefined'));
    },
  };
}

/** What is to be replaced, and by what. */
function propertiesOf(tree, names, value) {
  const isOne = isNamed(names);
  return [...nodesOf(tree)]
    .filter(({ type, properties }) => type === 'ObjectExpression' && properties.some(isOne))
    .flatMap(({ properties }) => properties.filter(isOne))
    .map(({ start, end, key }) => ({ start, end, by: `${nameOf(key)}: ${value}` }));
}

function toldOf(tree) {
  const told = [...nodesOf(tree)].filter(({ type }) => type === 'CallExpression').flatMap((call) => call.arguments);
  const sentences = told.filter(isSentence);
  const facts = told.filter(({ type, properties }) => type === 'ObjectExpression' && properties.some(isNamed(FACTS)));
  return [
    ...sentences.map(({ start, end }) => ({ start, end, by: "''" })),
    ...facts.map(({ start, end }) => ({ start, end, by: '{}' })),
  ];
}

const isSentence = ({ type, value, quasis }) =>
  (type === 'Literal' && /\.$/.test(value)) || (type === 'TemplateLiteral' && quasis.at(-1).value.raw.endsWith('.'));

/** Null where there is nothing to cut. */
function without(code, cuts) {
  // Where one lies within another, the outer one goes.
  const outer = cuts.filter((cut) => !cuts.some(({ start, end }) => start < cut.start && cut.end <= end));
  if (outer.length === 0) return null;
  const text = outer
    .sort((a, b) => b.start - a.start)
    .reduce((all, { start, end, by }) => all.slice(0, start) + by + all.slice(end), code);
  return { code: text, map: null };
}

const nameOf = (key) => key?.name ?? key?.value;
const isNamed =
  (names) =>
  ({ type, computed, key }) =>
    type === 'Property' && !computed && names.has(nameOf(key));
const isWords = isNamed(WORDS);

function wordsReadBy({ type, computed, property, properties }) {
  if (type === 'MemberExpression' && !computed && WORDS.has(property.name)) return [property.name];
  if (type === 'ObjectPattern') return properties.filter(isWords).map(({ key }) => nameOf(key));
  return [];
}

function* nodesOf(node) {
  if (!node || typeof node !== 'object') return;
  if (typeof node.type === 'string') yield node;
  for (const child of Array.isArray(node) ? node : Object.values(node)) yield* nodesOf(child);
}
