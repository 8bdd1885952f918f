import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentPolicy, metaOf } from './policy.mjs';
import { serve } from './server.mjs';

let folder;
let server;
beforeAll(async () => {
  const root = mkdtempSync(join(tmpdir(), 'serve-'));
  folder = join(root, 'dist');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'index.html'), '<p>lab</p>');
  writeFileSync(join(folder, 'embed.html'), '<p>frame</p>');
  writeFileSync(join(folder, 'sub', 'embed.html'), '<p>none</p>');
  writeFileSync(join(folder, 'a.wasm'), new Uint8Array([0, 97, 115, 109]));
  writeFileSync(join(folder, 'worker.js'), 'self');
  writeFileSync(join(folder, 'empty.txt'), '');
  writeFileSync(join(folder, 'large.bin'), new Uint8Array(5e6).fill(7));
  writeFileSync(join(folder, 'stated.html'), `<head>${metaOf(documentPolicy(['sha256-abc=']))}</head>`);
  if (process.platform !== 'win32') {
    symlinkSync('loop', join(folder, 'loop'));
    symlinkSync('../secret.txt', join(folder, 'out.txt'));
    symlinkSync('..', join(folder, 'above'));
    symlinkSync('a.wasm', join(folder, 'inside.wasm'));
    symlinkSync('dist', join(root, 'linked'));
  }
  writeFileSync(join(folder, 'closed.txt'), 'closed');
  chmodSync(join(folder, 'closed.txt'), 0);
  server = await serve(folder, { port: 0, strict: true });
});
afterAll(() => {
  server.close();
  rmSync(join(folder, '..'), { recursive: true });
});

const get = (path, headers = {}) => fetch(`http://localhost:${server.port}${path}`, { headers });
/** Requests the path as it is, since fetch would normalise it. */
const raw = (path, { host = 'localhost', port = server.port } = {}) =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

/** Sends bytes that no HTTP client would send. */
const spoken = (text) =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(server.port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8').on('data', (part) => {
      answer += part;
    });
    socket.on('error', reject).on('close', () => resolve(answer));
  });

