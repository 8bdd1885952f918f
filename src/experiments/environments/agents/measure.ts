// What the untrained base of this environment does at temperature 1: whole episodes on tasks of both held-out splits. The model's manifest
// records it; a test measures the first round again.
import type { Policy } from '../../../engine/types.ts';
import { agentsDynamics } from '../../../environments/agents/play.ts';
import { gradeAgent } from '../../../environments/agents/reward.ts';
import { tasksOf } from '../../../environments/agents/task.ts';
import { type AgentTask, type AgentVerdict, MOST_TURNS, SPLITS } from '../../../environments/agents/types.ts';
import { foldIn, keyFor, STREAMS } from '../../../rng/index.ts';
import type { TextCodec } from '../../../text/types.ts';
import type { Rates } from '../../records/metrics.ts';
import { rollOut } from '../../step/rollouts.ts';
import { agentMetrics } from './agents.ts';

/** Shares over episodes, and the mean of their turns: the environment's own figures. */
export interface AgentRates extends Rates {
  splits: Record<string, Rates>;
  /** Solve by template. */
  kinds: Record<string, { n: number; solve: number | null }>;
}

/** A round's size: so many tasks of each split, and episodes of each. */
export const ROUND = { tasks: 28, samples: 2, maxNew: 48, maxTokens: 320 } as const;

interface Input {
  policy: Policy;
  codec: TextCodec;
  dataSeed: number;
  signal?: AbortSignal;
}

interface Judged {
  task: AgentTask;
  verdict: AgentVerdict;
  split: string;
}

/** Every round has tasks of its own. */
export async function measureAgents(
  input: Input,
  rounds: number,
  onRound?: (done: number) => void,
): Promise<{ all: AgentRates; first: AgentRates }> {
  const judged: Judged[][] = [];
  for (let round = 0; round < rounds; round++) {
    onRound?.(round);
    judged.push(await play(input, round));
  }
  return { all: ratesOf(judged.flat()), first: ratesOf(judged[0] as Judged[]) };
}

async function play({ policy, codec, dataSeed, signal }: Input, round: number): Promise<Judged[]> {
  const { tasks, samples, maxNew, maxTokens } = ROUND;
  const episodes = SPLITS.flatMap((split) =>
    tasksOf(split, tasks * (round + 1), dataSeed)
      .slice(tasks * round)
      .flatMap((task) => Array.from({ length: samples }, () => ({ task, split }))),
  ).map((one, i) => {
    const key = keyFor(round + 1, STREAMS.evaluation, i);
    return { ...one, key: (turn: number) => foldIn(key, turn) };
  });
  const played = await rollOut({ policy, codec, dynamics: agentsDynamics }, episodes, {
    ...{ maxNew, maxTokens, maxTurns: MOST_TURNS, temperature: 1, signal },
  });
  return Promise.all(
    episodes.map(async ({ task, split }, i) => ({ task, split, verdict: await gradeAgent(task, played[i].turns) })),
  );
}

function ratesOf(judged: readonly Judged[]): AgentRates {
  const kinds = [...new Set(judged.map(({ task }) => task.kind))].sort();
  const ofKind = (kind: string) => {
    const { n, figures } = agentMetrics(judged.filter(({ task }) => task.kind === kind));
    return [kind, { n, solve: figures.solve }] as const;
  };
  return {
    ...agentMetrics(judged),
    splits: Object.fromEntries(SPLITS.map((id) => [id, agentMetrics(judged.filter(({ split }) => split === id))])),
    kinds: Object.fromEntries(kinds.map(ofKind)) as AgentRates['kinds'],
  };
}
