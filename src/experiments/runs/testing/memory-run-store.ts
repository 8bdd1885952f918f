// A store of runs in memory, for tests.
import type { Checkpoint } from '../../records/checkpoint.ts';
import { memoryStepStore } from '../../records/steps.ts';
import type { FinishedRun } from '../finished.ts';
import type { RunStore } from '../runner.ts';

export function memoryRunStore(kept = new Map<string, FinishedRun>()): RunStore {
  const checkpoints = new Map<string, Checkpoint>();
  return {
    checkpoints: {
      load: async (id) => checkpoints.get(id) ?? null,
      save: async (checkpoint) => void checkpoints.set(checkpoint.runId, checkpoint),
    },
    steps: memoryStepStore(),
    artifacts: null,
    load: async (key) => kept.get(key) ?? null,
    save: async (run) => void kept.set(run.key, structuredClone(run)),
  };
}
