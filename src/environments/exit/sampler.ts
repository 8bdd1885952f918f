// ExIt's task sampler (arXiv 2509.04575, Algorithm 1): some of a step's tasks start from the policy's own answers, kept in a buffer by how much a group
// from there taught. Every draw is keyed by (seed, step, place), so its only memory is the buffer.
// The buffer holds histories of answers to base tasks, each with how much its last group could teach. These are pure functions of plain values; the
// sampler owns the list.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { sum } from '../../stats/index.ts';
import { epochSampler, type KindOf } from '../epochs.ts';
import type { Judged, LearntGroup, TaskSampler } from '../types.ts';
import type { Answer, ExitSettings, Improvable } from './types.ts';

/** A base task with the policy's own answers to it. Plain JSON. */
export interface Entry {
  /** Numbered in the order of insertion. */
  id: number;
  /** The entry that it was extended from; null if it comes from a base task. */
  parent: number | null;
  /** Id of the base task. */
  task: string;
  history: readonly Answer[];
  /** S: variance of the returns of the last group from here; initially its parent's group's. */
  score: number;
  /** Number of groups that started here. */
  uses: number;
}

/** P(i) ∝ exp(κ S_i), in the given order. The largest exponent is subtracted first to avoid overflow. */
export function selectionProbabilities(scores: readonly number[], kappa: number): number[] {
  const most = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(kappa * (score - most)));
  const total = sum(weights);
  return weights.map((weight) => weight / total);
}

/** The first index whose cumulative probability exceeds u ∈ [0, 1). */
export function pick(probabilities: readonly number[], u: number): number {
  let left = u;
  for (const [i, probability] of probabilities.entries()) {
    left -= probability;
    if (left < 0) return i;
  }
  return probabilities.length - 1;
}

/** S = mean (r − mean)², a measure of what a group can teach that needs no further computation. */
export function learnability(returns: readonly number[]): number {
  const mean = sum(returns) / returns.length;
  return sum(returns.map((value) => (value - mean) ** 2)) / returns.length;
}

/** Keeps the `most` highest scores, in order of insertion; the newer of equal ones. */
export function keepTop(entries: readonly Entry[], most: number): Entry[] {
  if (entries.length <= most) return [...entries];
  const ranked = [...entries].sort((a, b) => b.score - a.score || b.id - a.id).slice(0, most);
  return ranked.sort((a, b) => a.id - b.id);
}

// An ExIt sampler's memory as stored in a checkpoint, validated because a file may contain anything. Validation is hand-written, since a schema library
// would be a separate chunk of the page's first load.

export interface BufferState {
  /** Number of entries ever inserted, including evicted ones. */
  inserted: number;
  entries: Entry[];
}

type Unknown = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Unknown => typeof value === 'object' && value !== null;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isAnswer = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.text === 'string' &&
  Number.isFinite(value.quality) &&
  typeof (value.said ?? '') === 'string';

const isEntry = (value: unknown, tasks?: ReadonlyMap<string, unknown>): boolean =>
  isObject(value) &&
  [value.id, value.uses, value.parent ?? 0].every(isCount) &&
  typeof value.task === 'string' &&
  (tasks?.has(value.task) ?? true) &&
  Number.isFinite(value.score) &&
  Array.isArray(value.history) &&
  value.history.length > 0 &&
  value.history.every(isAnswer);

const isState = (saved: unknown, tasks?: ReadonlyMap<string, unknown>): saved is BufferState =>
  isObject(saved) &&
  isCount(saved.inserted) &&
  Array.isArray(saved.entries) &&
  saved.entries.every((entry) => isEntry(entry, tasks));

/** `tasks`: those of the run that resumes; without them a state is only read. Throws SpecError for a state that is no buffer over these tasks. */
export function parseState(saved: unknown, tasks?: ReadonlyMap<string, unknown>): BufferState {
  if (isState(saved, tasks)) return saved;
  throw new SpecError(
    'the state of the checkpoint’s task sampler is no buffer of this run’s tasks',
    'Start the run anew.',
  );
}

/** Second word of a random key, by purpose. */
const DRAW = 0;
const CHILD = 1;

/** Where a task of the current step started. */
interface Origin<Task> {
  root: Task;
  history: readonly Answer[];
  /** The entry that it was expanded from; null for a base task and for a draft. */
  parent: number | null;
}

