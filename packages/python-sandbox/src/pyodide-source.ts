// Pyodide's part of a sandbox worker's script, as text, within the same frame as MicroPython's (sandbox-source.ts). A separate module, so
// that a page without real problems never loads it.
import { createFileCalls } from './file-calls.ts';
import { createMemoryFs } from './memory-fs.ts';
import { createPyodideClock } from './pyodide-clock.ts';
import { createPyodideImports } from './pyodide-imports.ts';
import { createLibraryFs } from './pyodide-library.ts';
import { createPyodideVm } from './pyodide-vm.ts';
import { PYODIDE_WARM } from './pyodide-warm.ts';
import { serveSandbox } from './sandbox-worker.ts';

const PARTS = `{ createMemoryFs: (${createMemoryFs}), createLibraryFs: (${createLibraryFs}), createCalls: (${createFileCalls}), createImports: (${createPyodideImports}), createClock: (${createPyodideClock}), warm: ${JSON.stringify(PYODIDE_WARM)} }`;

/** `makeVm` is the text of a function like createPyodideVm. */
export const pyodideStart = (makeVm = String(createPyodideVm)): string =>
  `(${serveSandbox})(endpoint, (${makeVm}), ${PARTS});`;
