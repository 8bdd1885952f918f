// Calls over a message port, in both directions: each side serves methods by name and calls the other's. Values are what structured
// clone carries. A call's failure comes back through the two functions that a layer above gives for its own errors.

export interface RpcPort {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

/** The scope of the worker that this code runs in. tsconfig's DOM types know a window's scope only; `Scope` is what a worker's has of it. */
export const workerScope = <Scope = RpcPort>(): Scope => self as unknown as Scope;

type Method = (...args: never[]) => unknown;
export type Methods = Readonly<Record<string, Method>>;
type Message =
  | { kind: 'call'; id: number; name: string; args: unknown[] }
  | { kind: 'value'; id: number; value: unknown }
  | { kind: 'error'; id: number; error: unknown };

export interface ErrorForms {
  write(error: unknown): unknown;
  read(written: unknown): Error;
}

export interface Rpc {
  call<T>(name: string, ...args: unknown[]): Promise<T>;
  /** Every call that waits for an answer, and every later one, fails with it. */
  fail(error: Error): void;
  /** When nothing is at work of what the other side has called. */
  served(): Promise<void>;
}

/** Takes the port's onmessage. */
export function openRpc(port: RpcPort, methods: Methods, errors: ErrorForms): Rpc {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const serving = new Set<Promise<Message>>();
  let next = 1;
  let failed: Error | null = null;
  const serve = async ({ id, name, args }: Extract<Message, { kind: 'call' }>): Promise<Message> => {
    try {
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (!method) throw new Error(`no method ${name}`);
      return { kind: 'value', id, value: await (method as (...args: unknown[]) => unknown)(...args) };
    } catch (error) {
      return { kind: 'error', id, error: errors.write(error) };
    }
  };
  port.onmessage = async ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'call') {
      const served = serve(data);
      serving.add(served);
      port.postMessage(await served);
      serving.delete(served);
      return;
    }
    const call = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.kind === 'value') call?.resolve(data.value);
    else call?.reject(errors.read(data.error));
  };
  return {
    call<T>(name: string, ...args: unknown[]): Promise<T> {
      if (failed) return Promise.reject(failed);
      const id = next++;
      return new Promise<T>((resolve, reject) => {
        waiting.set(id, { resolve: (value) => resolve(value as T), reject });
        port.postMessage({ kind: 'call', id, name, args } satisfies Message);
      });
    },
    fail(error) {
      failed ??= error;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
    served: async () => void (await Promise.all(serving)),
  };
}
