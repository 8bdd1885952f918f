// A local server with the Hub's HTTP API, and its CDN on another port: commits, file listings in pages, LFS files behind a redirect, ranges,
// ETags; and faults, one at a time. It counts the bytes that it serves.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface HubFile {
  bytes: Uint8Array;
  isLfs: boolean;
}
export type HubFiles = Readonly<Record<string, HubFile>>;

/** Fault of the next answer that has bytes of a file. */
type Fault =
  /** The connection is cut after this number of bytes of the body. */
  | { kind: 'cut'; after: number }
  /** No byte comes after this number, and the connection stays open. */
  | { kind: 'hang'; after: number }
  /** The bytes differ, with the same length. */
  | { kind: 'corrupt' }
  /** The answer has this status instead. */
  | { kind: 'status'; status: number; retryAfter?: string }
  /** The file changes from now on, under the same address. */
  | { kind: 'change'; bytes: Uint8Array };

interface Asked {
  method: string;
  /** Path and query. */
  url: string;
  isCdn: boolean;
  range: string | null;
  ifRange: string | null;
  authorization: string | null;
}

interface Repo {
  /** Files by commit, and commit by branch. */
  commits: Map<string, HubFiles>;
  branches: Map<string, string>;
  gated: boolean;
  /** The repository is visible only with this token. */
  token: string | null;
}

const hash = (kind: 'sha1' | 'sha256', ...parts: (string | Uint8Array)[]) => {
  const made = createHash(kind);
  for (const part of parts) made.update(part);
  return made.digest('hex');
};
export const lfs = (bytes: Uint8Array): HubFile => ({ bytes, isLfs: true });
export const plain = (content: Uint8Array | string): HubFile => ({
  bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content,
  isLfs: false,
});

/** Headers of the Hub's answers that pages can read; of the CDN's answers they can read only the body. */
const EXPOSED = 'X-Repo-Commit,X-Error-Code,ETag,Link,Accept-Ranges,Content-Range,X-Linked-Size,X-Linked-ETag';

export class HubServer {
  /** Bytes of bodies served, by path of the file. */
  readonly served = new Map<string, number>();
  readonly asked: Asked[] = [];
  knowsRanges = true;
  /** `weak`: ETags that guarantee nothing; `changing`: another one each time. */
  etags: 'strong' | 'weak' | 'changing' = 'strong';
  /** Redirect target of LFS requests; null: its CDN. */
  sentTo: string | null = null;
  /** Wrong file lengths in the listing, by path. */
  readonly claimed = new Map<string, number>();
  /** Entries per page of a listing. */
  pageSize = 100;
  readonly #repos = new Map<string, Repo>();
  readonly #faults = new Map<string, Fault[]>();
  /** Faults of API requests. */
  readonly apiFaults: Fault[] = [];
  readonly #changed = new Map<string, Uint8Array>();
  #hub: Server | null = null;
  #cdn: Server | null = null;
  #etagCount = 0;

