// The marks of the result table's rows: an arm as its line in the charts, and each control its own, hollow, so that none is
// taken for the arm whose run it rode along in.
import type { RunRecord, TableRow } from '../../experiments/records/events.ts';
import type { ArmName, ShadowSpec } from '../../experiments/spec/spec.ts';
import { type ArmStyle, armStyle, BASE_STYLE, distinctLooks, modelStyle } from './arm-style.ts';

/** The arms themselves, and the base: what training or deployment leaves, rather than a control of it. */
export const isMain = ({ model }: Pick<TableRow, 'model'>): boolean =>
  model === 'base' || model === 'total' || model === 'deployed';

/** One look a row, in the table's order, no two alike. */
export function tableLooks(table: readonly TableRow[], runs: readonly RunRecord[]): ArmStyle[] {
  const hasVanilla = table.some((row) => row.arm === 'none' && row.model !== 'base');
  const look = distinctLooks();
  const looks = new Map(table.filter(isMain).map((row) => [row, look(mainStyle(row, hasVanilla))]));
  return table.map((row) => looks.get(row) ?? look(controlStyle(row, runs)));
}

/** Under route/update the model in training is vanilla, and looks like it where vanilla has no row of its own. */
function mainStyle({ model, arm }: TableRow, hasVanilla: boolean): ArmStyle {
  if (model === 'base') return BASE_STYLE;
  return armStyle(model === 'total' && arm === 'route-update' && !hasVanilla ? 'none' : arm);
}

function controlStyle({ arm, model }: TableRow, runs: readonly RunRecord[]): ArmStyle {
  const shadows = runs.filter(({ spec }) => spec.arm === arm).flatMap(shadowsOf);
  const shadow = shadows.find(({ id }) => id === model);
  // A control that no run here knows still is one, and not the arm.
  if (!shadow && model !== 'steered_base') return { ...armStyle(''), hollow: true };
  return modelStyle({ arm: arm as ArmName, model, shadow });
}

/** Those that rode along, and those routed again from the kept steps. */
function shadowsOf({ spec, rerouted = [] }: RunRecord): ShadowSpec[] {
  return [...spec.shadows, ...rerouted.map(({ shadow }) => shadow)];
}
