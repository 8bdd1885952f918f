// A study's store in memory, for tests.
import type { Checkpoint } from '../../../records/checkpoint.ts';
import { memoryStepStore } from '../../../records/steps.ts';
import type { StudyRun } from '../results.ts';
import type { StudyStore } from '../store.ts';

export function memoryStudyStore(kept = new Map<string, StudyRun>()): StudyStore {
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
    keys: async () => [...kept.keys()],
  };
}
