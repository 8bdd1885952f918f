// Names and looks of an experiment's training lines, beside the deployed models' lines. All charts, legends and downloads use these
// functions, so that a line looks the same everywhere.

import { nameOf } from '../../experiments/analysis/names.ts';
import { isVanillaEquivalent } from '../../experiments/analysis/vanilla.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { type ArmStyle, armStyle, distinctLooks } from '../runs/arm-style.ts';

/** Under route the deployed model differs from the one in training, and has its own line. */
export const hasDeployed = (run: Pick<RunRecord, 'spec'>) => run.spec.projection === 'route';

/** The deployed model's line has the arm's own dash and marker; the training line beside it is plain. */
export function trainingStyle(arm: string, isVanilla: boolean, hasOther: boolean): ArmStyle {
  if (isVanilla) return armStyle('none');
  const style = armStyle(arm);
  return hasOther ? { ...style, dash: undefined, marker: 'circle' } : style;
}

/**
 * The look of each arm's training line. All are different, and none is an arm's own look, which is reserved for the deployed model. Under
 * route/update training equals vanilla, byte for byte: if vanilla itself is not among the arms, this line represents it, in vanilla's
 * colour.
 */
export function trainingLooks(
  arms: ReadonlyMap<string, readonly Pick<RunRecord, 'spec'>[]>,
): (arm: string) => { label: string; style: ArmStyle } {
  const names = [...arms.keys()];
  const look = distinctLooks();
  for (const [arm, [run]] of arms) if (hasDeployed(run)) look(armStyle(arm));
  const looks = new Map(
    [...arms].map(([arm, [run]]) => {
      const style = trainingStyle(arm, isVanillaEquivalent(arm, names), hasDeployed(run));
      return [arm, { label: nameOf(arm, 'total', names), style: look(style) }];
    }),
  );
  return (arm) => looks.get(arm)!;
}
