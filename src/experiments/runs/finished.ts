// A run under its key, as it is planned, and finished as sweeps, series and published files store it, with the quarantines replayed from its
// stored steps.
import type { ControlSpec } from '../config/controls.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { EvalRow, RunRecord } from '../records/events.ts';
import { finalRow } from '../records/metrics.ts';
import { controlKey } from './key.ts';

export interface PlannedRun {
  /** Key of the run (key.ts). */
  key: string;
  spec: RunSpec;
}

/** A quarantine replayed from a run's stored steps, with its final evaluation. */
export interface ControlEvaluation {
  shadow: ControlSpec;
  row: EvalRow;
  /** See `FinishedRun.commit`. */
  commit?: string;
}

export interface FinishedRun {
  key: string;
  record: RunRecord;
  rerouted: ControlEvaluation[];
  /** Training time in seconds, if the record has no timings (a published run). */
  seconds?: number;
  /** Commit of the code that trained it, with `-dirty` where the tree differed from that commit; absent where unknown. */
  commit?: string;
  /** Hash of the code that computed it (cli/code-hash.ts); absent where unknown. */
  code?: string;
  /** Name of the worker that trained it, in folders whose queue allowed other workers. */
  by?: string;
}

/** Looks up finished runs by their key. */
export type FinishedRuns = Pick<ReadonlyMap<string, FinishedRun>, 'get'>;

/** The final evaluation of a quarantine, from the run or replayed; found by content, not by name. */
export function controlRow(control: ControlSpec, { record, rerouted: replayed }: FinishedRun): EvalRow | null {
  const content = controlKey(control, record.spec);
  const carried = record.spec.shadows.find((own) => controlKey(own, record.spec) === content);
  const again = replayed.find((own) => controlKey(own.shadow, record.spec) === content);
  return (carried && finalRow(record, carried.id)) ?? again?.row ?? null;
}
