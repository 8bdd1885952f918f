// What the worker does with requests about teacher pools: a part of the table in handlers.ts.

import type { PoolRequests } from '../protocol/pools.ts';
import type { HandlersOf } from '../protocol/protocol.ts';
import type { HandlerParts } from '../work/parts.ts';

// Few visits build a pool, or bring one: what does it arrives with the first.
const building = () => import('../work/pool-builder.ts');
const filing = () => import('../records/pool-files.ts');

export function createPoolHandlers({ lab, opened, equipped, gate, emit }: HandlerParts): HandlersOf<PoolRequests> {
  const pools = async () => (await lab()).records.pools;
  return {
    listPools: async () => (await pools()).list(),
    async deletePool({ id }) {
      await (await pools()).delete(id);
      return null;
    },
    loadPool: async ({ id }) => (await pools()).rows(id),
    exportPool: async ({ id, format }) => (await filing()).writePool(await (await pools()).rows(id), format),
    async importPool({ files }) {
      const name = files.length === 1 ? files[0].name : `${files.length} files`;
      return (await pools()).importFile(await (await filing()).readPoolFiles(files), name);
    },
    async buildPool({ task, teacher, build }) {
      const { records, teacher: files } = await lab();
      return gate.task(task, async (signal) => {
        const { buildKeptPool } = await building();
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
