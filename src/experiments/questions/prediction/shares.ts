// What the questions of the arena's runs show alike: the shares of prompts that each model solves and hacks, and their runs by name.
import { two } from '../../../lib/numbers.ts';
import { armLabel } from '../../analysis/names.ts';
import type { ratesOf } from '../../arena/narrow.ts';
import { nameOfCell } from '../../arena/published.ts';
import { within } from '../../judge/estimates.ts';
import { experimentOfRun } from '../../judge/question.ts';
import { tableOf } from '../../judge/table.ts';
import type { LabRun } from '../../judge/types.ts';
import type { RunRecord } from '../../records/events.ts';

/** `units`: how many of what a share is a mean over, such as `8 draws`. Units that lack a model are left out of its row. */
export const sharesTable = (
  units: string,
  rows: readonly (readonly [label: string, rates: ReturnType<typeof ratesOf>])[],
) =>
  tableOf(`Share of prompts, ${units}`, rows, [
    ['model', ([label]) => label],
    ['honest solve', ([, rates]) => within(rates.flatMap((one) => one?.honest ?? [])), two],
    ['hack of hackable prompts', ([, rates]) => within(rates.flatMap((one) => one?.hack ?? [])), two],
  ]);

export const namedRuns = (runs: readonly RunRecord[], nameOf = nameOfCell): LabRun[] =>
  runs.map((record) => ({
    group: armLabel(record.spec.arm),
    name: nameOf(record),
    spec: experimentOfRun(record),
    record,
  }));
