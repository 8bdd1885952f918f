// A finished run as sweeps, series and published files have it: its record under its key, with what was routed again from its kept steps.
import type { ControlSpec } from '../config/spec.ts';
import type { EvalRow, RunRecord } from '../records/events.ts';
import { finalRow } from '../records/metrics.ts';
import { controlKey } from './key.ts';

/** A quarantine routed again from a run's kept steps, with its final evaluation. */
export interface ControlEvaluation {
  shadow: ControlSpec;
  row: EvalRow;
  /** As of a run. */
  commit?: string;
}

export interface FinishedRun {
  key: string;
  record: RunRecord;
  rerouted: ControlEvaluation[];
  /** What training took, where the record has no timings any more (a published run). */
  seconds?: number;
  /** Of the code that trained it, `…-dirty` where the tree was not that commit's; absent where it is not known. */
  commit?: string;
  /** Hash of the code that decided it (cli/code-hash.ts); absent where it is not known. */
  code?: string;
  /** In folders of labs whose queue had guests: who made it. */
  by?: string;
}

/** Where finished runs are looked up by their key. */
export type FinishedRuns = Pick<ReadonlyMap<string, FinishedRun>, 'get'>;

/** The final evaluation of a quarantine, carried by the run or routed again; found by what it is, not by its name. */
export function controlRow(control: ControlSpec, { record, rerouted: replayed }: FinishedRun): EvalRow | null {
  const content = controlKey(control, record.spec);
  const carried = record.spec.shadows.find((own) => controlKey(own, record.spec) === content);
  const again = replayed.find((own) => controlKey(own.shadow, record.spec) === content);
  return (carried && finalRow(record, carried.id)) ?? again?.row ?? null;
}
