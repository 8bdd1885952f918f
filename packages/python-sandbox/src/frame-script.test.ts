// Runs the sandboxed frame's script in its own context with a simulated page, workers and ports.
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { FRAME_POLICY } from './browser-frame.ts';
import script from './frame-script.js?raw';

interface Sent {
  source: unknown;
  ports: { postMessage(message: unknown): void; onmessage?: (event: { data: unknown }) => void }[];
  data: unknown;
}

/** The smallest WebAssembly module. */
const WASM = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]).buffer;

function openFrame() {
  const toPage: unknown[] = [];
  const started: { url: string; sent: unknown[]; ended: boolean }[] = [];
  const listeners = new Set<(event: Sent) => Promise<void>>();
  const page = { postMessage: (message: unknown) => toPage.push(message) };
  class FakeWorker {
    sent: unknown[] = [];
    ended = false;
    constructor(readonly url: string) {
      started.push(this);
    }
    postMessage(message: unknown): void {
      this.sent.push(message);
    }
    terminate(): void {
      this.ended = true;
    }
  }
  const wasm: Record<string, unknown> = { compile: WebAssembly.compile, Memory: WebAssembly.Memory };
  const context = createContext({
    parent: page,
    Worker: FakeWorker,
    // The context needs its own WebAssembly, since the script removes Memory from it.
    WebAssembly: wasm,
    SharedArrayBuffer,
    encodeURIComponent,
    addEventListener: (_: string, listener: (event: Sent) => Promise<void>) => listeners.add(listener),
    removeEventListener: (_: string, listener: (event: Sent) => Promise<void>) => listeners.delete(listener),
  });
  runInContext(script, context);
  const port = (): Sent['ports'][number] & { heard: unknown[] } => {
    const heard: unknown[] = [];
    return { heard, postMessage: (message) => heard.push(message) };
  };
  const send = async (event: Sent) => {
    for (const listener of [...listeners]) await listener(event);
  };
  return { page, toPage, started, port, send, wasm, context };
}

const start = { workerSource: '', wasm: WASM };
const spawn = { data: { kind: 'spawn', worker: 1, limits: {} } };

describe('the script of the sandboxed frame', () => {
  it('removes shared memory from the frame', async () => {
    const { page, port, send, wasm, context } = openFrame();
    await send({ source: page, ports: [port()], data: start });
    expect([Object.keys(wasm), 'SharedArrayBuffer' in context]).toEqual([['compile'], false]);
  });

  it('accepts its first message only from the page, whoever sends one earlier', async () => {
    const { page, toPage, started, port, send } = openFrame();
    const foreign = port();
    await send({ source: { postMessage() {} }, ports: [foreign], data: start });
    await send({ source: null, ports: [foreign], data: start });
    expect(toPage).toEqual([]);
    expect(foreign.onmessage).toBeUndefined();

    const own = port();
    await send({ source: page, ports: [own], data: start });
    expect(toPage).toEqual(['open']);
    own.onmessage!(spawn);
    expect(started).toHaveLength(1);

    // Once open, the frame listens only to its port.
    const late = port();
    await send({ source: page, ports: [late], data: start });
    expect(late.onmessage).toBeUndefined();
    own.onmessage!({ data: { kind: 'terminate', worker: 1 } });
    expect(started[0]?.ended).toBe(true);
  });

  it('starts its workers from data: addresses, which its policy allows only for workers', async () => {
    const { page, started, port, send } = openFrame();
    const own = port();
    // Characters that an address could misinterpret: a fragment, an escape, a line end, a non-Latin letter.
    const workerSource = '// #1 %41\nself.x = "ω";';
    await send({ source: page, ports: [own], data: { ...start, workerSource } });
    own.onmessage!(spawn);
    const url = started[0]?.url ?? '';
    expect(url).toMatch(/^data:text\/javascript;/);
    expect(await (await fetch(url)).text()).toBe(workerSource);
    expect(FRAME_POLICY).toContain('worker-src data:;');
    // Nothing else in the frame may run such an address, and no address with an origin may start a worker.
    expect(FRAME_POLICY.match(/data:/g)).toHaveLength(1);
    expect(FRAME_POLICY).not.toContain('blob:');
  });

  it('reports why it cannot open', async () => {
    const { page, toPage, port, send } = openFrame();
    await send({ source: page, ports: [port()], data: { ...start, wasm: new ArrayBuffer(3) } });
    expect(toPage).toEqual([expect.stringContaining('CompileError')]);
  });

  it('contains no HTML tag or comment, so that its hash in a document is that of its file', () => {
    expect(script).not.toMatch(/<\/script|<!--|<script/i);
    expect(script).not.toContain('\r');
  });
});
