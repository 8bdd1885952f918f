// Success within a budget, over the runs that were played in the view: the costs of a run, and the curves as lines of a chart.
import { budgetOf, type Cost, type CostId } from '@projected-grpo-lab/are/agents/budget.ts';
import type { PlayedRun, PlayerName } from '../../lab/protocol/agents.ts';
import { toCsv } from '../../lib/csv.ts';
import type { LegendItem, StepLine } from '../charts/data.ts';
import { styleOf } from '../runs/arm-style.ts';
import { AGENT_WORDS } from './words.ts';

export interface RunCost extends Cost {
  readonly scenario: string;
  readonly agent: PlayerName;
}

export function costOf({ recipe, steps, model, verdict, seconds, scenario }: PlayedRun): RunCost {
  const spent = model?.spent;
  return {
    scenario,
    agent: recipe.agent,
    success: verdict.success,
    seconds,
    calls: spent?.calls ?? steps,
    // Some servers do not report token counts.
    tokens: (spent && spent.inputTokens + spent.outputTokens) || null,
  };
}

const LOOKS: Readonly<Record<PlayerName, LegendItem['style']>> = {
  oracle: styleOf('green', undefined, 'circle'),
  'oracle-mistake': styleOf('amber', '7 3', 'square'),
  random: styleOf('grey', '4 2', 'cross'),
  silent: styleOf('grey', '2 2', 'diamond'),
  'tiny-agent': styleOf('blue', undefined, 'triangle'),
  'tiny-agent-forms': styleOf('sky', '5 2', 'triangle'),
  react: styleOf('vermillion', undefined, 'star'),
  'react-onnx': styleOf('vermillion', '2 2', 'square'),
  'react-endpoint': styleOf('purple', '7 3', 'star'),
};

/** A step line for each agent that has such costs, from a budget of 0 to the largest cost. Each rise has a corner point before it. */
export function budgetLines(runs: readonly RunCost[], cost: CostId): StepLine[] {
  const most = Math.max(1, ...runs.flatMap((run) => run[cost] ?? []));
  const agents = [...new Set(runs.map(({ agent }) => agent))];
  return agents.flatMap((agent) => {
    const { n, rises } = budgetOf(
      runs.filter((run) => run.agent === agent),
      cost,
    );
    if (n === 0) return [];
    const points = [{ x: 0, y: 0 }];
    for (const { cost: x, share: y } of rises) points.push({ x, y: points.at(-1)?.y ?? 0 }, { x, y });
    points.push({ x: most, y: points.at(-1)?.y ?? 0 });
    return [{ id: agent, label: AGENT_WORDS[agent], style: LOOKS[agent], n, points }];
  });
}

export const costsCsv = (runs: readonly RunCost[]): string =>
  toCsv(
    ['scenario', 'agent', 'success', 'calls', 'tokens', 'simulated_seconds'],
    runs.map(({ scenario, agent, success, calls, tokens, seconds }) => [
      ...[scenario, agent, String(success), calls, tokens, seconds],
    ]),
  );
