// Tests which globals a browser's worker still has when the grader's code starts, in a context with those of an isolated page.
import { createContext, runInContext } from 'node:vm';
import { expect, it } from 'vitest';
import { browserWorkerSource } from './sandbox-source.ts';

/** Globals that exist where `start` runs. The smallest module and an empty memory stand for those of an interpreter. */
function resultOf(start: string): unknown {
  const scope: Record<string, unknown> = { postMessage() {}, addEventListener() {}, fetch() {}, SharedArrayBuffer };
  scope.self = scope;
  const context = createContext(scope);
  runInContext(
    'self.given = [new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)), new WebAssembly.Memory({ initial: 1 })];',
    context,
  );
  runInContext(browserWorkerSource(start), context);
  return scope.left;
}

it('a worker of an isolated frame has no shared memory by name, and keeps what the interpreter needs', () => {
  const names = ['SharedArrayBuffer', 'fetch', 'WebAssembly', 'ArrayBuffer'];
  expect(resultOf(`self.left = ${JSON.stringify(names)}.filter((name) => globalThis[name]).join();`)).toBe(
    'ArrayBuffer',
  );
  expect(resultOf('self.left = Object.keys(WebAssembly).join();')).toBe('Instance,Global,Module');
});

it('the interpreter’s objects lead to no constructor of WebAssembly', () => {
  const made = 'self.left = self.given.map((one) => Object.getPrototypeOf(one).constructor?.name ?? "none").join();';
  // A prototype without the method inherits that of Object.
  expect(resultOf(made)).toBe('Object,Object');
  expect(resultOf(`self.left = typeof (() => {}).constructor('return globalThis.WebAssembly')();`)).toBe('undefined');
});
