// Storage of a probe's steps, so that finished ones are not replayed: a folder on the command line, a database in the page.

import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type { OptimizerState } from '../../../algorithms/optimizer.ts';
import type { SampleRow, StepSummary } from './types.ts';

/** State after `step` steps. */
export interface ReplayState {
  /** Key of everything that decides the replay; another key's state is refused. */
  key: string;
  step: number;
  optimizer: OptimizerState;
  steps: StepSummary[];
}

/** `replay`: `vanilla`, `projected`, … A step's rows are saved before the state that counts it. */
export interface ProbeStore {
  loadState(replay: string): Promise<ReplayState | null>;
  saveState(replay: string, state: ReplayState): Promise<void>;
  /** `step` counts from 1; null if there are none. */
  loadRows(replay: string, step: number): Promise<SampleRow[] | null>;
  saveRows(replay: string, step: number, rows: readonly SampleRow[]): Promise<void>;
}

export const rowsToJsonl = (rows: readonly SampleRow[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Reads the output of `rowsToJsonl`. */
export const rowsFromJsonl = (lines: string): SampleRow[] =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJsonText(line) as SampleRow);
