// Opens the grader's iframe in a page. It has an opaque origin and a policy that allows only workers from text and WebAssembly: no
// network, no storage, no access to the page. The frame only relays; the pool outside decides (pool-grader.ts), and the port that the
// pool needs can be transferred to a worker. The page opens the frame, since workers have none. The frame's side is frame-script.js.
//
// frame-script.js is the frame's only script: plain JavaScript, taken as text, since its hash stands in the page's policy, which the frame
// inherits (scripts/tool/policy.mjs), so that no build may change a character of it. Its comments are here, because the first load carries
// that text. It relays: the page gives it, once, a port, the interpreter's bytes and the script of its workers; from then on the port says
// which workers to start, to talk to and to end. Until that message nothing of it answers, and only the page can send it: another frame or
// window that reaches this one must not become the one that decides what is run here. Its workers come from data: addresses, since WebKit
// refuses blobs to an opaque origin under an embedder policy; such a worker has an opaque origin of its own besides, and is never
// cross-origin isolated.
import wasmUrl from '@micropython/micropython-webassembly-pyscript/micropython.wasm?url';
import frameScript from './frame-script.js?raw';
import type { MeteredOptions } from './meter.ts';
import type { FromMeter, ToMeter } from './meter-worker.ts';
import { GraderError } from './pool.ts';
import { MICROPYTHON_METER } from './protocol.ts';
import { browserWorkerSource } from './sandbox-source.ts';
import type { FromSandbox, ToSandbox } from './sandbox-worker.ts';

/** Messages from the pool to the frame: start, message or terminate the worker `worker`. */
export type ToFrame =
  | { kind: 'spawn'; worker: number; limits: Extract<ToSandbox, { kind: 'init' }>['limits'] }
  | { kind: 'post'; worker: number; message: Extract<ToSandbox, { kind: 'run' }> }
  | { kind: 'terminate'; worker: number };

export type FromFrame =
  | { kind: 'message'; worker: number; message: FromSandbox }
  | { kind: 'died'; worker: number; reason: string };

/**
 * The frame's policy. It applies in addition to the page's own, which the frame inherits and which must allow the same
 * (scripts/tool/policy.mjs).
 */
export const FRAME_POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src data:; connect-src 'none'";
const OPEN_LIMIT_MS = 30_000;

/** What a frame needs to start workers: the interpreter's bytes, since it cannot fetch. */
export interface Interpreter {
  wasm: ArrayBuffer;
  /** Further parts of the interpreter, by name (see ToSandbox). */
  assets?: Record<string, unknown>;
}

/** Fetches one of the app's own files. Throws GraderError. */
export async function fetchPart(url: string): Promise<ArrayBuffer> {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await response.arrayBuffer();
  } catch (cause) {
    throw new GraderError(`The Python interpreter could not be loaded from ${url}.`, 'Reload the page.', { cause });
  }
}

/** Fetches an interpreter from the app's own files; a worker adds the meter to it. Throws GraderError. */
export async function fetchInterpreter(url: string, options?: MeteredOptions): Promise<ArrayBuffer> {
  const wasm = await fetchPart(url);
  const worker = new Worker(new URL('./meter-worker.ts', import.meta.url), { type: 'module', name: 'meter' });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FromMeter>) =>
        'wasm' in data ? resolve(data.wasm) : reject(new GraderError(data.message, data.remedy));
      worker.onerror = ({ message }) =>
        reject(new GraderError(`The Python interpreter could not be prepared: ${message || url}.`, 'Reload the page.'));
      worker.postMessage({ wasm, options } satisfies ToMeter, [wasm]);
    });
  } finally {
    worker.terminate();
  }
}

export interface GraderFrame {
  /** For createPortGrader, here or in a worker; messages sent before the frame is open are queued. */
  port: MessagePort;
  /** Rejects with a GraderError if the frame does not open: then no message on the port is ever answered. */
  opened: Promise<void>;
}

/** MicroPython's frame, which is added to the page and lives as long as it. */
export const openGraderFrame = (): GraderFrame =>
  openSandboxFrame(browserWorkerSource(), async () => ({ wasm: await fetchInterpreter(wasmUrl, MICROPYTHON_METER) }));

/** `workerSource` is the script of every worker in the frame. */
export function openSandboxFrame(workerSource: string, load: () => Promise<Interpreter>): GraderFrame {
  const { port1, port2 } = new MessageChannel();
  return { port: port1, opened: openFrame(port2, workerSource, load) };
}

async function openFrame(port: MessagePort, workerSource: string, load: () => Promise<Interpreter>): Promise<void> {
  const interpreter = await load();
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.title = 'Python sandbox';
  frame.hidden = true;
  frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${FRAME_POLICY}"><script>${frameScript}</script>`;
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  document.body.append(frame);
  await loaded;

  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => finish(`no answer within ${OPEN_LIMIT_MS} ms`), OPEN_LIMIT_MS);
      const finish = (answer: string): void => {
        clearTimeout(timer);
        removeEventListener('message', listen);
        if (answer === 'open') resolve();
        else
          reject(new GraderError(`The Python sandbox did not open: ${answer}.`, 'Use a current browser, and reload.'));
      };
      const listen = (event: MessageEvent): void => {
        if (event.source === frame.contentWindow) finish(String(event.data));
      };
      addEventListener('message', listen);
      frame.contentWindow?.postMessage({ ...interpreter, workerSource }, '*', [interpreter.wasm, port]);
    });
  } catch (error) {
    frame.remove();
    throw error;
  }
}