describe('static server', () => {
  it('serves files with their types, and answers 304 when nothing changed', async () => {
    const page = await get('/');
    expect(await page.text()).toBe('<p>lab</p>');
    expect(page.headers.get('content-type')).toMatch('text/html');
    const wasm = await get('/a.wasm');
    expect(wasm.headers.get('content-type')).toBe('application/wasm');
    expect((await wasm.arrayBuffer()).byteLength).toBe(4);
    const unchanged = await get('/a.wasm', { 'if-none-match': wasm.headers.get('etag') });
    expect(unchanged.status).toBe(304);
    // A browser updates the headers of its cached file from this response.
    expect(unchanged.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
  });

  it('lets other sites frame one document only', async () => {
    const of = async (path) => {
      const { headers } = await get(path);
      return [
        headers.get('x-frame-options'),
        /frame-ancestors (\S+)/.exec(headers.get('content-security-policy'))?.[1],
      ];
    };
    expect(await of('/embed.html')).toEqual([null, '*']);
    for (const path of ['/', '/index.html', '/sub/embed.html', '/a.wasm'])
      expect(await of(path)).toEqual(['DENY', "'none'"]);
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

  it.skipIf(process.platform === 'win32')('follows a link only within the folder', async () => {
    for (const path of ['/out.txt', '/above/secret.txt', '/above/dist/index.html/../../secret.txt'])
      expect([path, await raw(path)]).toEqual([path, 403]);
    expect((await (await get('/inside.wasm')).arrayBuffer()).byteLength).toBe(4);
    const linked = await serve(join(folder, '..', 'linked'), { port: 0, strict: true });
    expect(await raw('/', { port: linked.port })).toBe(200);
    expect(await raw('/out.txt', { port: linked.port })).toBe(403);
    linked.close();
  });

  it('answers every path with a status, and keeps running', async () => {
    expect(await raw(`/${'a'.repeat(300)}`)).toBe(414);
    expect(await raw(`/${'a/'.repeat(3000)}x`)).toBe(414);
    expect(await raw('/loop')).toBe(404);
    expect(await raw('/index.html/below')).toBe(404);
    expect(await raw('/a.wasm/')).toBe(404);
    expect(await raw('//')).toBe(400);
    expect(await raw('/%00')).toBe(403);
    // Root may read everything, and Windows has no such mode.
    expect(await raw('/closed.txt')).toBe((process.getuid?.() ?? 0) === 0 ? 200 : 403);
    expect((await get('/')).status).toBe(200);
  });

  it('sends whole files, empty ones too, and survives clients that disconnect early', async () => {
    expect((await (await get('/large.bin')).arrayBuffer()).byteLength).toBe(5e6);
    expect(await (await get('/empty.txt')).text()).toBe('');
    const head = await fetch(`http://localhost:${server.port}/large.bin`, { method: 'HEAD' });
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['5000000', '']);
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => {
        const leaving = request({ host: '127.0.0.1', port: server.port, path: '/large.bin' }, (response) => {
          response.once('data', () => {
            leaving.destroy();
            resolve();
          });
        });
        leaving.on('error', () => {}).end();
      });
    }
    expect((await (await get('/large.bin')).arrayBuffer()).byteLength).toBe(5e6);
  });

  it('answers only to this machine’s own names', async () => {
    for (const host of ['localhost', 'LOCALHOST:80', '127.0.0.1', '[::1]', '[::1]:5173', 'localhost.:9'])
      expect(await raw('/', { host }), host).toBe(200);
    const foreign = ['evil.example', `evil.example:${server.port}`, '127.0.0.1.evil.example', 'localhost.evil.example'];
    for (const host of [...foreign, '169.254.169.254', '[::2]', 'evil@localhost'])
      expect(await raw('/', { host }), host).toBe(421);
    // With two Host headers a proxy in between may have read the other one.
    const two = 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n';
    expect(await spoken(two)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await spoken(two.replace('evil.example', 'localhost'))).toMatch(/^HTTP\/1\.1 400 /);
    // An absolute address in the request does not matter.
    expect(await raw('http://localhost/', { host: 'evil.example' })).toBe(421);
  });

  // Only Linux is sure to have a second loopback address.
  it.runIf(process.platform === 'linux')(
    'answers to a name that it was given, too, and refuses one that is not of this machine',
    async () => {
      const named = await serve(folder, { port: 0, strict: true, host: '127.0.0.2' });
      expect(await raw('/', { host: '127.0.0.2:1', port: named.port })).toBe(200);
      expect(await raw('/', { host: 'localhost', port: named.port })).toBe(200);
      expect(await raw('/', { host: '127.0.0.3', port: named.port })).toBe(421);
      named.close();
      const give = (host) => serve(folder, { port: 0, strict: true, host });
      await expect(give('192.0.2.1')).rejects.toThrow(/no address of this machine/);
      await expect(give('no-such-name.invalid')).rejects.toThrow(/no name that this machine knows/);
      await expect(give('0.0.0.0')).rejects.toThrow(/every address/);
    },
  );

  it('sends a policy with every response', async () => {
    for (const path of ['/', '/a.wasm', '/nope', '/stated.html', `/${'a'.repeat(300)}`]) {
      const { headers } = await get(path);
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('x-frame-options'), path).toBe('DENY');
      expect(headers.get('referrer-policy'), path).toBe('no-referrer');
      expect(headers.get('content-security-policy'), path).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/);
    }
    const policyOf = async (path) => (await get(path)).headers.get('content-security-policy');
    expect(await policyOf('/stated.html')).toContain("script-src 'self' 'wasm-unsafe-eval' 'sha256-abc=';");
    // Only stated inline scripts may run, never all of them, and the page may fetch only from its own server.
    expect(await policyOf('/')).toContain("script-src 'self' 'wasm-unsafe-eval';");
    for (const path of ['/', '/stated.html', '/worker.js'])
      expect(await policyOf(path), path).not.toMatch(
        /script-src[^;]*(unsafe-inline|unsafe-eval(?<!wasm-unsafe-eval)|\*|https?:)/,
      );
    expect(await policyOf('/')).toContain("connect-src 'self';");
    expect(await policyOf('/worker.js')).toContain("connect-src 'self' https: http:");
  });

  it('isolates the page, and each worker from a file of its own, which inherits nothing', async () => {
    for (const path of ['/', '/worker.js', '/a.wasm', '/nope']) {
      const { headers } = await get(path);
      expect(headers.get('cross-origin-opener-policy'), path).toBe('same-origin');
      expect(headers.get('cross-origin-embedder-policy'), path).toBe('require-corp');
    }
  });

  it('refuses a taken port that was named, else takes the next', async () => {
    await expect(serve(folder, { port: server.port, strict: true })).rejects.toThrow(/is taken by another program/);
    const other = await serve(folder, { port: server.port, strict: false });
    expect(other.port).toBeGreaterThan(server.port);
    other.close();
  });
});