  async start(): Promise<this> {
    const listen = async (isCdn: boolean) => {
      const server = createServer((request, response) => this.#answer(request, response, isCdn));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    };
    this.#hub = await listen(false);
    this.#cdn = await listen(true);
    return this;
  }

  async stop(): Promise<void> {
    for (const server of [this.#hub, this.#cdn]) {
      server?.closeAllConnections();
      await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
    }
  }

  get endpoint(): string {
    return addressOf(this.#hub);
  }

  /** Makes a new commit on a branch. Returns its id. */
  commit(repo: string, files: HubFiles, branch = 'main'): string {
    const known = this.#repos.get(repo) ?? { commits: new Map(), branches: new Map(), gated: false, token: null };
    const parts = Object.entries(files).flatMap(([path, { bytes }]) => [path, bytes]);
    const commit = hash('sha1', branch, ...parts);
    known.commits.set(commit, files);
    known.branches.set(branch, commit);
    this.#repos.set(repo, known);
    return commit;
  }

  gate(repo: string, how: { gated?: boolean; token?: string }): void {
    Object.assign(this.#repos.get(repo)!, how);
  }

  /** Queues faults for the next answers with bytes of this path. */
  fail(path: string, ...faults: Fault[]): void {
    this.#faults.set(path, [...(this.#faults.get(path) ?? []), ...faults]);
  }

  totalServed(): number {
    return [...this.served.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  forget(): void {
    this.served.clear();
    this.asked.length = 0;
  }

  #answer(request: IncomingMessage, response: ServerResponse, isCdn: boolean): unknown {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const header = (name: string) => (request.headers[name] as string | undefined) ?? null;
    this.asked.push({
      method: request.method!,
      url: request.url!,
      isCdn,
      range: header('range'),
      ifRange: header('if-range'),
      authorization: header('authorization'),
    });
    // A data set's files have this prefix; its API and its CDN have the same form as a model's.
    const parts = pathname
      .slice(1)
      .replace(/^datasets\//, '')
      .split('/')
      .map(decodeURIComponent);
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.method === 'OPTIONS') return this.#preflight(response, isCdn);
    if (!isCdn) response.setHeader('Access-Control-Expose-Headers', EXPOSED);
    if (isCdn) {
      const file = this.#fileOf(parts.slice(0, 2).join('/'), parts[2], parts.slice(3).join('/'));
      return file ? this.#send(request, response, parts.slice(3).join('/'), file) : refuse(response, 404);
    }
    const [repo, rest] = parts[0] === 'api' ? [parts.slice(2, 4), parts.slice(4)] : [parts.slice(0, 2), parts.slice(2)];
    const name = repo.join('/');
    const known = this.#repos.get(name);
    const token = header('authorization')?.replace('Bearer ', '') ?? null;
    if (!known || (known.token !== null && token !== known.token)) {
      return refuse(response, token === null ? 401 : 404, 'RepoNotFound');
    }
    if (parts[0] === 'api') return this.#api(response, name, rest, searchParams);
    if (known.gated && token === null) return refuse(response, 401, 'GatedRepo');
    if (known.gated && token !== 'hf_accepted') return refuse(response, 403, 'GatedRepo');
    const [, revision, ...path] = rest;
    const file = this.#fileOf(name, revision, path.join('/'));
    if (!file) return refuse(response, 404, 'EntryNotFound');
    response.setHeader('X-Repo-Commit', this.#commitOf(name, revision)!);
    if (!file.isLfs) return this.#send(request, response, path.join('/'), file);
    response.setHeader('X-Linked-ETag', `"${hash('sha256', file.bytes)}"`);
    response.setHeader('X-Linked-Size', String(file.bytes.length));
    response.setHeader('Location', `${this.sentTo ?? addressOf(this.#cdn)}/${name}/${revision}/${path.join('/')}`);
    response.writeHead(302).end();
  }

  /** A page's preflight before it sends a token: the Hub allows it; the CDN does not support it, and must not be asked. */
  #preflight(response: ServerResponse, isCdn: boolean): unknown {
    if (isCdn) return refuse(response, 403);
    response.setHeader('Access-Control-Allow-Headers', 'Authorization');
    return response.writeHead(204).end();
  }

  #api(response: ServerResponse, name: string, [what, revision]: string[], query: URLSearchParams): unknown {
    const fault = this.apiFaults.shift();
    if (fault?.kind === 'cut') return response.socket!.destroy();
    if (fault?.kind === 'status') return refuse(response, fault.status, '', fault.retryAfter);
    const commit = this.#commitOf(name, revision);
    if (!commit) return refuse(response, 404, 'RevisionNotFound');
    const { commits, gated } = this.#repos.get(name)!;
    if (what === 'revision') {
      const lastModified = '2026-01-01T00:00:00.000Z';
      return sendJson(response, {
        _id: '1',
        id: name,
        private: false,
        gated: gated && 'auto',
        downloads: 1,
        likes: 0,
        lastModified,
        ...(query.getAll('expand').includes('sha') ? { sha: commit } : {}),
      });
    }
    if (what !== 'tree') return refuse(response, 404);
    const all = Object.entries(commits.get(commit)!).map(([path, { bytes, isLfs }]) => ({
      type: 'file',
      path,
      size: this.claimed.get(path) ?? bytes.length,
      oid: isLfs ? hash('sha1', 'a pointer to ', bytes) : hash('sha1', `blob ${bytes.length}\0`, bytes),
      ...(isLfs
        ? { lfs: { oid: hash('sha256', bytes), size: this.claimed.get(path) ?? bytes.length, pointerSize: 134 } }
        : {}),
    }));
    const from = Number(query.get('cursor') ?? 0);
    const to = from + this.pageSize;
    if (to < all.length) {
      const next = `${this.endpoint}/api/models/${name}/tree/${revision}?cursor=${to}`;
      response.setHeader('Link', `<${next}>; rel="next"`);
    }
    const folder = { type: 'directory', path: 'onnx', size: 0, oid: '0'.repeat(40) };
    sendJson(response, [...(from === 0 ? [folder] : []), ...all.slice(from, to)]);
  }

  #send(request: IncomingMessage, response: ServerResponse, path: string, file: HubFile): unknown {
    const fault = this.#faults.get(path)?.shift();
    if (fault?.kind === 'status') return refuse(response, fault.status, '', fault.retryAfter);
    if (fault?.kind === 'change') this.#changed.set(path, fault.bytes);
    const bytes = this.#changed.get(path) ?? file.bytes;
    const strong = `"${hash('sha256', bytes)}"`;
    const etag = { strong, weak: `W/${strong}`, changing: `"${this.#etagCount++}"` }[this.etags];
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const ifRange = request.headers['if-range'];
    const isPart = this.knowsRanges && range && (ifRange === undefined || ifRange === etag);
    const from = isPart ? Number(range[1]) : 0;
    const to = isPart ? Math.min(bytes.length, range[2] === '' ? bytes.length : Number(range[2]) + 1) : bytes.length;
    if (isPart && from >= bytes.length) {
      response.setHeader('Content-Range', `bytes */${bytes.length}`);
      return refuse(response, 416);
    }
    const body = bytes.slice(from, to);
    if (fault?.kind === 'corrupt') for (let i = 0; i < body.length; i++) body[i] ^= 1;
    const sent = fault?.kind === 'cut' || fault?.kind === 'hang' ? body.subarray(0, fault.after) : body;
    this.served.set(path, (this.served.get(path) ?? 0) + sent.length);
    response.setHeader('ETag', etag);
    response.setHeader('Content-Length', body.length);
    if (isPart) response.setHeader('Content-Range', `bytes ${from}-${to - 1}/${bytes.length}`);
    response.writeHead(isPart ? 206 : 200);
    if (sent.length === body.length) return response.end(body);
    // The connection is cut only after these bytes were sent.
    response.write(sent, () => fault?.kind === 'cut' && response.socket?.destroy());
  }

  #commitOf(name: string, revision: string): string | undefined {
    const { commits, branches } = this.#repos.get(name)!;
    return commits.has(revision) ? revision : branches.get(revision);
  }

  #fileOf(name: string, revision: string, path: string): HubFile | undefined {
    const commit = this.#commitOf(name, revision);
    return commit === undefined ? undefined : this.#repos.get(name)!.commits.get(commit)![path];
  }
}

function addressOf(server: Server | null): string {
  return `http://127.0.0.1:${(server!.address() as AddressInfo).port}`;
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, code = '', retryAfter?: string): void {
  if (code) response.setHeader('X-Error-Code', code);
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ error: code || `status ${status}` }));
}
