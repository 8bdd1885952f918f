// The Grader over the port of a sandboxed frame. Runs in the page or in its worker; the same pool and judge as in Node.
import type { Grader } from '../types.ts';
import type { FromFrame, ToFrame } from './browser-frame.ts';
import { createPool, type PoolOptions, type SandboxEvents, type SandboxHandle, TIME_LIMIT_MS } from './pool.ts';
import { createPoolGrader } from './pool-grader.ts';
import { DEFAULT_LIMITS, type Limits } from './protocol.ts';

export interface PortGraderOptions {
  /** Workers in the frame. Default 2. */
  workers?: number;
  /** The backstop behind Limits.work: wall-clock milliseconds for one program. Default 15,000. */
  timeLimitMs?: number;
  limits?: Partial<Limits>;
  /** Of the pool (PoolOptions), where the interpreter in the frame is not MicroPython. */
  pool?: Pick<PoolOptions, 'ahead' | 'secondChance' | 'equalOnce'>;
  /** The grader's name in frozen labels; default MicroPython's. */
  version?: string;
}

/** Takes the port that openGraderFrame gave; closing the grader closes it. */
export function createPortGrader(port: MessagePort, options: PortGraderOptions = {}): Grader {
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
  const { workers = 2, timeLimitMs = TIME_LIMIT_MS, version, pool } = options;
  const grader = createPoolGrader(createPool({ spawn, workers, timeLimitMs, equalOnce: true, ...pool }), version);
  return {
    ...grader,
    async close() {
      await grader.close();
      port.close();
    },
  };
}
