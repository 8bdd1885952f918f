// The script of every sandbox worker: receives programs, runs each in a new or rewound VM, and sends the results. The same text runs in a
// Node worker thread and in a worker of the sandboxed frame. Self-contained: see sandbox-source.ts.
import type { Limits, Program, RunResult } from './protocol.ts';
import type { Vm } from './vm.ts';

export type ToSandbox =
  /** `assets`: further parts of an interpreter by name, including the `boot` of an earlier worker. */
  | { kind: 'init'; module: WebAssembly.Module; limits: Limits; assets?: Record<string, unknown> }
  | { kind: 'run'; id: number; program: Program };

export type FromSandbox =
  /** `boot`: a state from which later workers can start, made before any program ran. */
  | { kind: 'ready'; boot?: unknown }
  | { kind: 'failed'; message: string }
  | { kind: 'result'; id: number; result: RunResult };

/** How the worker sends and receives messages. */
interface SandboxEndpoint {
  post(message: FromSandbox): void;
  listen(handler: (message: ToSandbox) => void): void;
}

export function serveSandbox<Parts extends { boot?: unknown }>(
  endpoint: SandboxEndpoint,
  makeVm: (module: WebAssembly.Module, limits: Limits, parts: Parts) => Vm,
  parts: Parts,
): void {
  let module: WebAssembly.Module | null = null;
  let limits: Limits | null = null;
  let last: Vm | null = null;
  const run = (program: Program): RunResult => {
    if (module === null || limits === null) throw new Error('not initialised');
    const before = last;
    // A run that throws an error leaves no VM behind.
    last = null;
    const vm = before?.rewind?.() ? before : makeVm(module, limits, parts);
    const result = vm.run(program);
    last = vm;
    return result;
  };
  endpoint.listen((message) => {
    if (message.kind === 'init') {
      try {
        module = message.module;
        limits = message.limits;
        Object.assign(parts, message.assets);
        const boots = parts.boot === undefined;
        // Compiles what every program uses, and checks the layout of this .wasm, before the first time limit starts.
        run({ source: 'pass', steps: [{ do: 'module' }] });
        endpoint.post(boots && parts.boot !== undefined ? { kind: 'ready', boot: parts.boot } : { kind: 'ready' });
      } catch (error) {
        endpoint.post({ kind: 'failed', message: String(error) });
      }
      return;
    }
    let result: RunResult;
    try {
      result = run(message.program);
    } catch {
      const outcomes = message.program.steps.map(() => ({ end: 'skipped' as const }));
      result = { killed: 'crash', outcomes, stdout: '', files: [] };
    }
    endpoint.post({ kind: 'result', id: message.id, result });
  });
}
