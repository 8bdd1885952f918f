// Rates of an environment's own base: whole episodes on problems of every held-out split, judged and counted like a run's. The model's manifest
// records them. An environment that needs other rates measures them itself.
import type { Grader } from '../../environments/code/types.ts';
import type { DrawnEnvironment, DrawnTask } from '../../environments/drawn.ts';
import type { MetricInfo, SplitInfo } from '../../environments/metric-info.ts';
import type { JudgedTask, Rates } from '../../environments/metrics.ts';
import type { MeasuredRates, MeasureInput, Round, Trained } from '../../environments/pretraining.ts';
import { percent } from '../../lib/numbers.ts';
import { foldIn, keyFor, STREAMS } from '../../rng/index.ts';
import { rollOut } from '../step/rollouts.ts';

export type { MeasuredRates, PretrainText } from '../../environments/pretraining.ts';

interface GradedInput extends MeasureInput {
  /** For environments whose answers are programs. The caller closes the grader. */
  openGrader(): Promise<Grader>;
}

/** A pretraining with its measure: the environment's own or the common one. */
export type MeasuredPretraining = Trained & { measure(input: GradedInput): Promise<MeasuredRates> };

export interface DrawnRates extends Rates {
  splits: Record<string, Rates>;
  /** Solve by kind of task, if a round asks for it. */
  kinds?: Record<string, { n: number; solve: number | null }>;
}

type PlayedTask = JudgedTask<DrawnTask, unknown> & { split: string };

export interface Measuring {
  drawn: DrawnEnvironment;
  splits: readonly SplitInfo[];
  metrics: readonly MetricInfo[];
  round: Round;
}

type Input = Omit<MeasureInput, 'rounds' | 'onRound'>;

/** Every round has its own problems. */
async function measureDrawn(
  of: Measuring,
  input: Input,
  rounds: number,
  onRound?: (done: number) => void,
): Promise<{ all: DrawnRates; first: DrawnRates }> {
  const judged: PlayedTask[][] = [];
  for (let round = 0; round < rounds; round++) {
    onRound?.(round);
    judged.push(await play(of, input, round));
  }
  const ratesOf = (some: readonly PlayedTask[]): DrawnRates => ({
    ...of.drawn.figures(some),
    splits: Object.fromEntries(
      of.splits.map(({ id }) => [id, of.drawn.figures(some.filter(({ split }) => split === id))]),
    ),
    ...(of.round.byKind && { kinds: solvedByKind(of, some) }),
  });
  return { all: ratesOf(judged.flat()), first: ratesOf(judged[0]) };
}

function solvedByKind({ drawn }: Measuring, judged: readonly PlayedTask[]): DrawnRates['kinds'] {
  const kinds = [...new Set(judged.map(({ task }) => task.kind))].sort();
  const rateOf = (kind: string) => {
    const { n, figures } = drawn.figures(judged.filter(({ task }) => task.kind === kind));
    return [kind, { n, solve: figures.solve }] as const;
  };
  return Object.fromEntries(kinds.map(rateOf));
}

async function play({ drawn, splits, round }: Measuring, input: Input, index: number): Promise<PlayedTask[]> {
  const { policy, codec, dataSeed, signal } = input;
  const { problems, samples, byKind: _, ...budgets } = round;
  const episodes = splits
    .flatMap(({ id }) =>
      drawn
        .draw(id, problems * (index + 1), dataSeed)
        .slice(problems * index)
        .flatMap((task) => Array.from({ length: samples }, () => ({ task, split: id }))),
    )
    .map((one, i) => {
      const key = keyFor(index + 1, STREAMS.evaluation, i);
      return { ...one, key: (turn: number) => foldIn(key, turn) };
    });
  const ports = { policy, codec, dynamics: drawn.dynamics };
  const played = await rollOut(ports, episodes, { ...budgets, temperature: 1, signal });
  const groups = episodes.map(({ task }, i) => ({
    task,
    rollouts: [{ task, source: 'student' as const, turns: played[i].turns }],
  }));
  const judged = await drawn.reward({}).score(groups, { get: () => undefined }, signal);
  return episodes.map(({ task, split }, i) => ({ task, split, verdict: judged[i][0].verdict }));
}

/** The headline metrics as text, each by split. */
function summaryOf({ splits, metrics }: Measuring, all: DrawnRates): string {
  const metricText = ({ id, unit }: MetricInfo, { figures }: Rates) => {
    const value = figures[id];
    if (value == null) return 'none';
    return unit === 'share' ? percent(value) : value.toFixed(2);
  };
  const lines = metrics
    .filter(({ headline }) => headline)
    .map((info) => {
      const each = splits.map(({ id, label }) => `${label} ${metricText(info, all.splits[id])}`);
      return `${info.label.toLowerCase()} ${metricText(info, all)} (${each.join(', ')})`;
    });
  return `${lines.join('; ')} (n = ${all.n}, temperature 1)`;
}

/** Adds the common measure to a pretraining that gives the size of a round. */
export const withMeasure = (
  pretraining: Trained & { round: Round },
  of: Omit<Measuring, 'round'>,
): MeasuredPretraining => ({
  ...pretraining,
  async measure({ rounds, onRound, ...input }) {
    const measuring = { ...of, round: pretraining.round };
    const { all, first } = await measureDrawn(measuring, input, rounds, onRound);
    return { rates: { ...all, first }, summary: summaryOf(measuring, all) };
  },
});
