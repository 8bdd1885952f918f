// The worker's handlers for teacher pools: a part of the table in handlers.ts.

import type { PoolBuild } from '../../experiments/pools/build.ts';
import type { PoolFormat, PoolTeacher } from '../protocol/pools.ts';
import type { HandlerParts } from '../work/parts.ts';

// Few visits build or import a pool, so this code is loaded on demand.
const loadPoolBuilder = () => import('../work/pool-builder.ts');
const loadPoolFiles = () => import('../records/pool-files.ts');

export function createPoolHandlers({ lab, opened, equipped, gate, emit }: HandlerParts) {
  const pools = async () => (await lab()).records.pools;
  return {
    listPools: async () => (await pools()).list(),
    async deletePool({ id }: { id: string }) {
      await (await pools()).delete(id);
      return null;
    },
    loadPool: async ({ id }: { id: string }) => (await pools()).rows(id),
    /** Exports JSON lines, the same with gzip, or a zip with one `.jsonl.gz` per prompt. */
    exportPool: async ({ id, format }: { id: string; format: PoolFormat }) =>
      (await loadPoolFiles()).writePool(await (await pools()).rows(id), format),
    /** Imports `.jsonl` and `.jsonl.gz` files, taken together as one pool. */
    async importPool({ files }: { files: { file: Blob; name: string }[] }) {
      const name = files.length === 1 ? files[0].name : `${files.length} files`;
      return (await pools()).importFile(await (await loadPoolFiles()).readPoolFiles(files), name);
    },
    /** Answers when the pool is stored; `pool` events report progress. Refused while an experiment runs. Templates use only the build's
     *  problems. */
    async buildPool({ task, teacher, build }: { task: string; teacher: PoolTeacher; build: PoolBuild }) {
      const { records, teacher: files } = await lab();
      return gate.task(task, async (signal) => {
        const { buildKeptPool } = await loadPoolBuilder();
        return buildKeptPool(teacher, build, {
          records,
          equip: (adapter) => equipped(adapter, signal),
          opened,
          onnxTeacher: files,
          signal,
          onProgress: (done, total, etaSeconds) => emit({ type: 'pool', task, done, total, etaSeconds }),
        });
      });
    },
  };
}
