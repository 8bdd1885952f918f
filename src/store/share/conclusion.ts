// The results of a shared experiment, one sentence for each model: its metrics against vanilla with the same seeds. It uses the link's
// figures, performs no tests, and states its n.

import type { MetricInfo } from '../../environments/metric-info.ts';
import { armLabel, nameOf } from '../../experiments/analysis/names.ts';
import { withPageNames } from '../../experiments/analysis/page-names.ts';
import { isVanillaEquivalent } from '../../experiments/analysis/vanilla.ts';
import { modelLabel } from '../../experiments/config/controls.ts';
import { percent, points } from '../../lib/numbers.ts';
import type { SharedEval, SharedRun } from '../../share/shared-run.ts';
import { mean } from '../../stats/index.ts';

interface ModelLine {
  label: string;
  /** Whether it is a reference point or a control, which nobody would deploy. */
  isControl: boolean;
  /** Evaluations by seed. */
  evals: Map<number, SharedEval>;
}

/** Models that answer the question. All others are for comparison. */
const ANSWERS: readonly string[] = ['total', 'deployed'];

/** The untrained base once, then the models of each arm, in the order of the runs. */
export function linesOf(runs: readonly SharedRun[]): ModelLine[] {
  const lines = new Map<string, ModelLine>();
  const arms = [...new Set(runs.map(({ arm }) => arm))];
  runs.forEach((run) => {
    for (const row of run.evals) {
      if (row.kind !== 'final') continue;
      // Every run evaluates the same base. A control's name includes its arm.
      const isControl = row.model !== 'base' && !ANSWERS.includes(row.model);
      const name = isControl
        ? withPageNames(`${armLabel(run.arm)}, ${modelLabel(row.model)}`)
        : nameOf(run.arm, row.model, arms);
      const line = lines.get(name) ?? { label: name, isControl: !ANSWERS.includes(row.model), evals: new Map() };
      lines.set(name, line);
      line.evals.set(run.seed, row);
    }
  });
  return [...lines.values()];
}

/** Final evaluations of the trained model under the arm that represents vanilla; null if there is none. */
function vanillaEvals(runs: readonly SharedRun[]): Map<number, SharedEval> | null {
  const arms = runs.map(({ arm }) => arm);
  const vanilla = arms.find((arm) => isVanillaEquivalent(arm, arms));
  const evals = new Map<number, SharedEval>();
  for (const run of runs)
    for (const row of run.evals)
      if (run.arm === vanilla && row.kind === 'final' && row.model === 'total') evals.set(run.seed, row);
  return evals.size > 0 ? evals : null;
}

/** Empty without vanilla, or without another model. */
export function conclusionOf(runs: readonly SharedRun[], metrics: readonly MetricInfo[]): string[] {
  const vanilla = vanillaEvals(runs);
  if (!vanilla) return [];
  const sentences = linesOf(runs).flatMap(({ label, isControl, evals }) => {
    if (isControl || [...evals.values()].every((row) => [...vanilla.values()].includes(row))) return [];
    const seeds = [...evals.keys()].filter((seed) => vanilla.has(seed));
    const parts = metrics.flatMap(({ id, label: name }) => {
      const pairs = seeds.map((seed) => [vanilla.get(seed)?.figures[id], evals.get(seed)?.figures[id]]);
      if (pairs.length === 0 || pairs.some((pair) => pair.some((value) => value === null || value === undefined)))
        return [];
      const [before, after] = [0, 1].map((i) => mean(pairs.map((pair) => pair[i] as number)) as number);
      return [
        `${name.toLowerCase()} ${percent(after, 0)} against ${percent(before, 0)} (${points(after - before)} points)`,
      ];
    });
    return parts.length === 0 ? [] : [`${label}, against vanilla: ${parts.join(', ')}; n = ${seeds.length}.`];
  });
  if (sentences.length === 0) return [];
  const most = Math.max(...linesOf(runs).map(({ evals }) => evals.size));
  return [
    ...sentences,
    most === 1 ? 'One seed: suggestive, not a result.' : 'Means over seeds; nothing was tested for this sentence.',
  ];
}
