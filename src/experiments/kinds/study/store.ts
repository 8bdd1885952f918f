// Where a study keeps what it has: a folder on the command line. Finished runs by key, and for the run under
// way its checkpoint and its kept steps, so that a study can be killed at any moment.
import type { ArtifactStore } from '../../records/artifacts.ts';
import type { CheckpointStore } from '../../records/checkpoint.ts';
import type { StepStore } from '../../records/steps.ts';
import type { StudyRun } from './results.ts';

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
