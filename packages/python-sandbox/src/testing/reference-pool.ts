// The reference for a pool whose workers rewind their VM: the same worker with a new instance for every program. Each has one worker, so
// that programs run in the given order, and equal ones repeatedly.
import { createNodePool, type NodePoolOptions } from '../node-pool.node.ts';
import type { SandboxPool } from '../protocol.ts';
import { createPyodideNodePool } from '../pyodide-pool.node.ts';
import { pyodideStart } from '../pyodide-source.ts';
import { createPyodideVm } from '../pyodide-vm.ts';
import { micropythonStart, nodeWorkerSource } from '../sandbox-source.ts';
import { createVm } from '../vm.ts';

export interface BothPools {
  rewound: SandboxPool;
  fresh: SandboxPool;
  close(): Promise<void>;
}

const INTERPRETERS = {
  micropython: { create: createNodePool, start: micropythonStart, makeVm: createVm },
  cpython: { create: createPyodideNodePool, start: pyodideStart, makeVm: createPyodideVm },
};

export type Interpreter = keyof typeof INTERPRETERS;

/** `limits` bound the work, since the clock must not decide. */
export async function createBothPools(
  limits: NodePoolOptions['limits'],
  interpreter: Interpreter = 'micropython',
): Promise<BothPools> {
  const options = { workers: 1, timeLimitMs: 110_000, limits, equalOnce: false };
  const { create, start, makeVm } = INTERPRETERS[interpreter];
  const once = `(module, limits, parts) => { const { run } = (${makeVm})(module, limits, parts); return { run }; }`;
  const rewound = await create(options);
  const fresh = await create(options, nodeWorkerSource(start(once)));
  return {
    rewound,
    fresh,
    async close() {
      await rewound.close();
      await fresh.close();
    },
  };
}
