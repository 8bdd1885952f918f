// Shorthand for a question's cells, so that a question reads as a table. Vanilla is always the route/update run, whose training is
// bit-identical to vanilla's: one run per seed serves vanilla and every quarantine.
import type { ArmName } from '../../../src/experiments/config/arms.ts';
import type { ControlSpec } from '../../../src/experiments/config/controls.ts';
import type { PresetName } from '../../../src/experiments/config/run-spec.ts';
import type { Settings } from '../../../src/experiments/config/settings.ts';
import type { StudyCell } from './types.ts';

/** Seeds of Q2, and of cells that share one run per seed. */
export const TEN: readonly number[] = [41, 42, 43, 44, 45, 46, 47, 48, 49, 50];
/** Seeds of most other cells. */
export const FIVE: readonly number[] = TEN.slice(0, 5);

type Extra = Partial<
  Pick<StudyCell, 'preset' | 'seeds' | 'against' | 'mode' | 'note' | 'reference' | 'isReplayed' | 'isAdded'>
>;

function cell(
  id: string,
  label: string,
  arm: ArmName,
  model: string,
  overrides: Partial<Settings>,
  { preset = 'classic' as PresetName, seeds = TEN, against = 'vanilla', ...extra }: Extra,
): StudyCell {
  return { id, label, preset, arm, overrides, model, seeds, against, ...extra };
}

/** The whole model of a route/update run. The id is `vanilla` unless the question has several. */
export function vanilla(overrides: Partial<Settings> = {}, extra: Extra & { id?: string; label?: string } = {}) {
  const { id = 'vanilla', label = 'vanilla', ...rest } = extra;
  return cell(id, label, 'route-update', 'total', overrides, { against: null, ...rest });
}

/** The whole model of a run. */
export function trained(
  id: string,
  label: string,
  arm: ArmName,
  overrides: Partial<Settings> = {},
  extra: Extra = {},
): StudyCell {
  return cell(id, label, arm, 'total', overrides, extra);
}

/** A route run's deployed model, or another model from its final evaluation. */
export function deployed(
  id: string,
  label: string,
  arm: ArmName,
  overrides: Partial<Settings> = {},
  { model = 'deployed', ...extra }: Extra & { model?: string } = {},
): StudyCell {
  return cell(id, label, arm, model, overrides, extra);
}

/** The untrained model on the same problems. */
export function base(overrides: Partial<Settings> = {}, extra: Extra = {}): StudyCell {
  return cell('base', 'base (untrained)', 'route-update', 'base', overrides, extra);
}

/** Every route table has this cell (METHOD "Projection"): if the base steered along V alone explains a difference, it is steering. */
export function steered(overrides: Partial<Settings> = {}, { id = 'steered', ...extra }: Extra & { id?: string } = {}) {
  return cell(id, 'steered base', 'route-update', 'steered_base', overrides, extra);
}

/** The route table's other control: exactly the net component along V is removed, whether it points towards the hack or not. */
export function netRemoved(
  overrides: Partial<Settings> = {},
  { label = 'route (update), no gate, deployed', ...extra }: Extra & { cellId?: string; label?: string } = {},
): StudyCell {
  return control(label, { id: 'no_gate', gate: 'no_gate' }, overrides, extra);
}

/** Last lines of a route table. */
export const landmarks = (extra: Extra = {}): StudyCell[] => [
  netRemoved({}, extra),
  steered({}, extra),
  base({}, extra),
];

/** A quarantine along pairs that differ only in the missing run_tests, which also separates every clean side from the hacks. */
export function testsAlone(
  label: string,
  overrides: Partial<Settings> = {},
  extra: Extra & { cellId?: string } = {},
): StudyCell {
  return control(label, { id: 'pairs_no_tests', settings: { pairSet: 'no_tests' } }, overrides, {
    isReplayed: true,
    ...extra,
  });
}

/** A quarantine of the vanilla run with another basis, gate or width. */
export function control(
  label: string,
  spec: Partial<ControlSpec> & Pick<ControlSpec, 'id'>,
  overrides: Partial<Settings> = {},
  extra: Extra & { cellId?: string } = {},
): StudyCell {
  const { cellId, ...rest } = extra;
  const whole: ControlSpec = { kind: 'real', gate: 'one_sided', k: 5, mode: null, ...spec };
  return { ...cell(cellId ?? spec.id, label, 'route-update', spec.id, overrides, rest), shadow: whole };
}
