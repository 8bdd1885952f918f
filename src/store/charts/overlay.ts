// Lines of different experiments, or of a link, over one axis of steps: each is the mean over its seeds, smoothed before anything is
// dropped. charts/data.ts has the charts of one experiment; here only a line's own figures are known of a run.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { MetricInfo } from '../../environments/metric-info.ts';
import type { ComparedGroup } from '../../experiments/analysis/compare-runs.ts';
import { nameOf } from '../../experiments/analysis/names.ts';
import { isVanillaEquivalent } from '../../experiments/analysis/vanilla.ts';
import { ARMS, type ArmName } from '../../experiments/config/arms.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import { metricValue } from '../../experiments/records/metrics.ts';
import type { SharedRun } from '../../share/shared-run.ts';
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

/** The chart of one of the environment's headline metrics. */
export interface OverlayOf {
  info: MetricInfo;
  data: OverlayData;
}

/** One chart for each headline metric of the environment. */
export const overlays = (environment: string, of: (measure: string) => OverlayData): OverlayOf[] =>
  headlinesOf(environment).map((info) => ({ info, data: of(info.id) }));

/** `looks`: looks by line id, in place of the arm's; `beta`: weight of the past in the smoothing. */
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

export function overlayOfShare(runs: readonly SharedRun[], measure: string): OverlayData {
  const arms = [...new Set(runs.map(({ arm }) => arm))];
  const look = distinctLooks();
  return merge(
    arms.flatMap((arm): Source[] => {
      const own = runs.filter((run) => run.arm === arm);
      const routes = ARMS[arm].projection === 'route';
      const training: Source = {
        id: arm,
        label: nameOf(arm, 'total', arms),
        style: look(trainingStyle(arm, isVanillaEquivalent(arm, arms), routes)),
        n: own.length,
        sparse: false,
        seeds: own.map((run) => run.steps.map((step, i) => ({ step, y: run.series[measure]?.[i] ?? null }))),
      };
      if (!routes) return [training];
      const evaluated = own.map((run) =>
        run.evals
          .filter((row) => row.kind === 'during' && row.model === 'deployed')
          .map((row) => ({ step: row.step, y: row.figures[measure] ?? null })),
      );
      return [
        training,
        {
          ...training,
          id: `${arm}:deployed`,
          label: nameOf(arm, 'deployed', arms),
          style: look(armStyle(arm)),
          sparse: true,
          seeds: evaluated,
        },
      ];
    }),
  );
}

/** The look that the line has in the charts of its own experiment. */
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
