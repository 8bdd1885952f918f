// Compares a method's settings: one row per value of some options, where the sheets (published.ts) have one row per arm. Vanilla and repaired
// graders are run once and serve every value as references for kept and removed.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { cellKey } from '../../../../src/experiments/analysis/arena.ts';
import { isComplete } from '../../../../src/experiments/analysis/compare.ts';
import type { SettingName } from '../../../../src/experiments/config/settings.ts';
import { withDefaults } from '../../../../src/experiments/config/spec.ts';
import type { RunRecord } from '../../../../src/experiments/records/events.ts';
import type { JudgedRow } from '../../../../src/findings/arena/sheet.ts';
import { finalIn, judgedRows } from './estimates.ts';

/** Arms that read no trusted problem. */
export const READS_NONE: readonly string[] = ['none', 'repaired'];

export interface SettingRow extends JudgedRow {
  /** For example `lr 0.06, k 16`. */
  settings: string;
}

/** Rows in the order of the runs. Throws SpecError if vanilla, or repaired graders, were run twice in a cell with different results. */
export function judgedRowsBy(runs: readonly RunRecord[], options: readonly SettingName[]): SettingRow[] {
  const complete = runs.filter(isComplete);
  const groups = new Map<string, RunRecord[]>();
  for (const run of complete.filter(({ spec }) => !READS_NONE.includes(spec.arm))) {
    const spec = withDefaults(run.spec);
    const key = JSON.stringify([spec.arm, ...options.map((option) => spec[option])]);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()].flatMap((group) => {
    const spec = withDefaults(group[0].spec);
    const settings = options.map((option) => `${option} ${[spec[option]].flat().join('+')}`).join(', ');
    return judgedRows([...referencesOf(complete, group), ...group])
      .filter(({ arm }) => arm === spec.arm)
      .map((row) => ({ ...row, settings }));
  });
}

/** Vanilla and repaired graders, which read no trusted problem, with the group's trusted problems set in their spec. Throws SpecError as
 *  judgedRowsBy does. */
export function referencesOf(runs: readonly RunRecord[], group: readonly RunRecord[]): RunRecord[] {
  const references = runs.filter(({ spec }) => READS_NONE.includes(spec.arm));
  const trusted = new Map(
    group.map(({ spec }) => {
      const { trustedShare, trustedArguments } = withDefaults(spec);
      return [JSON.stringify([trustedShare, trustedArguments]), { trustedShare, trustedArguments }];
    }),
  );
  const found = new Map<string, RunRecord>();
  for (const own of trusted.values())
    for (const run of references) {
      const moved = { ...run, spec: { ...run.spec, ...own } };
      const key = `${run.spec.arm} ${cellKey(withDefaults(moved.spec))}`;
      const other = found.get(key);
      if (other && endOf(other) !== endOf(moved))
        throw new SpecError(
          `arm ${run.spec.arm} was run twice on the same problems and ended differently (seed ${run.spec.seed}, data seed ${withDefaults(run.spec).dataSeed})`,
          'Leave out the file that has the one which is not to be compared with.',
        );
      found.set(key, other ?? moved);
    }
  return [...found.values()];
}

const endOf = (run: RunRecord): string => JSON.stringify(finalIn([run], run.spec.arm, 'total'));
