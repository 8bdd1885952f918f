import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from './server.mjs';

let folder;
let server;
beforeAll(async () => {
  const root = mkdtempSync(join(tmpdir(), 'serve-'));
  folder = join(root, 'dist');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'index.html'), '<p>lab</p>');
  writeFileSync(join(folder, 'a.wasm'), new Uint8Array([0, 97, 115, 109]));
  server = await serve(folder, { port: 0, strict: true });
});
afterAll(() => {
  server.close();
  rmSync(join(folder, '..'), { recursive: true });
});

const get = (path, headers = {}) => fetch(`http://localhost:${server.port}${path}`, { headers });
/** fetch would tidy the path up before sending it. */
const raw = (path) =>
  new Promise((resolve) => {
    request({ host: '127.0.0.1', port: server.port, path }, (r) => resolve(r.statusCode)).end();
  });

describe('static server', () => {
  it('serves files with their types, and says when nothing changed', async () => {
    const page = await get('/');
    expect(await page.text()).toBe('<p>lab</p>');
    expect(page.headers.get('content-type')).toMatch('text/html');
    const wasm = await get('/a.wasm');
    expect(wasm.headers.get('content-type')).toBe('application/wasm');
    expect((await wasm.arrayBuffer()).byteLength).toBe(4);
    expect((await get('/a.wasm', { 'if-none-match': wasm.headers.get('etag') })).status).toBe(304);
  });

  it('answers 404 for what is missing, and gives nothing from outside the folder', async () => {
    expect((await get('/nope.json')).status).toBe(404);
    expect((await get('/sub')).status).toBe(404);
    expect(await raw('/../secret.txt')).toBe(404);
    expect(await raw('/..%2fsecret.txt')).toBe(403);
    expect(await raw('/%2e%2e/%2e%2e/etc/passwd')).toBe(404);
    expect(await raw('/%')).toBe(400);
    expect((await fetch(`http://localhost:${server.port}/`, { method: 'POST' })).status).toBe(405);
  });

  it('refuses a taken port where it was asked for, else takes the next', async () => {
    await expect(serve(folder, { port: server.port, strict: true })).rejects.toThrow(/is taken by another program/);
    const other = await serve(folder, { port: server.port, strict: false });
    expect(other.port).toBeGreaterThan(server.port);
    other.close();
  });
});
