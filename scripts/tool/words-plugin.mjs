// Vite: a declaration is in one place, and a build leaves out what its side does not use. For workers that is what is said of an option or a
// measure to a person (help, the glossary's entries); for the page, what a method of the arena does in a run.

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

/** Also the check: a build in which a worker reads them all the same is refused. */
export function wordsPlugin() {
  return {
    name: 'words',
    apply: 'build',
    transform(code, id) {
      return DECLARATIONS.test(id) ? without(code, this.parse(code), WORDS, "''") : null;
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
      return without(code, this.parse(code), new Set(['prepare']), 'undefined');
    },
  };
}

/** Null where there is none of the properties. */
function without(code, tree, names, value) {
  const isOne = isNamed(names);
  const cuts = [...nodesOf(tree)]
    .filter(({ type, properties }) => type === 'ObjectExpression' && properties.some(isOne))
    .flatMap(({ properties }) => properties.filter(isOne));
  // Of one within another the outer one goes.
  const outer = cuts.filter((cut) => !cuts.some(({ start, end }) => start < cut.start && cut.end <= end));
  if (outer.length === 0) return null;
  const text = outer
    .sort((a, b) => b.start - a.start)
    .reduce((all, { start, end, key }) => `${all.slice(0, start)}${nameOf(key)}: ${value}${all.slice(end)}`, code);
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
