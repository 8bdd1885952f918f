// Names and looks of an experiment's training lines, beside the deployed models' lines. Every chart, its legend and its downloads ask here,
// so that a line looks the same in all of them.

import { nameOf } from '../../experiments/analysis/names.ts';
import { isVanillaEquivalent } from '../../experiments/analysis/vanilla.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { type ArmStyle, armStyle, distinctLooks } from '../runs/arm-style.ts';

/** Under route the deployed model differs from the one in training, and has a line of its own. */
export const hasDeployed = (run: Pick<RunRecord, 'spec'>) => run.spec.projection === 'route';

/** The deployed model's line has the arm's own dash and marker; the training line is plain beside it. */
export function trainingStyle(arm: string, isVanilla: boolean, hasOther: boolean): ArmStyle {
  if (isVanilla) return armStyle('none');
  const style = armStyle(arm);
  return hasOther ? { ...style, dash: undefined, marker: 'circle' } : style;
}

/**
 * Each arm's training line: no two are alike, and none has an arm's own look, which is the deployed model's. Under route/update training
 * *is* vanilla, byte for byte: where vanilla itself is not among the arms, the line stands for it, in vanilla's colour.
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
