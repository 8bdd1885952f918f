// The grader's home in a page: an iframe with an opaque origin and a policy that allows it blob workers and WebAssembly,
// and nothing else: no network, no storage, no reach into the page. The frame only relays; the pool outside decides
// (port-grader.ts), and the port that it needs can be transferred to a worker. Opened by the page, since workers have no
// frames.
import wasmUrl from '@micropython/micropython-webassembly-pyscript/micropython.wasm?url';
import { GraderError } from './pool.ts';
import { browserWorkerSource } from './sandbox-source.ts';
import type { FromSandbox, ToSandbox } from './sandbox-worker.ts';

/** From the pool to the frame: start, talk to and end the worker `worker`. */
export type ToFrame =
  | { kind: 'spawn'; worker: number; limits: Extract<ToSandbox, { kind: 'init' }>['limits'] }
  | { kind: 'post'; worker: number; message: Extract<ToSandbox, { kind: 'run' }> }
  | { kind: 'terminate'; worker: number };

export type FromFrame =
  | { kind: 'message'; worker: number; message: FromSandbox }
  | { kind: 'died'; worker: number; reason: string };

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; connect-src 'none'";
const OPEN_LIMIT_MS = 30_000;

/** What a frame needs to start workers: the interpreter's bytes, since nothing in it can fetch. */
export interface Interpreter {
  wasm: ArrayBuffer;
  /** What else it is made of, by name (see ToSandbox). */
  assets?: Record<string, unknown>;
}

/** Runs inside the frame. Self-contained: its text is the frame's only script. */
function relay(workerSource: string): void {
  const url = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
  const workers = new Map<number, Worker>();
  addEventListener(
    'message',
    async (event) => {
      const port = event.ports[0];
      const send = (message: unknown): void => port.postMessage(message);
      try {
        const { wasm, assets } = event.data as Interpreter;
        const module = await WebAssembly.compile(wasm);
        // Where later workers start from: made by the first one before it ran a program, and kept inside the frame.
        let boot: unknown;
        port.onmessage = ({ data }) => {
          if (data.kind === 'spawn') {
            const worker = new Worker(url);
            workers.set(data.worker, worker);
            worker.onmessage = (reply) => {
              if (reply.data.kind === 'ready') boot ??= reply.data.boot;
              const message = reply.data.kind === 'ready' ? { kind: 'ready' } : reply.data;
              send({ kind: 'message', worker: data.worker, message });
            };
            worker.onerror = (error) => send({ kind: 'died', worker: data.worker, reason: error.message });
            const parts = boot === undefined ? assets : { ...assets, boot };
            worker.postMessage({ kind: 'init', module, limits: data.limits, assets: parts });
          } else if (data.kind === 'post') workers.get(data.worker)?.postMessage(data.message);
          else {
            workers.get(data.worker)?.terminate();
            workers.delete(data.worker);
          }
        };
        parent.postMessage('open', '*');
      } catch (error) {
        parent.postMessage(String(error), '*');
      }
    },
    { once: true },
  );
}

/** A script's text that no HTML parser ends early. */
const inline = (script: string): string => script.replaceAll('</', '<\\/').replaceAll('<!--', '<\\!--');

/** One of the app's own files. Throws GraderError. */
export async function fetchPart(url: string): Promise<ArrayBuffer> {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await response.arrayBuffer();
  } catch (cause) {
    throw new GraderError(`The Python interpreter could not be loaded from ${url}.`, 'Reload the page.', { cause });
  }
}

export interface GraderFrame {
  /** For createPortGrader, here or in a worker; what is sent before the frame is open waits in it. */
  port: MessagePort;
  /** Rejects with a GraderError when the frame does not come up: then nothing on the port is ever answered. */
  opened: Promise<void>;
}

/** MicroPython's frame: added to the page, it lives as long as the page. */
export const openGraderFrame = (): GraderFrame =>
  openSandboxFrame(browserWorkerSource(), async () => ({ wasm: await fetchPart(wasmUrl) }));

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
  const script = inline(`(${relay})(${JSON.stringify(workerSource)})`);
  frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><script>${script}</script>`;
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
      frame.contentWindow?.postMessage(interpreter, '*', [interpreter.wasm, port]);
    });
  } catch (error) {
    frame.remove();
    throw error;
  }
}
