// The sandboxed frame's script, run in a context of its own with a page, workers and ports of the test's.
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
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
  const started: { sent: unknown[]; ended: boolean }[] = [];
  const listeners = new Set<(event: Sent) => Promise<void>>();
  const page = { postMessage: (message: unknown) => toPage.push(message) };
  class FakeWorker {
    sent: unknown[] = [];
    ended = false;
    constructor() {
      started.push(this);
    }
    postMessage(message: unknown): void {
      this.sent.push(message);
    }
    terminate(): void {
      this.ended = true;
    }
  }
  const context = createContext({
    parent: page,
    Worker: FakeWorker,
    WebAssembly,
    Blob,
    URL: { createObjectURL: () => 'blob:worker' },
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
  return { page, toPage, started, port, send };
}

const start = { workerSource: '', wasm: WASM };
const spawn = { data: { kind: 'spawn', worker: 1, limits: {} } };

describe('the script of the sandboxed frame', () => {
  it('takes its first message from the page alone, whoever speaks first', async () => {
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

    // Once open it hears its port and nothing else.
    const late = port();
    await send({ source: page, ports: [late], data: start });
    expect(late.onmessage).toBeUndefined();
    own.onmessage!({ data: { kind: 'terminate', worker: 1 } });
    expect(started[0].ended).toBe(true);
  });

  it('says why it cannot open', async () => {
    const { page, toPage, port, send } = openFrame();
    await send({ source: page, ports: [port()], data: { ...start, wasm: new ArrayBuffer(3) } });
    expect(toPage).toEqual([expect.stringContaining('CompileError')]);
  });

  it('stands in a document as it is: no tag or comment of HTML in it, so that its hash is that of its file', () => {
    expect(script).not.toMatch(/<\/script|<!--|<script/i);
    expect(script).not.toContain('\r');
  });
});
