// Stored experiments: the record, the user's notes on it, and the entry of a list.

import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import type { ExperimentResult, RunRecord, RunStatus } from '../../experiments/records/events.ts';

/** The user's notes on a record. The stored ones override those of a record that is in use. */
export interface UserNotes {
  name?: string;
  tags?: string[];
  note?: string;
}

/** A whole experiment as stored in IndexedDB; its runs are stored separately, by id. */
export interface ExperimentRecord extends UserNotes {
  schema: 1;
  id: string;
  spec: ExperimentSpec;
  status: RunStatus;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
  device: string;
  appVersion: string;
  /** In the order of training. */
  runIds: string[];
  result: ExperimentResult | null;
  error: { message: string; remedy: string } | null;
  /** Whether its tab was closed, reloaded or crashed while it ran; cleared when it is resumed. Absent in older records. */
  interrupted?: boolean;
  /** Approximate size of its rollouts and checkpoints. Absent in older records. */
  approxBytes?: number;
}

/** Changes by the user; an absent field stays unchanged. */
export interface Annotation extends UserNotes {
  /** Set when the offer to resume was declined. */
  interrupted?: false;
}

export interface LoadedExperiment {
  record: ExperimentRecord;
  runs: RunRecord[];
}

/** A record with the counts that a list shows, so that listing reads no run. */
export interface StoredExperiment extends ExperimentRecord {
  runsDone: number;
  stepsDone: number;
  stepsTotal: number;
}

/** Final means of one model of one arm, in the metrics that the environment's headline names, by metric id. */
export interface ModelOutcome {
  arm: string;
  model: string;
  values: Readonly<Record<string, number>>;
}

/** `outcomes` comes from the result's table, without the untrained base; absent until the experiment has one. */
export type ExperimentSummary = Omit<StoredExperiment, 'result'> & { outcomes?: readonly ModelOutcome[] };
