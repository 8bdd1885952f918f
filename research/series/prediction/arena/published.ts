// Makes the published sheet (sheet.ts) of the runs of the arena's sweeps.

import { isComplete } from '../../../../src/experiments/analysis/compare.ts';
import { methodOf } from '../../../../src/experiments/analysis/methods.ts';
import { ARM_NAMES, type ArmName } from '../../../../src/experiments/config/arms.ts';
import { experimentOf } from '../../../../src/experiments/config/experiment-of.ts';
import { withDefaults } from '../../../../src/experiments/config/spec.ts';
import type { RunRecord } from '../../../../src/experiments/records/events.ts';
import { runKey } from '../../../../src/experiments/runs/key.ts';
import type { ArenaSheet } from '../../../../src/findings/arena/sheet.ts';
import type { Again } from '../../../draws/rows.ts';
import { makersOf, openingsOf } from '../../../judge/openings.ts';
import type { LabRun } from '../../../judge/types.ts';
import { judgedRows } from './estimates.ts';

/**
 * Only complete runs; empty where no cell has repaired graders beside vanilla.
 *
 * @param again runs with further sampling seeds (judgedRows)
 */
export async function arenaSheet(
  runs: readonly RunRecord[],
  open: (run: LabRun) => Promise<string>,
  again: Again = new Map(),
): Promise<ArenaSheet> {
  // The order is fixed, whatever the runs were read from, so that sums over cells have the same last digits.
  const complete = runs
    .filter(isComplete)
    .map((run) => ({ run, key: runKey(run.spec) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ run }) => run);
  const place = ({ arm }: { arm: string }) => ARM_NAMES.indexOf(arm as ArmName);
  const points = judgedRows(complete, again)
    .filter(({ arm, model }) => isShown(arm, model))
    .toSorted((a, b) => place(a) - place(b));
  const sheet: ArenaSheet = { made: makersOf(complete), points, runs: [] };
  for (const arm of new Set(points.map((point) => point.arm))) {
    const runOf = (record: RunRecord): LabRun => ({
      group: arm,
      name: nameOfCell(record),
      spec: experimentOf(record.spec),
      record,
    });
    const own = complete.filter(({ spec }) => spec.arm === arm).map(runOf);
    sheet.runs.push({ arm, openings: await openingsOf(own, open) });
  }
  return sheet;
}

/** Whether a model is shown: an arm's trained or deployed model, one that a method makes of it, or an interpolation to what it deploys; not, for
 *  example, a merge of repaired graders. */
const isShown = (arm: string, model: string): boolean =>
  model === 'total' || /^deployed(_|$)/.test(model) || methodOf(arm, model)?.model !== undefined;

export function nameOfCell({ spec }: RunRecord): string {
  const { modes, dataSeed, alsoEvaluate, trustedArguments } = withDefaults(spec);
  const kinds = trustedArguments.length === 0 ? '' : `, trusted ${trustedArguments.join(' and ')}`;
  const beside = { relearn: ', with what is relearnt', quarantine: ', with the quarantine alone' };
  const again = Object.entries(beside).flatMap(([asked, text]) =>
    alsoEvaluate.some((one) => one === asked) ? text : [],
  );
  return `${modes.join(', ')}, seed ${spec.seed}, data seed ${dataSeed}${kinds}${again.join('')}`;
}
