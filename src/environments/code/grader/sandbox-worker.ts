// The script of every sandbox worker: takes programs, gives each a VM of its own, answers with what it did. The same text
// runs in a Node worker thread and in a blob worker of the sandboxed frame. Self-contained: see sandbox-source.ts.
import type { Limits, Program, RunResult } from './protocol.ts';
import type { createVm, VmParts } from './vm.ts';

export type ToSandbox =
  | { kind: 'init'; module: WebAssembly.Module; limits: Limits }
  | { kind: 'run'; id: number; program: Program };

export type FromSandbox =
  | { kind: 'ready' }
  | { kind: 'failed'; message: string }
  | { kind: 'result'; id: number; result: RunResult };

/** What the worker's platform gives: a way out and a way in. */
export interface SandboxEndpoint {
  post(message: FromSandbox): void;
  listen(handler: (message: ToSandbox) => void): void;
}

export function serveSandbox(endpoint: SandboxEndpoint, makeVm: typeof createVm, parts: VmParts): void {
  let module: WebAssembly.Module | null = null;
  let limits: Limits | null = null;
  endpoint.listen((message) => {
    if (message.kind === 'init') {
      try {
        module = message.module;
        limits = message.limits;
        // Compiles what every program uses, and proves that this .wasm is understood, before the first time limit runs.
        makeVm(module, limits, parts).run({ source: 'pass', steps: [{ do: 'module' }] });
        endpoint.post({ kind: 'ready' });
      } catch (error) {
        endpoint.post({ kind: 'failed', message: String(error) });
      }
      return;
    }
    let result: RunResult;
    try {
      if (module === null || limits === null) throw new Error('not initialised');
      result = makeVm(module, limits, parts).run(message.program);
    } catch {
      const outcomes = message.program.steps.map(() => ({ end: 'skipped' as const }));
      result = { killed: 'crash', outcomes, stdout: '', files: [] };
    }
    endpoint.post({ kind: 'result', id: message.id, result });
  });
}
