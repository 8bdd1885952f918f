// A small static server for the built page. It sends correct types, lets a browser cache nothing without asking again, and serves nothing
// outside the folder. It protects the lab from other sites: it refuses requests under another host's name (DNS rebinding), and forbids frames
// around the lab.
import { lookup } from 'node:dns/promises';
import { open, readFile, realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ISOLATION } from './isolation.mjs';
import { asHeader, documentPolicy, EMBED, FILE_POLICY, policyIn, WORKER_POLICY } from './policy.mjs';
import { Complaint, say } from './terminal.mjs';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.safetensors': 'application/octet-stream',
  '.txt': 'text/plain; charset=utf-8',
};

/** Headers of every response. */
const HEADERS = {
  ...ISOLATION,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/** Headers of the one document that any page may frame. */
const { 'x-frame-options': _, ...FRAMED_HEADERS } = { ...HEADERS, 'cross-origin-resource-policy': 'cross-origin' };

/** HTTP status and text for each error of the file system; any other error is the server's own failure, 500. */
const STATUS = {
  ENOENT: [404, 'Not found.'],
  ENOTDIR: [404, 'Not found.'],
  ELOOP: [404, 'Not found.'],
  ENAMETOOLONG: [414, 'The path is too long.'],
  EACCES: [403, 'Not readable.'],
  EPERM: [403, 'Not readable.'],
  EMFILE: [503, 'Too many files are open.'],
  ENFILE: [503, 'Too many files are open.'],
};

const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** `host`: a further name, beside this machine's own, to which the server answers. */
export function staticHandler(folder, host = null) {
  const names = [...OWN_NAMES, ...(host === null ? [] : [hostName(host)])];
  return async (request, response) => {
    const plain = (status, text) => {
      response.writeHead(status, {
        ...HEADERS,
        'content-type': 'text/plain; charset=utf-8',
        'content-security-policy': FILE_POLICY,
      });
      response.end(text);
    };
    try {
      // With two Host headers a proxy in between may read the other one.
      if (request.headersDistinct.host?.length > 1) return plain(400, 'More than one Host.');
      // Another site may let its own name resolve to this machine, but it cannot make a browser send ours.
      if (!names.includes(hostName(request.headers.host ?? ''))) {
        return plain(421, `This server answers to ${names.join(', ')} alone. Another name: npm start -- --host NAME`);
      }
      await answer(folder, request, response, plain);
    } catch (error) {
      // A partial response must not look complete.
      if (response.headersSent) return response.destroy();
      plain(...(STATUS[error?.code] ?? [500, 'The server failed.']));
    }
  };
}

async function answer(folder, request, response, plain) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'Only GET and HEAD.');
  let path;
  try {
    path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
  } catch {
    return plain(400, 'Bad path.');
  }
  const named = normalize(join(folder, path.endsWith('/') ? `${path}index.html` : path));
  if (!named.startsWith(folder + sep) || path.includes('\0')) return plain(403, 'Outside.');
  // The file's type is read before it is opened, since opening a pipe would wait for its writer.
  const info = await stat(named);
  // A symbolic link may lead out of the folder, and the folder itself may be one.
  const [file, root] = await Promise.all([realpath(named), realpath(folder)]);
  if (!file.startsWith(root + sep)) return plain(403, 'Outside.');
  if (!info.isFile()) return plain(404, 'Not found.');
  const tag = `"${info.size.toString(16)}-${Math.floor(info.mtimeMs).toString(16)}"`;
  const isEmbed = file === join(root, EMBED);
  const headers = {
    ...(isEmbed ? FRAMED_HEADERS : HEADERS),
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'content-security-policy': await policyOf(file, isEmbed),
    'cache-control': 'no-cache',
    etag: tag,
  };
  if (request.headers['if-none-match'] === tag) {
    response.writeHead(304, headers);
    return response.end();
  }
  const handle = await open(file);
  try {
    response.writeHead(200, { ...headers, 'content-length': info.size });
    if (request.method === 'HEAD') response.end();
    // Exactly the announced bytes are sent, even if the file has grown. An empty file has no last byte to name.
    else if (info.size === 0) response.end();
    else await pipeline(handle.createReadStream({ end: info.size - 1, autoClose: false }), response);
  } finally {
    await handle.close();
  }
}

/** The policy of a file. A document states its own (policy-plugin.mjs); one that does not may run no inline script. */
async function policyOf(file, isEmbed) {
  const kind = extname(file);
  if (kind === '.html')
    return asHeader(policyIn(await readFile(file, 'utf8')) ?? documentPolicy([]), isEmbed ? '*' : "'none'");
  return kind === '.js' || kind === '.mjs' ? WORKER_POLICY : FILE_POLICY;
}

/** Returns the name in a Host header or an address in lower case, without port and final dot; IPv6 in brackets. */
function hostName(text) {
  const bare = /^[0-9a-f]*:[0-9a-f:.]*$/i.test(text) ? `[${text}]` : text;
  return bare.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/**
 * Serves on this machine's loopback addresses and, if `host` is given, on that address of it. With `strict` a taken port is an error, else the
 * next free one is used.
 */
export async function serve(folder, { port, strict, host = null }) {
  const other = host === null ? null : await addressOf(host);
  for (let candidate = port; candidate < port + 50; candidate++) {
    const first = await listen(folder, candidate, '127.0.0.1', host);
    if (first.server) {
      const actual = first.server.address().port;
      // A browser may resolve `localhost` to ::1, where another program would answer in our place.
      const more = [await listen(folder, actual, '::1', host)];
      if (other !== null) more.push(await listen(folder, actual, other, host));
      const servers = [first, ...more].flatMap(({ server }) => server ?? []);
      if (more[1]?.error && more[1].error.code !== 'EADDRINUSE') {
        servers.forEach(shut);
        throw new Complaint(`--host ${host} is no address of this machine (${more[1].error.code}).`);
      }
      if (more.every(({ error }) => error?.code !== 'EADDRINUSE')) {
        return { port: actual, close: () => servers.forEach(shut) };
      }
      servers.forEach(shut);
    } else if (first.error.code !== 'EADDRINUSE' && first.error.code !== 'EACCES') throw first.error;
    const why = first.error?.code === 'EACCES' ? 'may not be used by this user' : 'is taken by another program';
    if (strict) throw new Complaint(`Port ${candidate} ${why}. Choose another: npm start -- --port ${candidate + 1}`);
    say(`Port ${candidate} ${why}; trying ${candidate + 1}.`);
  }
  throw new Complaint(`None of the ports ${port} to ${port + 49} is free. Choose one: npm start -- --port N`);
}

/** The address to listen on for `host`; null if the server listens there in any case. */
async function addressOf(host) {
  let address;
  try {
    ({ address } = await lookup(host));
  } catch {
    throw new Complaint(`--host ${host} is no name that this machine knows. Give a name or an address of it.`);
  }
  if (address === '0.0.0.0' || address === '::') {
    throw new Complaint(`--host ${host} means every address of this machine. Name the one that is to answer.`);
  }
  return address === '127.0.0.1' || address === '::1' ? null : address;
}

function listen(folder, port, address, host) {
  return new Promise((resolve) => {
    const server = createServer(staticHandler(folder, host));
    // The listener stays (`on`, not `once`): a later error, on a connection that could not be accepted, must not end the process.
    server.on('error', (error) => resolve({ error }));
    server.listen(port, address, () => resolve({ server }));
  });
}

function shut(server) {
  server.close();
  server.closeAllConnections();
}
