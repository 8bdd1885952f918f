// The names of chart lines, table rows and export columns: one name for each model of each arm, wherever it is shown. An arm that trains exactly
// like vanilla is called vanilla.
import { ARMS, type Arm, type ArmName } from '../config/arms.ts';
import { modelLabel } from '../config/controls.ts';
import { isVanillaEquivalent } from './vanilla.ts';

/** An arm of another version of the lab is named by its key. */
export const armLabel = (arm: string): string => (Object.hasOwn(ARMS, arm) ? ARMS[arm as ArmName].label : arm);

/** Name of an arm's deployed model, which for a routed arm lacks the quarantine. Only `route` must say that it routes gradients, to differ from
 *  `route (update)`. */
function deployedName(arm: string): string {
  if (!routes(arm)) return deployedRowLabel(arm);
  const trained = arm === 'route' ? 'routed (gradient)' : armLabel(arm).replace(/^route( \(update\))?/, 'routed');
  return `${trained}, quarantine removed`;
}

/** The label of a deployed row in stored tables, whose wording is fixed. */
export const deployedRowLabel = (arm: string): string => `${armLabel(arm)}, deployed`;

const routes = (arm: string): boolean => (ARMS as Record<string, Arm>)[arm]?.projection === 'route';
/** @param arms all arms that are shown together */
export function nameOf(arm: string, model: string, arms: readonly string[]): string {
  if (model === 'base' || arm === '') return modelLabel('base');
  if (model === 'deployed') return deployedName(arm);
  if (model !== 'total') return modelLabel(model);
  if (isVanillaEquivalent(arm, arms)) return ARMS.none.label;
  if (arm === 'no_teacher-route' && !arms.includes('no_teacher')) return ARMS.no_teacher.label;
  return routes(arm) ? `${armLabel(arm)}, in training` : armLabel(arm);
}
