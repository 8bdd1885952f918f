// The Content-Security-Policies of the page's documents and workers. The build writes a document's policy into its <head>, so that any static
// host serves it; the local server also sends it as a header, with what only a header can state.
//
// Sandboxed frames that a document makes (srcdoc) inherit its policy, and so do their workers from data: addresses. So it must allow what those
// need: their one inline script, by its hash, such workers, and WebAssembly. A worker from its own file inherits nothing: the lab's worker is
// bound by the header of its script.

/** `hashes`: those of the inline scripts that may run, as `sha256-…`. No other inline script runs, nor does eval. */
export const documentPolicy = (hashes) =>
  join({
    'default-src': ["'none'"],
    'script-src': ["'self'", "'wasm-unsafe-eval'", ...hashes.map((hash) => `'${hash}'`)],
    'style-src': ["'self'"],
    // A chart becomes a PNG through an SVG in a blob.
    'img-src': ["'self'", 'data:', 'blob:'],
    'font-src': ["'self'"],
    'worker-src': ["'self'", 'data:'],
    // The page itself fetches only its own files; the worker fetches everything else.
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
  });

/**
 * The policy of a worker's script. The Hub serves its files from hosts that it chooses, and a user may name any mirror, so no list of hosts can
 * be given here.
 */
export const WORKER_POLICY = join({
  'default-src': ["'none'"],
  'script-src': ["'self'", "'wasm-unsafe-eval'"],
  'worker-src': ["'self'"],
  'connect-src': ["'self'", 'https:', 'http:'],
});

/** The document that other pages may frame: it draws the data in its address, and fetches nothing. */
export const EMBED = 'embed.html';
export const EMBED_POLICY = join({
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'font-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
});

/** The policy of a page of the docs' site: its own files and its few inline scripts. Code blocks are coloured by style attributes. */
export const SITE_POLICY = (hashes) =>
  join({
    'default-src': ["'none'"],
    'script-src': ["'self'", ...hashes.map((hash) => `'${hash}'`)],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:'],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
  });

/** The policy of all other files: if one is opened as a document, it can do nothing. */
export const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** A document's policy as a header, which unlike a <meta> can state who may frame it. */
export const asHeader = (policy, ancestors = "'none'") => `${policy}; frame-ancestors ${ancestors}`;

/** `metaOf` writes the <meta> that states a policy, `policyIn` reads it (null if a document has none). */
export const metaOf = (policy) => `<meta http-equiv="Content-Security-Policy" content="${policy}" />`;
export const policyIn = (html) =>
  /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? null;

function join(directives) {
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ');
}
