// Bootstrapped task spaces (ExIt, arXiv 2509.04575): a task can be posed again with the policy's own answers, to be improved in one step. The interface
// that an environment implements for that, and the sources of answers to improve.

import type { CounterRng } from '../../rng/index.ts';
import type { Judged, Reward } from '../types.ts';

/** An answer that can be shown for revision. */
export interface Answer {
  text: string;
  /** In [0, 1]; 1 leaves nothing to improve. */
  quality: number;
  /** Message of the answer's check, if revisions show one that is not part of the text. */
  said?: string;
}

/** `diverge`: to improve with a quite different answer. */
export type How = 'improve' | 'diverge';

/** An environment whose answers can be revised. */
export interface Improvable<Task, Verdict> {
  id(task: Task): string;
  /** Null if it cannot be shown again. `completion`: the model's text. */
  answerOf(judged: Judged<Verdict>, completion: string): Answer | null;
  /** The base task with at least one earlier answer, the latest last. */
  revise(root: Task, history: readonly Answer[], how: How): Task;
  /** A made-up answer, for the control of random drafts; absent if none can be made. */
  draft?(root: Task, rng: CounterRng): Answer;
}

/** Starting points of a step's tasks. `tasks`: base tasks only. The others add the policy's own answers: chosen from the buffer by the `variance` of
 *  their group's returns, evenly (`uniform`), or evenly from first answers only (`depth1`); or made-up answers (`drafts`). */
export const STARTS = ['tasks', 'variance', 'uniform', 'depth1', 'drafts'] as const;
export type Start = (typeof STARTS)[number];

/** Whether a chosen history is shown whole, or up to a random one of its answers. */
export const PREFIXES = ['random', 'whole'] as const;
/** The rollout of a group that is extended: a random one, or the first best one. */
export const CHILDREN = ['random', 'best'] as const;

/** Reward of a whole chain, given to each of its answers. `gains`: the sum of its revisions' gains, each as for a single step. `rise`: the sum of plain
 *  gains Q′ − Q, which is last minus first quality. `last`: the last answer's quality. */
export const CHAIN_PAYS = ['gains', 'rise', 'last'] as const;
export type ChainPay = (typeof CHAIN_PAYS)[number];

/** A run's settings for starting points, buffer and rewards. */
export interface ExitSettings {
  starts: Start;
  /** p: share of a step's tasks that start from an answer, once the buffer holds `bufferMin`. */
  startShare: number;
  /** Share of those that must diverge. */
  divergeShare: number;
  /** N (bufferSize) and B_min (bufferMin). */
  bufferSize: number;
  bufferMin: number;
  /** κ of P(i) ∝ exp(κ S_i). */
  kappa: number;
  prefix: (typeof PREFIXES)[number];
  child: (typeof CHILDREN)[number];
  gain: Gain;
  /** A_i ← A_i d_i, with d_i the distance of an answer from its group's centroid. */
  diversityBonus: boolean;
  /** Number of revisions in a rollout, which is then a chain and rewarded as one. 0: single answers. */
  chainSteps: number;
  chainPay: ChainPay;
}

// Reward of a step of self-improvement (ExIt, arXiv 2509.04575): the share of what was missing that it gained.

export const GAINS = ['clipped', 'signed'] as const;
/** `clipped`, as published: a loss costs nothing. `signed`: a loss is penalised, down to −1. */
export type Gain = (typeof GAINS)[number];

/** Qualities are in [0, 1]. A perfect answer has nothing to gain: 0 if it stays perfect, and −1 under `signed` if not. */
export function gainOf(before: number, after: number, gain: Gain): number {
  const lowest = gain === 'signed' ? -1 : 0;
  if (before >= 1) return after >= 1 ? 0 : lowest;
  return Math.max(lowest, (after - before) / (1 - before));
}

// Tasks with the quality that they revise, for environments whose answers are texts, and a reward of revisions by their gain.

/** A task's revisions so far; both fields are absent for a base task. */
export interface Revised {
  /** The last answer's quality, and the number of earlier answers. */
  before?: number;
  depth?: number;
}

/** The base task with another prompt. */
export const revisionOf = <Task>(root: Task, history: readonly Answer[], prompt: string): Task & Revised => ({
  ...root,
  prompt,
  before: history[history.length - 1].quality,
  depth: history.length,
});

/** Rewards a revision by its gain; a base task keeps its own reward. */
export function payingGains<Task extends Revised, Verdict>(
  reward: Reward<Task, Verdict>,
  qualityOf: (verdict: Verdict) => number,
  gain: Gain,
): Reward<Task, Verdict> {
  return {
    ...reward,
    id: `${reward.id} ${gain}`,
    async score(groups, models, signal) {
      const judged = await reward.score(groups, models, signal);
      return judged.map((own, g) => {
        const { before } = groups[g].task;
        if (before === undefined) return own;
        return own.map(({ verdict }) => ({ verdict, reward: gainOf(before, qualityOf(verdict), gain) }));
      });
    },
  };
}

// Reported numbers of revisions, by which metrics are named.

export const KS = [0, 1, 2, 4, 8, 16] as const;
