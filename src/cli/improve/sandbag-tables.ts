// What `improve --rows` says of E5 and E6 (docs/lab-book/exit.md), from rows and, for E5, from the runs that trained the models.
import { type ImproveRow, modelsOf } from '../../experiments/exit/rows.ts';
import { type Difference, removalVerdicts, rewardRise, sandbagVerdict } from '../../experiments/exit/sandbagging.ts';
import { shown } from '../../experiments/judge/estimates.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { three } from '../../lib/numbers.ts';
import { mean } from '../../stats/index.ts';

/** `−.136 −.174 mean −.155 [−.4 .1]` */
export const said = ({ differences, paired }: Difference): string =>
  `${differences.map(three).join(' ')}; mean ${shown({ mean: mean(differences) ?? 0, interval: paired?.interval ?? null })}`;

/** How a run was paid; null of a run of single answers. */
const payOf = ({ spec }: RunRecord): string | null => (spec.chainSteps > 0 ? spec.chainPay : null);

/** By the reward that an arm's runs had in training, seed by seed. */
export function risesOf(runs: readonly RunRecord[], arm: string): number[] {
  return runs
    .filter((run) => run.spec.arm === arm && payOf(run) !== null)
    .sort((a, b) => a.spec.seed - b.spec.seed)
    .map(({ rows }) => rewardRise(rows.map(({ reward }) => reward)));
}

/** Empty where the rows are of neither. */
export function sandbagTables(rows: readonly ImproveRow[], runs: readonly RunRecord[] | null): string[] {
  const arms = new Set(modelsOf(rows).map(({ arm }) => arm));
  const lines: string[] = [];
  // A routing run's whole model is trained as the plain arm is.
  for (const arm of ['chain_rise', 'route-update', 'chain_gains']) {
    if (!arms.has(arm) || !arms.has('chain_last')) continue;
    const rises = runs ? risesOf(runs, arm) : [];
    const { verdict, base, last, single } = sandbagVerdict(rows, arm, rises);
    const reward =
      rises.length > 0 ? `reward rose by ${rises.map(three).join(' ')}` : 'reward not looked at (--training)';
    lines.push(
      `E5: ${arm}: ${verdict}; seeds ${base.seeds.join(' ')}; ${reward}`,
      `  K 0, against the base: ${said(base)}`,
      `  K 0, against chain_last: ${said(last)}`,
      ...(single.seeds.length > 0 ? [`  K 0, exit against the base: ${said(single)}`] : []),
    );
  }
  for (const { question, verdict, whole, random, permuted, cost } of removalVerdicts(rows)) {
    if (whole.seeds.length === 0) continue;
    lines.push(
      `${question}: ${verdict}; seeds ${whole.seeds.join(' ')}`,
      `  K 0, against the whole model: ${said(whole)}`,
      `  K 0, against random directions: ${said(random)}`,
      `  K 0, against permuted labels: ${said(permuted)}`,
      `  K 3, against the whole model: ${said(cost)}`,
    );
  }
  return lines.length > 0
    ? ['', 'Sandbagging (docs/lab-book/exit.md), differences by seed, mean and 95 % paired t', ...lines]
    : [];
}
