// The reference for a pool whose workers rewind their VM: the same worker with a new instance for every program. One worker each,
// so that programs run in the order in which they are given, and equal ones as often as they are given.
import { createNodePool, type NodePoolOptions } from '../node-pool.node.ts';
import type { SandboxPool } from '../protocol.ts';
import { micropythonStart, nodeWorkerSource } from '../sandbox-source.ts';
import { createVm } from '../vm.ts';

export interface BothPools {
  rewound: SandboxPool;
  fresh: SandboxPool;
  close(): Promise<void>;
}

/** `limits` bound the work, since the clock must not decide. */
export async function createBothPools(limits: NodePoolOptions['limits']): Promise<BothPools> {
  const options = { workers: 1, timeLimitMs: 110_000, limits, equalOnce: false };
  const once = `(module, limits, parts) => { const { run } = (${createVm})(module, limits, parts); return { run }; }`;
  const rewound = await createNodePool(options);
  const fresh = await createNodePool(options, nodeWorkerSource(micropythonStart(once)));
  return {
    rewound,
    fresh,
    async close() {
      await rewound.close();
      await fresh.close();
    },
  };
}
