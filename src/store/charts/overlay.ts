// Lines of different experiments over one axis of steps. Each is the mean over its seeds, smoothed before down-sampling. charts/data.ts has
// the lines of a single experiment.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { ComparedGroup } from '../../experiments/analysis/compare-runs.ts';
import { ARMS, type ArmName } from '../../experiments/config/arms.ts';
import { metricValue } from '../../experiments/records/metrics.ts';
import { type ArmStyle, armStyle, distinctLooks } from '../runs/arm-style.ts';
import { trainingStyle } from './looks.ts';
import { BETA, debiasedEma, meanOf } from './smoothing.ts';

interface Point {
  step: number;
  y: number | null;
}

export interface OverlayLine {
  id: string;
  label: string;
  style: ArmStyle;
  /** Number of seeds in the mean. */
  n: number;
  /** Evaluations during training: few points, each drawn, none smoothed. */
  sparse: boolean;
}

export interface OverlayData {
  points: ({ x: number } & Record<string, number | null>)[];
  lines: OverlayLine[];
  /** Last value of each line. */
  latest: Record<string, number | null>;
}

interface Source extends OverlayLine {
  seeds: Point[][];
}

/** `looks` gives looks by line id that replace the arm's; `beta` is the weight of the past in the smoothing. */
export function overlayOfGroups(
  groups: readonly ComparedGroup[],
  measure: string,
  { beta = BETA, looks }: { beta?: number; looks?: ReadonlyMap<string, ArmStyle> } = {},
): OverlayData {
  const look = distinctLooks();
  return merge(
    groups.map((group) => {
      const deployed = group.model === 'deployed';
      return {
        id: group.id,
        label: group.label,
        style: looks?.get(group.id) ?? look(lookOfGroup(group)),
        n: group.runs.length,
        sparse: deployed,
        seeds: group.runs.map((run) =>
          deployed
            ? run.evals
                .filter((row) => row.kind === 'during' && row.model === 'deployed')
                .map((row) => ({ step: row.step, y: metricValue(row.all, measure) }))
            : run.rows.map((row) => ({ step: row.step, y: metricValue(row.student, measure) })),
        ),
      };
    }),
    beta,
  );
}

/** The look of the line in the charts of its own experiment. */
export function lookOfGroup({ arm, model, isVanilla }: Pick<ComparedGroup, 'arm' | 'model' | 'isVanilla'>): ArmStyle {
  if (model === 'deployed') return armStyle(arm);
  return trainingStyle(arm, isVanilla, ARMS[arm as ArmName]?.projection === 'route');
}

function merge(sources: readonly Source[], beta = BETA): OverlayData {
  const points = new Map<number, OverlayData['points'][number]>();
  const latest: OverlayData['latest'] = {};
  for (const { id, seeds, sparse } of sources) {
    const byStep = new Map<number, (number | null)[]>();
    for (const seed of seeds) {
      const values = debiasedEma(
        seed.map(({ y }) => y),
        sparse ? 0 : beta,
      );
      seed.forEach(({ step }, i) => {
        byStep.set(step, [...(byStep.get(step) ?? []), values[i]]);
      });
    }
    setOwn(latest, id, null);
    for (const step of [...byStep.keys()].sort((a, b) => a - b)) {
      const point = points.get(step) ?? ({ x: step } as OverlayData['points'][number]);
      point[id] = meanOf(byStep.get(step)!);
      if (point[id] !== null) setOwn(latest, id, point[id]);
      points.set(step, point);
    }
  }
  return {
    points: [...points.values()].sort((a, b) => a.x - b.x),
    lines: sources.map(({ seeds: _, ...line }) => line),
    latest,
  };
}
