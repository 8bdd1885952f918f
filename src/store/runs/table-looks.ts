// The markers of the result table's rows. An arm looks as in the charts. Each control has its own outlined marker, so that it is not
// mistaken for the arm in whose run it was trained.

import { isVanillaEquivalent } from '../../experiments/analysis/vanilla.ts';
import type { ArmName } from '../../experiments/config/arms.ts';
import type { ControlSpec } from '../../experiments/config/controls.ts';
import type { RunRecord, TableRow } from '../../experiments/records/events.ts';
import { type ArmStyle, armStyle, BASE_STYLE, distinctLooks, modelStyle } from './arm-style.ts';

/** Parts of a run that determine the looks of its controls. */
type LooksOf = Pick<RunRecord, 'spec' | 'rerouted'>;

/** Whether a row is a trained or deployed model or the base, rather than a control. */
export const isMain = ({ model }: Pick<TableRow, 'model'>): boolean =>
  model === 'base' || model === 'total' || model === 'deployed';

/** One look for each row, in the table's order, no two alike. */
export function tableLooks(table: readonly TableRow[], runs: readonly LooksOf[]): ArmStyle[] {
  const arms = table.map(({ arm }) => arm);
  const look = distinctLooks();
  const looks = new Map(table.filter(isMain).map((row) => [row, look(mainStyle(row, arms))]));
  return table.map((row) => looks.get(row) ?? look(controlStyle(row, runs)));
}

function mainStyle({ model, arm }: TableRow, arms: readonly string[]): ArmStyle {
  if (model === 'base') return BASE_STYLE;
  return armStyle(model === 'total' && isVanillaEquivalent(arm, arms) ? 'none' : arm);
}

function controlStyle({ arm, model }: TableRow, runs: readonly LooksOf[]): ArmStyle {
  const controls = runs.filter(({ spec }) => spec.arm === arm).flatMap(controlsOf);
  const control = controls.find(({ id }) => id === model);
  // A control that is not found in these runs must not look like the arm.
  if (!control && model !== 'steered_base') return { ...armStyle(''), hollow: true };
  return modelStyle({ arm: arm as ArmName, model, shadow: control });
}

/** Controls that were trained alongside the arm, and those that were computed later from the stored steps. */
function controlsOf({ spec, rerouted: replayed = [] }: LooksOf): ControlSpec[] {
  return [...spec.shadows, ...replayed.map(({ shadow: control }) => control)];
}
