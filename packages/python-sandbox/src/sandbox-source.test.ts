// What a browser's worker still has when the grader's code starts in it, in a context with what an isolated page would give it.
import { createContext, runInContext } from 'node:vm';
import { expect, it } from 'vitest';
import { browserWorkerSource } from './sandbox-source.ts';

it('a worker of an isolated frame has no SharedArrayBuffer by name, and keeps what the interpreter needs', () => {
  const scope: Record<string, unknown> = { postMessage() {}, addEventListener() {}, fetch() {}, SharedArrayBuffer };
  scope.self = scope;
  const names = ['SharedArrayBuffer', 'fetch', 'WebAssembly', 'ArrayBuffer'];
  const context = createContext(scope);
  runInContext(
    browserWorkerSource(`self.left = ${JSON.stringify(names)}.filter((name) => globalThis[name]);`),
    context,
  );
  expect(scope.left).toEqual(['WebAssembly', 'ArrayBuffer']);
});
