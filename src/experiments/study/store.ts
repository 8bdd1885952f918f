// Where a study keeps what it has: a folder on the command line, memory in tests. Finished runs by key, and for the run under
// way its checkpoint and its kept steps, so that a study can be killed at any moment.
import type { ArtifactStore } from '../artifacts.ts';
import type { Checkpoint, CheckpointStore } from '../checkpoint.ts';
import { memoryStepStore, type StepStore } from '../steps.ts';
import type { StudyRun } from './figures.ts';

export interface StudyStore {
  /** Run ids are `studyRunId`s. */
  checkpoints: CheckpointStore;
  steps: StepStore;
  artifacts: ArtifactStore | null;
  load(key: string): Promise<StudyRun | null>;
  /** Replaces what was kept under the run's key, whole or not at all. */
  save(run: StudyRun): Promise<void>;
  /** Keys of all finished runs. */
  keys(): Promise<string[]>;
}

/** For tests. */
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
