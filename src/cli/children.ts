// Children of a command: processes that run this same program with other arguments and end with it. Both sides call each other's
// methods over the process's channel (lib/rpc.ts). The runs of a sweep and of an experiment are shared out among them.
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { DeviceError, LabError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { diskError } from '@projected-grpo-lab/base/files/disk.node.ts';
import { fromWireError, toWireError, type WireError } from '../lab/protocol/wire-error.ts';
import { type ErrorForms, type Methods, openRpc, type Rpc, type RpcPort } from '../lib/rpc.ts';
import { areChildrenStopping, keepLifeline, LIFELINE } from './lifeline.ts';

/** Errors as they cross to a child and back: the lab's keep class and remedy, a fault in the program its whole stack. */
export const CHILD_ERRORS: ErrorForms = {
  write(raw): WireError {
    const error = diskError(raw);
    const wire = toWireError(error);
    return error instanceof LabError ? wire : { ...wire, message: explain(error), remedy: '' };
  },
  read(written) {
    const wire = written as WireError;
    return wire.remedy === '' ? new Error(wire.message) : fromWireError(wire);
  },
};

/** The port of an rpc, and the parent's hold on the process. */
export interface Child {
  port: RpcPort;
  /** Resolves when it is ready for calls. Rejects when it ends before. */
  ready: Promise<void>;
  /** Called once, when it ends by itself. */
  onEnd(ended: (error: DeviceError | StoppedError) => void): void;
  close(): Promise<void>;
}

/** `remedy`: advice for when it ends by itself. */
export function startChild(args: readonly string[], remedy: string): Child {
  const [, script] = process.argv;
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'] as const;
  const env = { ...process.env, [LIFELINE]: String(stdio.indexOf('pipe')) };
  const child = fork(script, [...args], { stdio: [...stdio], serialization: 'advanced', env });
  keepLifeline(child.stdio[stdio.indexOf('pipe')] as Socket);
  const endings: ((error: DeviceError | StoppedError) => void)[] = [];
  child.once('exit', (code, signal) => {
    const error =
      signal === 'SIGINT' || signal === 'SIGTERM' || code === 130 || areChildrenStopping()
        ? new StoppedError()
        : new DeviceError(`A worker process ended (${signal ?? `code ${code}`}).`, remedy);
    for (const ended of endings.splice(0)) ended(error);
  });
  const port = portOf(child);
  return {
    port,
    ready: new Promise((resolve, reject) => {
      endings.push(reject);
      child.once('message', () => resolve());
    }),
    onEnd: (ended) => void endings.push(ended),
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}

const READY = 'ready';

/** A process's channel as an rpc takes it. A message to a process that has gone is lost; its end is reported separately. */
function portOf(process_: ChildProcess | NodeJS.Process): RpcPort {
  const port: RpcPort = {
    // A channel looks open until its end is reported: a failure to write is caught here, and does not end this process.
    postMessage: (message) => void (process_.connected && process_.send?.(message as object, undefined, {}, () => {})),
    onmessage: null,
  };
  process_.on('message', (data: unknown) => {
    if (data !== READY) port.onmessage?.({ data } as MessageEvent);
  });
  return port;
}

/** The child's side: `serve` answers on the port until the parent is gone; then `stop` is aborted, work that has begun ends, and this
 *  resolves. */
export async function serveParent(serve: (port: RpcPort) => Rpc, stop: AbortController): Promise<void> {
  const gone = new Promise<void>((resolve) => void process.once('disconnect', () => resolve()));
  const rpc = serve(portOf(process));
  process.send?.(READY);
  await gone;
  stop.abort(new StoppedError());
  rpc.fail(new StoppedError());
  await rpc.served();
}

/** A child that serves `methods` under the same names, and may call the parent's. */
export async function callChild(child: Child, methods: Methods): Promise<Rpc> {
  const rpc = openRpc(child.port, methods, CHILD_ERRORS);
  child.onEnd((error) => rpc.fail(error));
  await child.ready;
  return rpc;
}

/** A failure in one text, for people. */
export function explain(raw: unknown): string {
  const error = diskError(raw);
  if (error instanceof LabError) return `${error.message} ${error.remedy}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
