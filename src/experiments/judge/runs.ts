// Published runs as the lab is asked for them: the settings that a record was made with, as an experiment of one arm and one seed.

import { ARMS, type Arm } from '../config/arms.ts';
import { type ExperimentSpec, parseExperimentSpec, SETTING_NAMES } from '../config/spec.ts';
import type { EvalRow, RunRecord } from '../records/events.ts';
import type { LabRun } from './types.ts';

/** What a record of an earlier version does not name is at its default, then and now. */
export function experimentOfRun({ spec }: Pick<RunRecord, 'spec'>): ExperimentSpec {
  const { settings: fixed } = ARMS[spec.arm] as Arm;
  const named = SETTING_NAMES.filter((name) => !(name in fixed) && spec[name] !== undefined);
  const overrides = Object.fromEntries(named.map((name) => [name, spec[name]]));
  return parseExperimentSpec({ preset: spec.preset, arms: [spec.arm], seeds: [spec.seed], overrides });
}

/** In the order of `arms`, each with its seeds. */
export function runsToOpen(runs: readonly RunRecord[], arms: readonly string[]): LabRun[] {
  return arms.flatMap((arm) =>
    runs
      .filter(({ spec }) => spec.arm === arm)
      .map((record): LabRun => {
        const { seed } = record.spec;
        return { group: ARMS[record.spec.arm].label, name: `seed ${seed}`, spec: experimentOfRun(record), record };
      }),
  );
}

export const finalOf = (run: RunRecord, model: string): EvalRow | undefined =>
  run.evals.find((row) => row.kind === 'final' && row.model === model);

export const inOrder = (runs: readonly RunRecord[]): RunRecord[] => [...runs].sort((a, b) => a.spec.seed - b.spec.seed);
