// Bootstrapped task spaces (ExIt, arXiv 2509.04575): a task can be put again with the policy's own answers shown, to be improved in
// one step. What an environment says of its tasks for that, and where the points to improve from come from.

import type { CounterRng } from '../../rng/index.ts';
import type { Judged, Reward } from '../types.ts';

/** An answer that can be shown again. */
export interface Answer {
  text: string;
  /** In [0, 1]; at 1 there is nothing left to improve. */
  quality: number;
  /** Message of the answer's check, where a revision shows one that its text does not contain. */
  said?: string;
}

/** `diverge`: to improve, by something quite different. */
export type How = 'improve' | 'diverge';

/** An environment whose answers can be revised. */
export interface Improvable<Task, Verdict> {
  id(task: Task): string;
  /** Null where it cannot be shown again. `completion`: the model's text. */
  answerOf(judged: Judged<Verdict>, completion: string): Answer | null;
  /** The base task with the answers so far, the last one last; at least one. */
  revise(root: Task, history: readonly Answer[], how: How): Task;
  /** An answer that nobody gave, for the control of random drafts; absent where there is no way to make one. */
  draft?(root: Task, rng: CounterRng): Answer;
}

/** Beginnings of a step's tasks. `tasks`: base tasks alone. The others put the policy's own answers among them: chosen from the buffer by
 *  `variance` of their group's returns, or evenly (`uniform`); evenly from first answers alone (`depth1`). `drafts`: answers that nobody
 *  gave. */
export const STARTS = ['tasks', 'variance', 'uniform', 'depth1', 'drafts'] as const;
export type Start = (typeof STARTS)[number];

/** Whether a chosen history is shown whole or up to a random answer of it. */
export const PREFIXES = ['random', 'whole'] as const;
/** The rollout of a group that goes on: a random one, or the first of the best. */
export const CHILDREN = ['random', 'best'] as const;

/** Reward of a whole chain of answers, the same for each of its answers. `gains`: the sum of what its revisions gained, as a single step
 *  is paid. `rise`: the sum of plain gains Q′ − Q, which is what the last answer has over the first. `last`: the last answer's quality. */
export const CHAIN_PAYS = ['gains', 'rise', 'last'] as const;
export type ChainPay = (typeof CHAIN_PAYS)[number];

/** A run's settings of them. */
export interface ExitSettings {
  starts: Start;
  /** p: of a step's tasks, those that begin at an answer, once the buffer holds `bufferMin`. */
  startShare: number;
  /** Share of those that are to diverge. */
  divergeShare: number;
  /** N, and B_min. */
  bufferSize: number;
  bufferMin: number;
  /** κ of P(i) ∝ exp(κ S_i). */
  kappa: number;
  prefix: (typeof PREFIXES)[number];
  child: (typeof CHILDREN)[number];
  gain: Gain;
  /** A_i ← A_i d_i, with d_i the distance of an answer from its group's centroid. */
  diversityBonus: boolean;
  /** Revisions of a rollout: each is a whole chain, and is paid as one. 0: single answers. */
  chainSteps: number;
  chainPay: ChainPay;
}

// Reward of a step of self-improvement (ExIt, arXiv 2509.04575): the part of what was missing that it added.

export const GAINS = ['clipped', 'signed'] as const;
/** `clipped`, as published: nothing is paid or taken for making an answer worse. `signed`: that is punished, to -1. */
export type Gain = (typeof GAINS)[number];

/** Qualities in [0, 1]. An answer that was perfect has nothing to add: 0 if it stays, and -1 under `signed` if it does not. */
export function gainOf(before: number, after: number, gain: Gain): number {
  const lowest = gain === 'signed' ? -1 : 0;
  if (before >= 1) return after >= 1 ? 0 : lowest;
  return Math.max(lowest, (after - before) / (1 - before));
}

// Tasks that know what they revise, for environments whose answers are texts, and a reward that pays a revision what it gained.

/** A task's revisions so far; both fields are absent where it is asked anew. */
export interface Revised {
  /** The last answer's quality, and how many came before. */
  before?: number;
  depth?: number;
}

/** The root with another prompt. */
export const revisionOf = <Task>(root: Task, history: readonly Answer[], prompt: string): Task & Revised => ({
  ...root,
  prompt,
  before: history[history.length - 1].quality,
  depth: history.length,
});

/** Pays a revision its gain; a task without revisions keeps its own reward. */
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

// Numbers of self-iterations that are reported: metrics are named by them.

export const KS = [0, 1, 2, 4, 8, 16] as const;
