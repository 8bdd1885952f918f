// Summary of `are bench` rows: success by split, scenarios passed at least once and in every run, a run's cost, success within a budget.

import { renderTable } from '@projected-grpo-lab/base/commands/table.ts';
import { budgetOf, COSTS, roundBudgets, shareWithin } from '../agents/budget.ts';
import type { BenchRow } from './bench-rows.ts';

/** Dollars per million tokens; null if not given. */
interface Prices {
  readonly read: number | null;
  readonly written: number | null;
}

interface TableOptions {
  readonly agents: readonly string[];
  readonly splits: readonly string[];
  readonly runs: number;
  readonly prices: Prices;
  /** Whether the scenarios are a set, whose splits may have different sizes. */
  readonly isSet: boolean;
}

/** Metrics of one agent's rows: success per scenario over its runs, and mean cost of a run. */
export function metricsOf(rows: readonly BenchRow[]) {
  const byScenario = new Map<string, boolean[]>();
  for (const { split, scenario, success } of rows) {
    const key = `${split} ${scenario}`;
    byScenario.set(key, [...(byScenario.get(key) ?? []), success]);
  }
  const share = (holds: (runs: readonly boolean[]) => boolean) =>
    [...byScenario.values()].filter(holds).length / Math.max(1, byScenario.size);
  const mean = (values: readonly (number | null | undefined)[]) => {
    const known = values.filter((value) => typeof value === 'number');
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  return {
    once: share((runs) => runs.includes(true)),
    always: share((runs) => !runs.includes(false)),
    steps: mean(rows.map((row) => row.steps)),
    seconds: mean(rows.map((row) => row.seconds)),
    calls: mean(rows.map((row) => row.calls)),
    tokens: mean(rows.map((row) => row.tokens)),
  };
}

interface Share {
  /** Share of passed runs; `deviation` is its spread over the runs of all scenarios. */
  readonly mean: number;
  readonly deviation: number;
}

function shareOf(rows: readonly BenchRow[], runs: number, splits: readonly string[] | null = null): Share {
  const shares = Array.from({ length: runs }, (_, run) => {
    const ofRun = rows.filter((row) => row.run === run);
    const of = (chosen: readonly BenchRow[]) =>
      chosen.filter(({ success }) => success).length / Math.max(1, chosen.length);
    if (splits === null) return of(ofRun);
    return splits.reduce((sum, split) => sum + of(ofRun.filter((row) => row.split === split)), 0) / splits.length;
  });
  const mean = shares.reduce((sum, value) => sum + value, 0) / runs;
  const squares = shares.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: runs > 1 ? Math.sqrt(squares / (runs - 1)) : 0 };
}

const COST_WORDS = {
  calls: 'questions to the model (without one, actions)',
  tokens: 'tokens read and written',
  seconds: 'simulated seconds',
  dollars: 'dollars',
} as const;
const ALL_COSTS = [...COSTS, 'dollars'] as const;
type AnyCost = (typeof ALL_COSTS)[number];

function costOf({ success, calls, steps, tokens, outputTokens, seconds }: BenchRow, { read, written }: Prices) {
  const isPriced = read !== null && written !== null && typeof tokens === 'number' && typeof outputTokens === 'number';
  const dollars = isPriced ? ((tokens - outputTokens) * read + outputTokens * written) / 1e6 : null;
  return { success, seconds, calls: calls ?? steps, tokens: tokens ?? null, dollars };
}

export function tableOf(rows: readonly BenchRow[], { agents, splits, runs, prices }: TableOptions) {
  return agents.map((agent) => {
    const own = rows.filter((row) => row.agent === agent);
    const costs = own.map((row) => costOf(row, prices));
    return {
      agent,
      bySplit: Object.fromEntries(splits.map((split) => [split, shareOf(own, runs, [split])])),
      mean: shareOf(own, runs),
      macro: shareOf(own, runs, splits),
      ...metricsOf(own),
      budget: {
        calls: budgetOf(costs, 'calls'),
        tokens: budgetOf(costs, 'tokens'),
        seconds: budgetOf(costs, 'seconds'),
        dollars: budgetOf(costs, 'dollars'),
      },
    };
  });
}

/** Columns of a table of budgets. */
const BUDGETS = 7;
/** Budgets are rounded to this unit. */
const UNIT: Readonly<Record<AnyCost, number>> = { calls: 1, tokens: 1, seconds: 1, dollars: 1e-6 };

const shown = ({ mean, deviation }: Share): string => `${(100 * mean).toFixed(1)} ± ${(100 * deviation).toFixed(1)}`;

export function tableText(rows: readonly BenchRow[], options: TableOptions): string {
  const { splits, runs, prices, isSet } = options;
  const table = tableOf(rows, options);
  // If splits have different sizes, the mean over runs differs from the mean over splits.
  const means = isSet ? ['mean', 'of splits'] : ['mean'];
  const success = table.map(({ agent, bySplit, mean, macro }) => [
    ...[agent, ...splits.map((split) => shown(bySplit[split] as Share)), shown(mean)],
    ...(isSet ? [shown(macro)] : []),
  ]);
  const scenarios = new Set(rows.map(({ split, scenario }) => `${split} ${scenario}`)).size;
  const titles = [`pass@${runs} %`, `pass^${runs} %`, 'actions', 'simulated s', 'answers', 'tokens'];
  const figures = table.map(({ agent, once, always, steps, seconds, calls, tokens }) => [
    agent,
    ...[100 * once, 100 * always, steps, seconds, calls, tokens].map((value) => value?.toFixed(1) ?? ''),
  ]);
  const budgets = ALL_COSTS.flatMap((id) => {
    const withCost = table.filter(({ budget }) => budget[id].n > 0);
    if (withCost.length === 0) return [];
    const most = Math.max(...rows.map((row) => costOf(row, prices)[id] ?? 0));
    const unit = UNIT[id];
    const values = roundBudgets(most / unit, BUDGETS).map((value) => Number((value * unit).toPrecision(1)));
    const lines = withCost.map(({ agent, budget }) => [
      ...[agent, String(budget[id].n)],
      ...values.map((value) => (100 * shareWithin(budget[id], value)).toFixed(1)),
    ]);
    return [
      `\nRuns passed within so many ${COST_WORDS[id]}, in %.`,
      renderTable(['agent', 'runs', ...values.map((value) => `≤ ${value}`)], lines),
    ];
  });
  return [
    renderTable(['agent', ...splits, ...means], success),
    `\nScenarios (${scenarios}) passed once and each time; what a run takes, mean.`,
    renderTable(['agent', ...titles], figures),
    ...budgets,
  ].join('\n');
}
