// A pool over the port of a sandboxed frame. Runs in the page or in its worker; the same pool as in Node.
import type { FromFrame, ToFrame } from './browser-frame.ts';
import { createPool, type PoolOptions, type SandboxEvents, type SandboxHandle, TIME_LIMIT_MS } from './pool.ts';
import type { SandboxPool } from './protocol.ts';
import { DEFAULT_LIMITS, type Limits } from './protocol.ts';
import { PYODIDE_LIMITS, PYODIDE_POOL, PYODIDE_TIME_LIMIT_MS } from './pyodide-limits.ts';

export interface PortPoolOptions {
  /** Number of workers in the frame. Default 2. */
  workers?: number;
  /** Wall-clock limit of a program in milliseconds, in case Limits.work does not end it. Default 15,000. */
  timeLimitMs?: number;
  limits?: Partial<Limits>;
  /** Options of the pool (PoolOptions), if the interpreter in the frame is not MicroPython. */
  pool?: Pick<PoolOptions, 'prefetch' | 'secondChance' | 'equalOnce'>;
}

/** Takes the port returned by openGraderFrame; closing the pool closes it. */
export function createPortPool(port: MessagePort, options: PortPoolOptions = {}): SandboxPool {
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const listeners = new Map<number, SandboxEvents>();
  let nextWorker = 1;
  const send = (message: ToFrame): void => port.postMessage(message);
  port.onmessage = ({ data }: MessageEvent<FromFrame>) => {
    const events = listeners.get(data.worker);
    if (data.kind === 'message') events?.message(data.message);
    else events?.died(data.reason);
  };
  const spawn = (events: SandboxEvents): SandboxHandle => {
    const worker = nextWorker++;
    listeners.set(worker, events);
    send({ kind: 'spawn', worker, limits });
    return {
      post: (message) => send({ kind: 'post', worker, message }),
      terminate() {
        listeners.delete(worker);
        send({ kind: 'terminate', worker });
      },
    };
  };
  const { workers = 2, timeLimitMs = TIME_LIMIT_MS, pool } = options;
  const made = createPool({ spawn, workers, timeLimitMs, equalOnce: true, ...pool });
  return {
    ...made,
    async close() {
      await made.close();
      port.close();
    },
  };
}

/** The same for the port of Pyodide's frame; separate from the frame, so that a worker can use it without code of the page. */
export function createPyodidePortPool(port: MessagePort, options: PortPoolOptions = {}): SandboxPool {
  return createPortPool(port, {
    timeLimitMs: PYODIDE_TIME_LIMIT_MS,
    ...options,
    limits: { ...PYODIDE_LIMITS, ...options.limits },
    pool: PYODIDE_POOL,
  });
}