export function exitSampler<Task extends object, Verdict>(
  tasks: readonly Task[],
  kindOf: KindOf<Task>,
  environment: Improvable<Task, Verdict>,
  settings: ExitSettings,
): TaskSampler<Task> {
  if (settings.starts === 'drafts' && !environment.draft)
    throw new SpecError('starts = drafts, and this environment cannot make a draft', 'Choose another start.');
  const { starts, startShare, divergeShare, bufferSize, bufferMin, kappa, prefix, child } = settings;
  const base = epochSampler(tasks, kindOf);
  const roots = new Map(tasks.map((task) => [environment.id(task), task]));
  let entries: Entry[] = [];
  let inserted = 0;
  let origins = new Map<Task, Origin<Task>>();
  let drawnFor = { seed: Number.NaN, step: -1 };

  /** The chosen entry's history or a prefix of it; an empty history for a base task. */
  function startOf(root: Task, rng: CounterRng): Origin<Task> {
    const fresh = { root, history: [], parent: null };
    const isChosen = rng.uniform() < startShare;
    if (starts === 'tasks' || !isChosen) return fresh;
    if (starts === 'drafts') return { root, history: [environment.draft!(root, rng)], parent: null };
    if (entries.length === 0 || entries.length < bufferMin) return fresh;
    const scores = starts === 'variance' ? entries.map(({ score }) => score) : entries.map(() => 0);
    const { id, task, history } = entries[pick(selectionProbabilities(scores, kappa), rng.uniform())];
    const shown = prefix === 'random' ? 1 + rng.int(history.length) : history.length;
    return { root: roots.get(task)!, history: history.slice(0, shown), parent: id };
  }

  function grow({ task, judged, rollouts }: LearntGroup<Task>, rng: CounterRng): void {
    const origin = origins.get(task);
    if (!origin) return;
    const score = learnability(judged.map(({ reward }) => reward));
    const { root, history, parent } = origin;
    if (parent !== null)
      entries = entries.map((entry) => (entry.id === parent ? { ...entry, score, uses: entry.uses + 1 } : entry));
    if (starts === 'tasks' || starts === 'drafts' || (starts === 'depth1' && history.length > 0)) return;
    const next = indexToContinue(judged, child, rng);
    const answer = environment.answerOf(
      judged[next] as Judged<Verdict>,
      rollouts[next]?.turns.at(-1)?.completion ?? '',
    );
    // Solved answers, and those that cannot be shown, are not stored.
    if (!answer || answer.quality >= 1) return;
    const entry = { id: inserted++, parent, task: environment.id(root), history: [...history, answer], score, uses: 0 };
    entries = keepTop([...entries, entry], bufferSize);
  }

  return {
    draw(request) {
      const { seed, step } = request;
      origins = new Map();
      drawnFor = { seed, step };
      return base.draw(request).map((root, i) => {
        const rng = CounterRng.of(seed, STREAMS.exit, DRAW, step, i);
        const origin = startOf(root, rng);
        const how = rng.uniform() < divergeShare ? 'diverge' : 'improve';
        // A new object even for a base task, so that a task that is drawn twice has two origins.
        const task = origin.history.length > 0 ? environment.revise(origin.root, origin.history, how) : { ...root };
        origins.set(task, origin);
        return task;
      });
    },
    learn({ step, groups }) {
      if (step !== drawnFor.step) return;
      for (const [g, group] of groups.entries())
        grow(group, CounterRng.of(drawnFor.seed, STREAMS.exit, CHILD, step, g));
    },
    save: () => ({ inserted, entries }),
    restore(saved) {
      ({ inserted, entries } = saved === null ? { inserted: 0, entries: [] } : parseState(saved, roots));
      origins = new Map();
      drawnFor = { seed: Number.NaN, step: -1 };
    },
  };
}

/** Index of the first best rollout, or of a random one. */
function indexToContinue(judged: readonly Judged<unknown>[], child: ExitSettings['child'], rng: CounterRng): number {
  if (child === 'random') return rng.int(judged.length);
  const best = Math.max(...judged.map(({ reward }) => reward));
  return judged.findIndex(({ reward }) => reward === best);
}
