// Vite plugins that cut from each side's build the parts of shared declarations that it does not use. Workers lose the texts for people: help
// of options, glossary entries of measures, descriptions of arms and presets. The page loses the hooks by which a method of the arena changes a
// run.

/** Declarations of options and measures. */
const DECLARATIONS =
  /\/src\/(experiments\/(config\/options|environments|methods)\/[^?]*|experiments\/records\/measures|environments\/\w+\/presentation)\.ts$/;

/** Properties of a declaration that only the page and the command line read. */
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

/**
 * Declarations of arms. Each is a call, among whose arguments are its description (the only sentence) and, in the arena, an object of facts
 * about the method.
 */
const ARMS = /\/src\/experiments\/(config\/arms|methods)\/[^?]*\.ts$/;

/** Declarations of metrics. Each is a call, with the sentence that charts show. */
const METRICS = /\/src\/environments\/\w+\/presentation\.ts$/;

const PRESETS = /\/src\/experiments\/config\/presets\.ts$/;

/** The property by which an object of facts is recognised: all have it, and no other argument does. */
const FACTS = new Set(['labels']);

/** Cuts the texts from workers, and refuses a build in which a worker still reads one. */
export function wordsPlugin() {
  return {
    name: 'words',
    apply: 'build',
    transform(code, id) {
      const cuts = DECLARATIONS.test(id) ? propertiesOf(this.parse(code), WORDS, "''") : [];
      if (ARMS.test(id) || METRICS.test(id)) cuts.push(...descriptionsOf(this.parse(code)));
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

/** Cuts the hooks of the arena's methods from the page, which needs only their arms, options and facts. */
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

/** Returns the places of the named properties, and their replacement. */
function propertiesOf(tree, names, value) {
  const isOne = isNamed(names);
  return [...nodesOf(tree)]
    .filter(({ type, properties }) => type === 'ObjectExpression' && properties.some(isOne))
    .flatMap(({ properties }) => properties.filter(isOne))
    .map(({ start, end, key }) => ({ start, end, by: `${nameOf(key)}: ${value}` }));
}

/** Returns the places of the sentences and facts among the arguments of calls, and their replacements. */
function descriptionsOf(tree) {
  const given = [...nodesOf(tree)].filter(({ type }) => type === 'CallExpression').flatMap((call) => call.arguments);
  const sentences = given.filter(isSentence);
  const facts = given.filter(({ type, properties }) => type === 'ObjectExpression' && properties.some(isNamed(FACTS)));
  return [
    ...sentences.map(({ start, end }) => ({ start, end, by: "''" })),
    ...facts.map(({ start, end }) => ({ start, end, by: '{}' })),
  ];
}

const isSentence = ({ type, value, quasis }) =>
  (type === 'Literal' && /\.$/.test(value)) || (type === 'TemplateLiteral' && quasis.at(-1).value.raw.endsWith('.'));

/** Returns the code without the cuts; null if there is nothing to cut. */
function without(code, cuts) {
  // A cut within another one is dropped.
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
