// Pyodide's pool in Node: the same sandbox threads as MicroPython's, with CPython in them.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { metered } from './meter.ts';
import { type NodePoolOptions, sandboxThread } from './node-pool.node.ts';
import { createPool, GraderError, type SandboxEvents, type SandboxHandle } from './pool.ts';
import type { SandboxPool } from './protocol.ts';
import { PYODIDE_LIMITS, PYODIDE_METER, PYODIDE_POOL, PYODIDE_TIME_LIMIT_MS } from './pyodide-limits.ts';
import { pyodideStart } from './pyodide-source.ts';
import { nodeWorkerSource } from './sandbox-source.ts';

interface PyodideFiles {
  module: WebAssembly.Module;
  stdlib: Uint8Array;
}

/** The loaded files are shared by all pools, which never change them, since metering and compiling take a second. */
let loaded: Promise<PyodideFiles> | undefined;

/** Pyodide from node_modules, read and compiled once. Throws GraderError if it is missing or damaged. */
export function loadPyodideFiles(): Promise<PyodideFiles> {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(): Promise<PyodideFiles> {
  const { resolve } = createRequire(import.meta.url);
  try {
    const [wasm, stdlib] = await Promise.all([
      readFile(resolve('pyodide/pyodide.asm.wasm')),
      readFile(resolve('pyodide/python_stdlib.zip')),
    ]);
    return { module: await WebAssembly.compile(metered(wasm, PYODIDE_METER)), stdlib: new Uint8Array(stdlib) };
  } catch (cause) {
    throw new GraderError('Pyodide could not be loaded.', 'Run npm ci in the project folder.', { cause });
  }
}

/** `source` is the workers' script. */
export async function createPyodideNodePool(
  options: NodePoolOptions = {},
  source = nodeWorkerSource(pyodideStart()),
): Promise<SandboxPool> {
  const { module, stdlib } = await loadPyodideFiles();
  const limits = { ...PYODIDE_LIMITS, ...options.limits };
  // A CPython frame that goes through C (a memoised recursion) takes some 5 kB of this stack.
  const resources = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 64 };
  // Starting CPython takes a second or two; later workers start from the memory of the first one after its start.
  let boot: unknown;
  const spawn = (events: SandboxEvents): SandboxHandle =>
    sandboxThread(source, { kind: 'init', module, limits, assets: { stdlib, boot } }, resources, {
      ...events,
      message(message) {
        if (message.kind === 'ready') boot ??= message.boot;
        events.message(message);
      },
    });
  const { workers = 2, timeLimitMs = PYODIDE_TIME_LIMIT_MS, equalOnce = true } = options;
  return createPool({ spawn, workers, timeLimitMs, ...PYODIDE_POOL, equalOnce });
}
