// Typed remote calls over a message port, in both directions: each side serves methods by name and calls the other's. All calls of the lab
// to workers and child processes use it. Values must be structured-cloneable; a MessagePort among the arguments is transferred. Errors are
// converted by two functions that a higher layer provides.

export interface RpcPort {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

/** The worker's global scope, with type `Scope`, since tsconfig's DOM types only have a window's. */
export const workerScope = <Scope = RpcPort>(): Scope => self as unknown as Scope;

type Method = (...args: never[]) => unknown;
export type Methods = Readonly<Record<string, Method>>;
/** Methods whose types only the caller knows. */
export type AnyMethods = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** Arguments and result of a method of `Served`. */
export type Args<Served, Name extends keyof Served> = Served[Name] extends (...args: infer A) => unknown ? A : never;
export type Answer<Served, Name extends keyof Served> = Served[Name] extends (...args: never[]) => infer R
  ? Awaited<R>
  : never;

type Message =
  | { kind: 'call'; id: number; name: string; args: unknown[] }
  /** A one-way call. */
  | { kind: 'tell'; name: string; args: unknown[] }
  | { kind: 'value'; id: number; value: unknown }
  | { kind: 'error'; id: number; error: unknown };

export interface ErrorForms {
  write(error: unknown): unknown;
  read(written: unknown): Error;
}

/** `Theirs`: the methods that the other side serves. */
export interface Rpc<Theirs = AnyMethods> {
  call<Name extends keyof Theirs & string>(name: Name, ...args: Args<Theirs, Name>): Promise<Answer<Theirs, Name>>;
  /** Calls without an answer; only the other side sees an error. */
  tell<Name extends keyof Theirs & string>(name: Name, ...args: Args<Theirs, Name>): void;
  /** Fails every pending call, and every later one. */
  fail(error: Error): void;
  /** Resolves when none of the other side's calls is running. */
  served(): Promise<void>;
}

/** Takes over the port's onmessage. */
export function openRpc<Theirs = AnyMethods>(port: RpcPort, methods: Methods, errors: ErrorForms): Rpc<Theirs> {
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  const serving = new Set<Promise<Message>>();
  let next = 1;
  let failed: Error | null = null;
  const run = ({ name, args }: { name: string; args: unknown[] }): unknown => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (!method) throw new Error(`no method ${name}`);
    return (method as (...args: unknown[]) => unknown)(...args);
  };
  const serve = async (call: Extract<Message, { kind: 'call' }>): Promise<Message> => {
    try {
      return { kind: 'value', id: call.id, value: await run(call) };
    } catch (error) {
      return { kind: 'error', id: call.id, error: errors.write(error) };
    }
  };
  const post = (message: Message, args: readonly unknown[]) =>
    port.postMessage(
      message,
      args.filter((arg) => arg instanceof MessagePort),
    );
  port.onmessage = async ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'tell') {
      await run(data);
      return;
    }
    if (data.kind === 'call') {
      const served = serve(data);
      serving.add(served);
      const answer = await served;
      try {
        port.postMessage(answer);
      } catch (error) {
        // A value that cannot be cloned fails the call.
        port.postMessage({ kind: 'error', id: data.id, error: errors.write(error) } satisfies Message);
      }
      serving.delete(served);
      return;
    }
    const call = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.kind === 'value') call?.resolve(data.value as never);
    else call?.reject(errors.read(data.error));
  };
  return {
    call(name, ...args) {
      if (failed) return Promise.reject(failed);
      const id = next++;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        try {
          post({ kind: 'call', id, name, args }, args);
        } catch (error) {
          waiting.delete(id);
          reject(error);
        }
      });
    },
    tell: (name, ...args) => post({ kind: 'tell', name, args }, args),
    fail(error) {
      failed ??= error;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
    served: async () => void (await Promise.all(serving)),
  };
}
