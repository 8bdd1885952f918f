// Evaluates a model of the agents on composed forms: episodes of every split with their results, as rows for the published table and for the
// rates of tiny-agent-forms.

import { templatesOfPart } from '@projected-grpo-lab/are/generate/generate.ts';
import { SPLITS, type Split } from '@projected-grpo-lab/are/generate/template.ts';
import type { Policy } from '../../engine/types.ts';
import { composedTraining } from '../../environments/agents/model.ts';
import { gradeAgent } from '../../environments/agents/reward.ts';
import { agentsDynamics, MOST_COMPOSED_TURNS, makeTask, type Part } from '../../environments/agents/task.ts';
import { percent } from '../../lib/numbers.ts';
import { foldIn, keyFor, STREAMS } from '../../rng/index.ts';
import { mean, sd } from '../../stats/index.ts';
import type { TextCodec } from '../../text/codec.ts';
import { rollOut } from '../step/rollouts.ts';
import type { MeasuredPretraining } from './pretraining.ts';

export interface ComposedRow {
  split: Split;
  /** Id of the form. */
  form: string;
  task: string;
  success: boolean;
  failure: string | null;
  turns: number;
  refused: number;
  ended: boolean;
}

export interface Drawn {
  part: Part;
  /** Number of tasks in each split. */
  count: number;
  /** Seeds universes, the choice of forms, and sampling. */
  seed: number;
  temperature: number;
}

interface Ports {
  policy: Pick<Policy, 'generate' | 'generateEpisodes'>;
  codec: TextCodec;
  signal?: AbortSignal;
}

/** Every answer has fewer tokens than maxNew, and every episode with its observations fewer than the model has positions. */
const BUDGETS = { maxNew: 64, maxTokens: 700, maxTurns: MOST_COMPOSED_TURNS } as const;
/** Number of simultaneous episodes. */
const BATCH = 50;

/** Picks distinct forms until all are used, walking through them by a step that is coprime to their number. */
export function composedTasks({ part, count, seed }: Pick<Drawn, 'part' | 'count' | 'seed'>) {
  const ofPart = ({ training: 'composed', words: 'composed new words', templates: 'composed held out' } as const)[part];
  return SPLITS.flatMap((split) => {
    const { length } = templatesOfPart(split, ofPart);
    const step = [41, 43].find((prime) => length % prime !== 0) ?? 1;
    // After a full pass, each form is repeated in another universe.
    const numberOf = (i: number) => ((seed * 7 + i * step) % length) + length * Math.floor(i / length);
    return Array.from({ length: count }, (_, i) => makeTask(part, numberOf(i), 500 + seed, split));
  });
}

/** @param known ids of tasks to skip
 *  @param onRows called with each batch of rows */
export async function measureComposed(
  { policy, codec, signal }: Ports,
  drawn: Drawn,
  known: ReadonlySet<string> = new Set(),
  onRows?: (rows: readonly ComposedRow[], of: number) => void | Promise<void>,
): Promise<ComposedRow[]> {
  const tasks = composedTasks(drawn);
  const made: ComposedRow[] = [];
  for (let from = 0; from < tasks.length; from += BATCH) {
    // A task's random numbers depend on its index among all tasks, not on its batch.
    const episodes = tasks.slice(from, from + BATCH).flatMap((task, i) => {
      const key = keyFor(drawn.seed, STREAMS.evaluation, from + i, 2);
      return known.has(task.id) ? [] : [{ task, key: (turn: number) => foldIn(key, turn) }];
    });
    if (episodes.length === 0) continue;
    const { temperature } = drawn;
    const ports = { policy, codec, dynamics: agentsDynamics };
    const played = await rollOut(ports, episodes, { ...BUDGETS, temperature, signal });
    const rows = await Promise.all(
      episodes.map(async ({ task }, i): Promise<ComposedRow> => {
        const { success, failure, turns, refused, ended } = await gradeAgent(task, played[i]!.turns);
        return { split: task.split!, form: task.kind, task: task.id, success, failure, turns, refused, ended };
      }),
    );
    made.push(...rows);
    await onRows?.(rows, tasks.length);
  }
  return made;
}

/** Share of successes by split. */
export function tableOf(rows: readonly Pick<ComposedRow, 'split' | 'success'>[]) {
  const ofSplit = (split: Split) => {
    const own = rows.filter((row) => row.split === split);
    return { n: own.length, solve: own.filter(({ success }) => success).length / Math.max(1, own.length) };
  };
  return Object.fromEntries(SPLITS.map((split) => [split, ofSplit(split)])) as Record<
    Split,
    ReturnType<typeof ofSplit>
  >;
}

/** A row with its model and its sampling. */
export interface SampledRow extends ComposedRow {
  model: string;
  part: 'words' | 'templates';
  seed: number;
  temperature: number;
  /** Hash of the prompt settings; absent if they are the model's own. */
  prompts?: string;
}

export interface ComposedMetrics {
  model: string;
  /** One seed per draw of tasks. */
  seeds: readonly number[];
  /** Tasks of a split in each draw. */
  tasks: number;
  /** Share passed in each draw, in the order of `seeds`. */
  solve: Record<Split, number[]>;
  mean: Record<Split, number>;
  sd: Record<Split, number | null>;
}

/** Metrics of each model. */
export function composedMetrics(rows: readonly SampledRow[]): ComposedMetrics[] {
  return [...new Set(rows.map(({ model }) => model))].map((model) => {
    const own = rows.filter((row) => row.model === model);
    const seeds = [...new Set(own.map(({ seed }) => seed))].sort((a, b) => a - b);
    const tables = seeds.map((seed) => tableOf(own.filter((row) => row.seed === seed)));
    const bySplit = <T>(of: (split: Split) => T) =>
      Object.fromEntries(SPLITS.map((split) => [split, of(split)])) as Record<Split, T>;
    const solve = bySplit((split) => tables.map((table) => table[split].solve));
    return {
      model,
      seeds,
      solve,
      tasks: Math.min(...tables.flatMap((table) => SPLITS.map((split) => table[split].n))),
      mean: bySplit((split) => mean(solve[split]) ?? 0),
      sd: bySplit((split) => sd(solve[split])),
    };
  });
}

export const composedPretraining: MeasuredPretraining = {
  ...composedTraining,
  async measure({ rounds, onRound, policy, codec, dataSeed, signal }) {
    const passesOf = async (part: 'words' | 'templates') =>
      tableOf(
        await measureComposed({ policy, codec, signal }, { part, count: 20 * rounds, seed: dataSeed, temperature: 1 }),
      );
    onRound?.(0);
    const words = await passesOf('words');
    onRound?.(1);
    const templates = await passesOf('templates');
    const ratesText = (rates: typeof words) =>
      Object.entries(rates)
        .map(([split, { solve }]) => `${split} ${percent(solve ?? 0)}`)
        .join(', ');
    const summary = `held-out forms: ${ratesText(templates)}; known forms, other words: ${ratesText(words)}`;
    return { rates: { words, templates }, summary };
  },
};
