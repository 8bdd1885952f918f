// What the page may do, as Content-Security-Policy: one list for documents, one for workers. The build writes the document's
// into its <head>, so that any static host serves it; the local server sends it as a header too, with what only a header can say.
//
// A document's policy is inherited by the sandboxed frames that it makes (srcdoc), and by their workers from data: addresses. So it must
// allow what those need: their one inline script, by its hash, such workers, and WebAssembly. A worker from a file of its own
// inherits nothing: what holds for the lab's worker is the header of its script.

/** `hashes`: of the inline scripts that may run, `sha256-…`. Nothing else that is inline runs, nor does eval. */
export const documentPolicy = (hashes) =>
  join({
    'default-src': ["'none'"],
    'script-src': ["'self'", "'wasm-unsafe-eval'", ...hashes.map((hash) => `'${hash}'`)],
    'style-src': ["'self'"],
    // A chart becomes a PNG by way of an SVG in a blob.
    'img-src': ["'self'", 'data:', 'blob:'],
    'font-src': ["'self'"],
    'worker-src': ["'self'", 'data:'],
    // The page itself reads its own files alone; whatever is fetched from elsewhere, the worker fetches.
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
  });

/**
 * For a script that is a worker's. The Hub sends its files from hosts that it chooses, and a mirror is where its user says, so
 * that no list of hosts can be given here.
 */
export const WORKER_POLICY = join({
  'default-src': ["'none'"],
  'script-src': ["'self'", "'wasm-unsafe-eval'"],
  'worker-src': ["'self'"],
  'connect-src': ["'self'", 'https:', 'http:'],
});

/** The document that other pages may frame: it draws what is in its address, and reaches nothing. */
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

/** A page of the docs' site: its own files and its own few inline scripts. Its code blocks are coloured by styles of their elements. */
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

/** For files that are neither: should one be opened as a document, it can do nothing. */
export const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** A document's policy as a header: a <meta> cannot say who may frame it. */
export const asHeader = (policy, ancestors = "'none'") => `${policy}; frame-ancestors ${ancestors}`;

/** A <meta> that states `policy`, and the policy that a document states so; null where there is none. */
export const metaOf = (policy) => `<meta http-equiv="Content-Security-Policy" content="${policy}" />`;
export const policyIn = (html) =>
  /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? null;

function join(directives) {
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ');
}
