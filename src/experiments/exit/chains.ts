// Chains of self-improvement (the test of ExIt, arXiv 2509.04575): a model answers, is shown its own answer with its check's result, and answers
// again, K times; or, at an equal number of answers, K + 1 independent ones. One row per task. Results depend only on the policy's adapter
// parameters and the settings.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import type { KvCache } from '../../engine/storage-layouts.ts';
import type { Answer } from '../../environments/exit/types.ts';
import type { ModelHandles } from '../../environments/types.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { judgedCompletion } from '../step/answers.ts';
import type { TrainingEnvironment } from '../step/environment.ts';
import { type RolloutPorts, rollOut } from '../step/rollouts.ts';

/** State after each answer; entry 0 is the first answer. Plain JSON. */
export interface ChainRow {
  id: string;
  /** The last answer that can be shown; null before there is one. */
  answers: (string | null)[];
  /** Quality of the last answer that can be shown; 0 before there is one. */
  quality: number[];
  /** Tokens written so far, over all answers. */
  tokens: number[];
}

export interface ChainSettings {
  /** Number of revisions after the first answer. */
  steps: number;
  seed: number;
  /** Sampling temperature; 0 is greedy. */
  temperature: number;
  maxNew: number;
  kvCache?: KvCache;
  /** If set, every answer is to the task itself, and none is shown. */
  isIndependent?: boolean;
  signal?: AbortSignal;
}

interface Chain<Task> {
  task: Task;
  last: Answer | null;
  row: ChainRow;
}

/** Tasks per batch; bounds memory, and how long a stop waits. */
const BATCH = 128;
/** Second word of a random key, which separates iterated from independent answers. */
const ITERATED = 1;
const INDEPENDENT = 2;

export async function improve<Task, State, Verdict>(
  ports: Pick<RolloutPorts<Task, State>, 'policy' | 'codec'>,
  environment: Pick<TrainingEnvironment<Task, State, Verdict>, 'dynamics' | 'reward' | 'improvable' | 'thinking'>,
  tasks: readonly Task[],
  settings: ChainSettings,
): Promise<ChainRow[]> {
  const { improvable, dynamics, reward } = environment;
  if (!improvable) return [];
  const { steps, seed, temperature, maxNew, kvCache, isIndependent = false, signal } = settings;
  const chains = tasks.map((task): Chain<Task> => {
    return { task, last: null, row: { id: improvable.id(task), answers: [], quality: [], tokens: [] } };
  });
  for (let from = 0; from < chains.length; from += BATCH) {
    const part = chains.slice(from, from + BATCH);
    for (let k = 0; k <= steps; k++) {
      const shown = part.map(({ task, last }) =>
        last && !isIndependent ? improvable.revise(task, [last], 'improve') : task,
      );
      const episodes = shown.map((task, i) => ({
        task,
        key: () => keyFor(seed, STREAMS.exit, isIndependent ? INDEPENDENT : ITERATED, hash32(part[i].row.id), k),
      }));
      const played = await rollOut({ ...ports, dynamics }, episodes, {
        maxNew,
        maxTokens: maxNew,
        maxTurns: 1,
        temperature,
        kvCache,
        thinking: environment.thinking,
        signal,
      });
      const groups = shown.map((task, i) => ({ task, rollouts: [{ task, source: 'student' as const, ...played[i] }] }));
      const judged = await reward.score(groups, NOBODY, signal);
      for (const [i, chain] of part.entries()) {
        const answer = improvable.answerOf(judged[i][0], judgedCompletion(environment, played[i].turns));
        // If the new answer cannot be shown, the previous one stays; independent samples have no previous one.
        chain.last = isIndependent ? answer : (answer ?? chain.last);
        const { row, last } = chain;
        row.answers.push(last?.text ?? null);
        row.quality.push(last?.quality ?? 0);
        row.tokens.push((row.tokens.at(-1) ?? 0) + played[i].turns[0].completionIds.length);
      }
    }
  }
  return chains.map(({ row }) => row);
}

/** Environments with revisions are judged by a check that uses no model. */
const NOBODY: ModelHandles = { get: () => undefined };
