// Serves the built folder below a path as a third-party host does: a file server that sends no headers of its own, or those of `_headers`.
import { cp, mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';

const DIST = join(import.meta.dirname, '..', 'dist');
/** The path of the lab on the host. */
export const BASE = '/some/path/';
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

/** Makes a copy of the build that a journey may change. */
export async function folderOf(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'lab-host-'));
  await mkdir(join(root, BASE), { recursive: true });
  await cp(DIST, join(root, BASE), { recursive: true, filter: (source) => !source.startsWith(join(DIST, 'docs')) });
  return root;
}

interface Rule {
  path: string;
  headers: [name: string, value: string][];
}

/** Parses the rules of a `_headers` file. */
function rulesOf(text: string): Rule[] {
  const rules: Rule[] = [];
  for (const line of text.split('\n')) {
    const header = /^ {2}([^:]+): (.*)$/.exec(line);
    if (header) rules.at(-1)!.headers.push([header[1], header[2]]);
    else if (line !== '') rules.push({ path: line, headers: [] });
  }
  return rules;
}

export interface Host {
  address: string;
  /** Delays responses to matching paths until the returned function is called. */
  hold(pattern: RegExp): () => void;
  close(): Promise<void>;
}

/** Starts a file server; with `isReading` it sends the headers of the folder's `_headers`. */
export async function fileHost(root: string, isReading = false): Promise<Host> {
  const rules = isReading ? rulesOf(await readFile(join(root, BASE, '_headers'), 'utf8')) : [];
  let held: { pattern: RegExp; until: Promise<void> } | null = null;
  const headersOf = (path: string, response: ServerResponse) => {
    for (const { path: of, headers } of rules)
      if (of.endsWith('*') ? path.startsWith(of.slice(0, -1)) : of === path)
        for (const [name, value] of headers) response.setHeader(name, value);
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (held?.pattern.test(pathname)) await held.until;
    const file = join(root, normalize(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
    try {
      const bytes = await readFile(file);
      headersOf(pathname, response);
      response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE}`,
    hold(pattern) {
      let release = () => {};
      const until = new Promise<void>((resolve) => {
        release = resolve;
      });
      held = { pattern, until };
      return () => {
        held = null;
        release();
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
