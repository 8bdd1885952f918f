// A run as lines of text, one per step and evaluation, for users who prefer text and for screen readers. Pure functions.

import { ARMS } from '../../experiments/config/arms.ts';
import { modelLabel } from '../../experiments/config/controls.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { metricValue } from '../../experiments/records/metrics.ts';
import { decimal, percent } from '../../lib/numbers.ts';

/** The last `most` lines of all runs in their order, with the newest last. */
export function logLines(runs: readonly RunRecord[], most = 200): string[] {
  return runs.flatMap(linesOf).slice(-most);
}

function linesOf({ spec, rows, evals, status }: RunRecord): string[] {
  const name = `${ARMS[spec.arm]?.label ?? spec.arm}, seed ${spec.seed}`;
  const metrics = headlinesOf(spec.environment);
  const figures = (of: Parameters<typeof metricValue>[0]) =>
    metrics.map(({ id, label }) => `${label.toLowerCase()} ${percent(metricValue(of, id), 0)}`).join(', ');
  const ended = status === 'running' || status === 'waiting' ? [] : [`${name}: ${status} after ${rows.length} steps`];
  const evaluated = (step: number) =>
    evals
      .filter((row) => row.kind === 'during' && row.step === step)
      .map((row) => `${name}, step ${step}, evaluation of ${modelLabel(row.model)}: ${figures(row.all)}`);
  const finals = evals
    .filter((row) => row.kind === 'final')
    .map((row) => `${name}, final evaluation of ${modelLabel(row.model)}: ${figures(row.all)}`);
  return [
    ...rows.flatMap((row) => [
      `${name}, step ${row.step} of ${spec.steps}: reward ${decimal(row.reward)}, ${figures(row.student)}`,
      ...evaluated(row.step),
    ]),
    ...finals,
    ...ended,
  ];
}
