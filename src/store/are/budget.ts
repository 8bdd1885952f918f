// Success within a budget: of an agent's runs, how many had passed when they had cost so much. A run that failed counts, at any cost.
import { type LegendItem, type StepLine, style } from '../kinds/probe/chart.ts';
import { toCsv } from '../runs/download.ts';
import type { PlayedRun, PlayerName } from './play.ts';

export const COSTS = ['calls', 'tokens', 'seconds'] as const;
export type CostId = (typeof COSTS)[number];

export interface RunCost {
  readonly scenario: string;
  readonly agent: PlayerName;
  readonly success: boolean;
  /** Questions to the model; of an agent without one, its actions. */
  readonly calls: number;
  /** Read and written; null without a model. */
  readonly tokens: number | null;
  /** Simulated. */
  readonly seconds: number;
}

export function costOf({ recipe, run, model, verdict, environment, scenario }: PlayedRun): RunCost {
  const spent = model?.spent;
  return {
    ...{ scenario: scenario.id, agent: recipe.agent, success: verdict.success },
    calls: spent?.calls ?? run.steps.length,
    tokens: spent ? spent.inputTokens + spent.outputTokens : null,
    seconds: environment.clock.passed(),
  };
}

const LOOKS: Readonly<Record<PlayerName, LegendItem['style']>> = {
  oracle: style('green', undefined, 'circle'),
  'oracle-mistake': style('amber', '7 3', 'square'),
  random: style('grey', '4 2', 'cross'),
  silent: style('grey', '2 2', 'diamond'),
  'tiny-agent': style('blue', undefined, 'triangle'),
  react: style('vermillion', undefined, 'star'),
};

/** A line an agent that has such costs, from a budget of 0 to the largest of all; steps, with a corner before each rise. */
export function budgetLines(runs: readonly RunCost[], cost: CostId): StepLine[] {
  const costs = runs.flatMap((run) => run[cost] ?? []);
  const most = Math.max(1, ...costs);
  const agents = [...new Set(runs.map(({ agent }) => agent))];
  return agents.flatMap((agent) => {
    const own = runs.filter((run) => run.agent === agent && run[cost] !== null);
    if (own.length === 0) return [];
    const passed = own.flatMap((run) => (run.success ? [run[cost] as number] : [])).sort((a, b) => a - b);
    const points = [{ x: 0, y: 0 }];
    passed.forEach((x, i) => {
      points.push({ x, y: i / own.length }, { x, y: (i + 1) / own.length });
    });
    points.push({ x: most, y: passed.length / own.length });
    return [{ id: agent, label: agent, style: LOOKS[agent], n: own.length, points }];
  });
}

export const costsCsv = (runs: readonly RunCost[]): string =>
  toCsv(
    ['scenario', 'agent', 'success', 'calls', 'tokens', 'simulated_seconds'],
    runs.map(({ scenario, agent, success, calls, tokens, seconds }) => [
      ...[scenario, agent, String(success), calls, tokens, seconds],
    ]),
  );
