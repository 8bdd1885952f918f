// A small static server for the built page: right types, no caching surprises, nothing outside the folder.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
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

export function staticHandler(folder) {
  return (request, response) => {
    const plain = (status, text) => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(text);
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'Only GET and HEAD.');
    let path;
    try {
      path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    } catch {
      return plain(400, 'Bad path.');
    }
    const file = normalize(join(folder, path.endsWith('/') ? `${path}index.html` : path));
    if (!file.startsWith(folder + sep) || path.includes('\0')) return plain(403, 'Outside.');
    const info = statSync(file, { throwIfNoEntry: false });
    if (!info?.isFile()) return plain(404, 'Not found.');
    const tag = `"${info.size.toString(16)}-${Math.floor(info.mtimeMs).toString(16)}"`;
    const headers = {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'cache-control': 'no-cache',
      etag: tag,
      'x-content-type-options': 'nosniff',
    };
    if (request.headers['if-none-match'] === tag) {
      response.writeHead(304, headers);
      return response.end();
    }
    response.writeHead(200, { ...headers, 'content-length': info.size });
    if (request.method === 'HEAD') return response.end();
    createReadStream(file)
      .on('error', () => response.destroy())
      .pipe(response);
  };
}

/** Serves on this machine alone. A taken port is an error where it was asked for, else the next free one is used. */
export async function serve(folder, { port, strict }) {
  for (let candidate = port; candidate < port + 50; candidate++) {
    const first = await listen(folder, candidate, '127.0.0.1');
    if (first.server) {
      const actual = first.server.address().port;
      // A browser may take `localhost` for ::1; another program there would answer in our place.
      const second = await listen(folder, actual, '::1');
      if (second.server || second.error.code !== 'EADDRINUSE') {
        const servers = second.server ? [first.server, second.server] : [first.server];
        return { port: actual, close: () => servers.forEach(shut) };
      }
      shut(first.server);
    } else if (first.error.code !== 'EADDRINUSE' && first.error.code !== 'EACCES') throw first.error;
    const why = first.error?.code === 'EACCES' ? 'may not be used by this user' : 'is taken by another program';
    if (strict) throw new Complaint(`Port ${candidate} ${why}. Choose another: npm start -- --port ${candidate + 1}`);
    say(`Port ${candidate} ${why}; trying ${candidate + 1}.`);
  }
  throw new Complaint(`None of the ports ${port} to ${port + 49} is free. Choose one: npm start -- --port N`);
}

function listen(folder, port, host) {
  return new Promise((resolve) => {
    const server = createServer(staticHandler(folder));
    server.once('error', (error) => resolve({ error }));
    server.listen(port, host, () => resolve({ server }));
  });
}

function shut(server) {
  server.close();
  server.closeAllConnections();
}
