// Vite, for the builds of workers: what is said of an option or a measure to a person (help, the glossary's entries) is left out.
// The words are with the options and measures, in one declaration each, of which a worker uses the rest.

/** Declarations of options and measures. */
const DECLARATIONS =
  /\/src\/(experiments\/(config\/options|environments)\/[^?]*|experiments\/records\/measures|environments\/\w+\/presentation)\.ts$/;

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
      if (!DECLARATIONS.test(id)) return null;
      const cuts = [...nodesOf(this.parse(code))]
        .filter(({ type, properties }) => type === 'ObjectExpression' && properties.some(isWords))
        .flatMap(({ properties }) => properties.filter(isWords));
      // Of words within words the outer ones go.
      const outer = cuts.filter((cut) => !cuts.some(({ start, end }) => start < cut.start && cut.end <= end));
      if (outer.length === 0) return null;
      const text = outer
        .sort((a, b) => b.start - a.start)
        .reduce((all, { start, end, key }) => `${all.slice(0, start)}${nameOf(key)}: ''${all.slice(end)}`, code);
      return { code: text, map: null };
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

const nameOf = (key) => key?.name ?? key?.value;
const isWords = ({ type, computed, key }) => type === 'Property' && !computed && WORDS.has(nameOf(key));

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
