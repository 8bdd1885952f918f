// What the page and the worker say of kept experiments: the record, what a person writes beside it, and what a list shows.

import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import type { ExperimentResult, RunRecord, RunStatus } from '../../experiments/records/events.ts';

/** A person's own words about what is kept. The stored ones win over those of a record that is being worked on. */
export interface Words {
  name?: string;
  tags?: string[];
  note?: string;
}

/** A whole experiment as it is kept in IndexedDB; its runs are kept apart, by id. */
export interface ExperimentRecord extends Words {
  schema: 1;
  id: string;
  spec: ExperimentSpec;
  status: RunStatus;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
  device: string;
  appVersion: string;
  /** In the order in which they are trained. */
  runIds: string[];
  result: ExperimentResult | null;
  error: { message: string; remedy: string } | null;
  /** Its tab was closed, reloaded or crashed while it ran; cleared when it goes on. Absent in older records. */
  interrupted?: boolean;
  /** About how much is kept of it: rollouts and checkpoints. Absent in older records. */
  approxBytes?: number;
}

/** What a person may write about an experiment; a field that is left out stays as it is. */
export interface Annotation extends Words {
  /** The offer to resume was declined. */
  interrupted?: false;
}

export interface LoadedExperiment {
  record: ExperimentRecord;
  runs: RunRecord[];
}

/** With the counts that a list shows, so that listing reads no run. */
export interface StoredExperiment extends ExperimentRecord {
  runsDone: number;
  stepsDone: number;
  stepsTotal: number;
}

export type ExperimentSummary = Omit<StoredExperiment, 'result'>;
