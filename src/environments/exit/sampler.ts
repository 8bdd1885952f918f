// ExIt's task sampler (arXiv 2509.04575, Algorithm 1): of a step's tasks some begin at the policy's own answers, kept in a buffer by
// how much a group from there taught. Every draw is keyed by (seed, step, place), so that what it remembers is the buffer alone.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { epochSampler, type KindOf } from '../epochs.ts';
import type { Judged, LearntGroup, TaskSampler } from '../types.ts';
import { type Entry, keepTop, learnability, pick, selectionProbabilities } from './buffer.ts';
import { parseState } from './state.ts';
import type { Answer, ExitSettings, Improvable } from './types.ts';

/** What the second word of a key is for. */
const DRAW = 0;
const CHILD = 1;

/** Where a task of the step under way comes from. */
interface Origin<Task> {
  root: Task;
  history: readonly Answer[];
  /** The entry that it was expanded from; null of a base task and of a draft. */
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

  /** The chosen entry's whole history, or a part of it; null where the step begins at the base task. */
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
    const next = goesOn(judged, child, rng);
    const answer = environment.answerOf(
      judged[next] as Judged<Verdict>,
      rollouts[next]?.turns.at(-1)?.completion ?? '',
    );
    // Nothing is left to improve, or nothing can be shown.
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
        // A fresh object even of a base task, so that a task that is drawn twice has two origins.
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

/** The first of the best, or any. */
function goesOn(judged: readonly Judged<unknown>[], child: ExitSettings['child'], rng: CounterRng): number {
  if (child === 'random') return rng.int(judged.length);
  const best = Math.max(...judged.map(({ reward }) => reward));
  return judged.findIndex(({ reward }) => reward === best);
}
