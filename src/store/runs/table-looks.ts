// The marks of the result table's rows: an arm as its line in the charts, and each control its own, hollow, so that none is
// taken for the arm whose run it rode along in.

import { standsForVanilla } from '../../experiments/analysis/vanilla.ts';
import type { ArmName, ControlSpec } from '../../experiments/config/spec.ts';
import type { RunRecord, TableRow } from '../../experiments/records/events.ts';
import { type ArmStyle, armStyle, BASE_STYLE, distinctLooks, modelStyle } from './arm-style.ts';

/** What of a run decides the looks of its controls. */
type LooksOf = Pick<RunRecord, 'spec' | 'rerouted'>;

/** The arms themselves, and the base: what training or deployment leaves, rather than a control of it. */
export const isMain = ({ model }: Pick<TableRow, 'model'>): boolean =>
  model === 'base' || model === 'total' || model === 'deployed';

/** One look a row, in the table's order, no two alike. */
export function tableLooks(table: readonly TableRow[], runs: readonly LooksOf[]): ArmStyle[] {
  const arms = table.map(({ arm }) => arm);
  const look = distinctLooks();
  const looks = new Map(table.filter(isMain).map((row) => [row, look(mainStyle(row, arms))]));
  return table.map((row) => looks.get(row) ?? look(controlStyle(row, runs)));
}

function mainStyle({ model, arm }: TableRow, arms: readonly string[]): ArmStyle {
  if (model === 'base') return BASE_STYLE;
  return armStyle(model === 'total' && standsForVanilla(arm, arms) ? 'none' : arm);
}

function controlStyle({ arm, model }: TableRow, runs: readonly LooksOf[]): ArmStyle {
  const controls = runs.filter(({ spec }) => spec.arm === arm).flatMap(controlsOf);
  const control = controls.find(({ id }) => id === model);
  // A control that no run here knows still is one, and not the arm.
  if (!control && model !== 'steered_base') return { ...armStyle(''), hollow: true };
  return modelStyle({ arm: arm as ArmName, model, shadow: control });
}

/** Those that rode along, and those routed again from the kept steps. */
function controlsOf({ spec, rerouted: replayed = [] }: LooksOf): ControlSpec[] {
  return [...spec.shadows, ...replayed.map(({ shadow: control }) => control)];
}
