// A local server with the installed files of the small model's package, with addresses in a CDN's form and without ranges; one answer can be
// cut, hang or have wrong bytes.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMALL_MODEL } from '../small-facts.ts';

export const PACKAGE = join(import.meta.dirname, '..', '..', '..', '..', 'node_modules', SMALL_MODEL.name);

export class PackageServer {
  readonly asked: string[] = [];
  /** Fault of the next answer for a path: it stalls after this number of bytes (`hang`), ends after them (`cut`), or has wrong bytes. */
  readonly faults = new Map<string, { kind: 'hang' | 'cut' | 'corrupt'; after: number }>();
  #server: Server | null = null;

  async start(): Promise<this> {
    const prefix = `/${SMALL_MODEL.name}@${SMALL_MODEL.version}/`;
    this.#server = createServer((request, response) => {
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Access-Control-Allow-Headers', '*');
      if (request.method === 'OPTIONS') return void response.writeHead(204).end();
      const path = request.url!.startsWith(prefix) ? request.url!.slice(prefix.length) : '';
      this.asked.push(path);
      if (!SMALL_MODEL.files.some((file) => file.path === path)) return void response.writeHead(404).end();
      const bytes = readFileSync(join(PACKAGE, path));
      const fault = this.faults.get(path);
      this.faults.delete(path);
      response.writeHead(200, { 'Content-Length': bytes.length });
      if (fault?.kind === 'corrupt') bytes[fault.after] ^= 1;
      if (!fault || fault.kind === 'corrupt') return void response.end(bytes);
      response.write(bytes.subarray(0, fault.after), () => fault.kind === 'cut' && request.socket.destroy());
    });
    await new Promise<void>((resolve) => this.#server!.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server!.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}
