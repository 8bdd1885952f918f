// CPython in a page: the same sandboxed frame as MicroPython's, with Pyodide's two files as bytes. Loaded only with real problems, since it
// takes some 12 MB.
import wasmUrl from 'pyodide/pyodide.asm.wasm?url';
import stdlibUrl from 'pyodide/python_stdlib.zip?url';
import { fetchInterpreter, fetchPart, type GraderFrame, openSandboxFrame } from './browser-frame.ts';
import { PYODIDE_METER } from './pyodide-limits.ts';
import { pyodideStart } from './pyodide-source.ts';
import { browserWorkerSource } from './sandbox-source.ts';

/** Adds the frame to the page; its port is for createPyodidePortGrader (pool-grader.ts), here or in a worker. */
export function openPyodideFrame(): GraderFrame {
  return openSandboxFrame(browserWorkerSource(pyodideStart()), async () => {
    const [wasm, stdlib] = await Promise.all([fetchInterpreter(wasmUrl, PYODIDE_METER), fetchPart(stdlibUrl)]);
    return { wasm, assets: { stdlib: new Uint8Array(stdlib) } };
  });
}
