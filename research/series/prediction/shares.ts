// Shared by the questions on the arena's runs: the shares of prompts that each model solves and hacks, and their runs by name.

import { armLabel } from '../../../src/experiments/analysis/names.ts';
import { experimentOf } from '../../../src/experiments/config/experiment-of.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { two } from '../../../src/lib/numbers.ts';
import { meanAndInterval } from '../../judge/estimates.ts';
import type { LabRun } from '../../judge/types.ts';
import { ratesOf } from './arena/estimates.ts';
import { nameOfCell } from './arena/published.ts';

type Labelled = readonly [label: string, rates: ReturnType<typeof ratesOf>];

/** `units`: what a share is a mean over, such as `8 draws`. A row leaves out the units that lack its model. */
export const sharesTable = (units: string, rows: readonly Labelled[]) =>
  tableOf(`Share of prompts, ${units}`, rows, [
    ['model', ([label]) => label],
    ['honest solve', ([, rates]) => meanAndInterval(rates.flatMap((one) => one?.honest ?? [])), two],
    ['hack of hackable prompts', ([, rates]) => meanAndInterval(rates.flatMap((one) => one?.hack ?? [])), two],
  ]);

/** Rows of `sharesTable` for models in the same cells. */
export const labelledRows = (
  cells: readonly (readonly RunRecord[])[],
  models: readonly (readonly [label: string, arm: string, model: string])[],
): Labelled[] => models.map(([label, arm, model]) => [label, ratesOf(cells, arm, model)]);

/** Whether any cell has the model. */
export const isMeasured = ([, rates]: Labelled): boolean => rates.some((one) => one !== null);

export const namedRuns = (runs: readonly RunRecord[], nameOf = nameOfCell): LabRun[] =>
  runs.map((record) => ({
    group: armLabel(record.spec.arm),
    name: nameOf(record),
    spec: experimentOf(record.spec),
    record,
  }));
