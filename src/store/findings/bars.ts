// A finding as bars: one per condition, for the measure that its sentence is about, in the look of its arm.
import type { ArmName } from '../../experiments/config/arms.ts';
import { CONDITIONS } from '../../findings/conditions.ts';
import { conditionsOf, type EnvironmentHeadline, type HeadlineEstimate, percent } from '../../findings/headline.ts';
import { BASE_STYLE, modelStyle } from '../runs/arm-style.ts';

export interface FindingBar extends HeadlineEstimate {
  condition: string;
  measure: string;
  /** Such as `45%`. */
  share: string;
  /** A CSS colour. */
  color: string;
}

export function barsOf(headline: EnvironmentHeadline): FindingBar[] {
  const models = CONDITIONS[headline.environment] ?? [];
  const figures = conditionsOf(headline).map((figure) => {
    const [condition, measure] = figure.name.split(': ');
    return { ...figure, condition, measure };
  });
  return figures
    .filter(({ measure }) => measure === figures[0].measure)
    .map((figure, i) => {
      const of = models[i];
      const { color } = of ? modelStyle({ arm: of.arm as ArmName, model: of.model }) : BASE_STYLE;
      return { ...figure, share: percent(figure.mean), color };
    });
}
