// A fork beside its parent, from the step at which they part. Both were the same run until then and share their random numbers, so their steps
// are paired by number. Pure functions of two records.
import type { MetricInfo } from '../../environments/metric-info.ts';
import { percent } from '../../lib/numbers.ts';
import { mean } from '../../stats/index.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { SETTING_NAMES, type SettingName } from '../config/settings.ts';
import { withDefaults } from '../config/spec.ts';
import type { RunRecord, StepRow } from '../records/events.ts';
import { finalMetric, metricValue } from '../records/metrics.ts';
import { armLabel } from './names.ts';
import { shortNumber, uncapital } from './words.ts';

/** What is compared: the steps after the fork, the trained models at the end, or the deployed ones. */
export type SinceForkPart = 'steps' | 'final' | 'deployed';

export interface SinceFork {
  metric: string;
  part: SinceForkPart;
  parent: number;
  child: number;
  /** Child − parent. */
  difference: number;
  /** Number of paired steps in the means; 1 for evaluations. */
  n: number;
}

/**
 * Each metric's mean over the steps after the fork that both have, and its final evaluation: of the trained models, and where either run routes
 * also of the deployed ones. Empty if there is nothing to compare yet.
 */
export function sinceFork(parent: RunRecord, child: RunRecord, metrics: readonly string[]): SinceFork[] {
  const { fork } = child.spec;
  if (!fork) return [];
  const byStep = new Map(parent.rows.map((row) => [row.step, row]));
  const pairs = child.rows.flatMap((row): [StepRow, StepRow][] => {
    const other = row.step > fork.step ? byStep.get(row.step) : undefined;
    return other ? [[other, row]] : [];
  });
  return metrics.flatMap((metric) => {
    const known = pairs.flatMap(([before, after]) => {
      const [one, other] = [metricValue(before.student, metric), metricValue(after.student, metric)];
      return one === null || other === null ? [] : [[one, other] as const];
    });
    const side = (i: 0 | 1) => mean(known.map((pair) => pair[i]));
    const rows = [
      pairOf(metric, 'steps', side(0), side(1), known.length),
      pairOf(metric, 'final', finalMetric(parent, 'total', metric), finalMetric(child, 'total', metric), 1),
    ];
    const routes = [parent, child].some(({ spec }) => spec.projection === 'route');
    if (routes) rows.push(pairOf(metric, 'deployed', deployedMetric(parent, metric), deployedMetric(child, metric), 1));
    return rows.flatMap((row) => row ?? []);
  });
}

/** Final evaluations of forks beside their parent's: `From step 3 on, erase: hack 12% (parent 45%), solve 50% (parent 42%).` Deployed models are
 *  compared where either run routes. Null while no fork and its parent both have final evaluations. */
export function sinceForkSentence(
  parent: RunRecord,
  children: readonly RunRecord[],
  metrics: readonly MetricInfo[],
): string | null {
  const sentences = children.flatMap((child) => endOf(parent, child, metrics) ?? []);
  const step = children[0]?.spec.fork?.step;
  return sentences.length > 0 && step !== undefined ? `From step ${step + 1} on, ${sentences.join('; ')}.` : null;
}

function endOf(parent: RunRecord, child: RunRecord, metrics: readonly MetricInfo[]): string | null {
  const rows = sinceFork(
    parent,
    child,
    metrics.map(({ id }) => id),
  );
  const parts = metrics.flatMap(({ id, label, unit }) => {
    const own = rows.filter(({ metric, part }) => metric === id && part !== 'steps').at(-1);
    const show = (x: number) => (unit === 'share' ? percent(x, 0) : shortNumber(x));
    return own ? [`${uncapital(label)} ${show(own.child)} (parent ${show(own.parent)})`] : [];
  });
  const name = `${armLabel(child.spec.arm)}${changesAtFork(child.spec).length > 0 ? '' : ', unchanged'}`;
  return parts.length > 0 ? `${name}: ${parts.join(', ')}` : null;
}

/** A run without a quarantine deploys the trained model. */
export const deployedMetric = (run: RunRecord, metric: string): number | null =>
  finalMetric(run, run.spec.projection === 'route' ? 'deployed' : 'total', metric);

const pairOf = (
  metric: string,
  part: SinceForkPart,
  parent: number | null,
  child: number | null,
  n: number,
): SinceFork | null =>
  parent === null || child === null ? null : { metric, part, parent, child, difference: child - parent, n };

/** Settings of a fork that differ from its parent's. */
export function changesAtFork(child: RunSpec): { name: 'arm' | SettingName; before: unknown; after: unknown }[] {
  const parent = child.fork?.spec;
  if (!parent) return [];
  const [before, after] = [withDefaults(parent), withDefaults(child)];
  const names = (['arm', ...SETTING_NAMES] as const).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return names.map((name) => ({ name, before: before[name], after: after[name] }));
}
