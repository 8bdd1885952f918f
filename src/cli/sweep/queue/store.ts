// A run's state on Redis while it is trained, as a RunStore: its checkpoint, its steps, and its record when it is finished. Every value is
// sealed with its sha-256; a worker that continues another's run reads that worker's state.
import { serialize } from 'node:v8';
import { seal, sealJson, unsealJson } from '@projected-grpo-lab/base/files/sealed.ts';
import type { Redis } from 'ioredis';
import { alsoByTime, type Checkpoint } from '../../../experiments/records/checkpoint.ts';
import { stepsIn } from '../../../experiments/records/steps.ts';
import type { FinishedRun } from '../../../experiments/runs/finished.ts';
import { runKey } from '../../../experiments/runs/key.ts';
import type { RunStore } from '../../../experiments/runs/runner.ts';
import { codeHash } from '../../code-hash.ts';
import { isCheckpoint } from '../../files/checkpoint.node.ts';
import { readState } from '../../files/kept-state.node.ts';
import { RUN_MEMBERS } from '../../run/runs-folder.ts';
import { isDelta } from '../../run/step-folder.ts';
import { DONE, PREFIX, QueueError, resultOf } from './redis.ts';

const MADE_AGAIN = 'Delete that key: the run is made again from its beginning.';

/** Store of the run of the queue's job `id`. */
export function redisStore(client: Redis, id: string): RunStore {
  const checkpointKey = `${PREFIX}:checkpoint:${id}`;
  const stepsKey = `${PREFIX}:steps:${id}`;
  return {
    checkpoints: alsoByTime(
      {
        async load() {
          const bytes = await client.getBuffer(checkpointKey);
          return bytes === null ? null : readState<Checkpoint>(bytes, isCheckpoint, checkpointKey, MADE_AGAIN);
        },
        save: async (checkpoint) =>
          void (await client.set(checkpointKey, Buffer.from(await seal(serialize(checkpoint))))),
      },
      () => performance.now(),
    ),
    steps: stepsIn({
      async get(step) {
        const bytes = await client.hgetBuffer(stepsKey, step);
        return bytes === null ? undefined : readState<Float32Array[]>(bytes, isDelta, stepsKey, MADE_AGAIN);
      },
      set: async (step, delta) => client.hset(stepsKey, step, Buffer.from(await seal(serialize(delta)))),
      delete: (step) => client.hdel(stepsKey, step),
      keys: () => client.hkeys(stepsKey),
    }),
    artifacts: null,
    load: (key) => loadResult(client, id, key),
    async save(run) {
      // The record is written before its id is added to DONE.
      const code = codeHash();
      await client.set(resultOf(id), await sealJson(code === null ? run : { ...run, code }));
      await client.sadd(DONE, id);
      await client.del(checkpointKey, stepsKey);
    },
  };
}

/** Null where it is not finished. Throws DamagedError, and QueueError for another run's, or one of other code. */
export async function loadResult(client: Redis, id: string, key: string): Promise<FinishedRun | null> {
  const bytes = await client.getBuffer(resultOf(id));
  if (bytes === null) return null;
  const run = await unsealJson<FinishedRun>(bytes, RUN_MEMBERS, resultOf(id), MADE_AGAIN);
  const isOwn = run.key === key && run.record?.status === 'done' && runKey(run.record.spec) === key;
  if (isOwn && (run.code ?? null) === codeHash()) return run;
  throw new QueueError(`${resultOf(id)} is not the run ${key}, or of other code.`, MADE_AGAIN);
}
