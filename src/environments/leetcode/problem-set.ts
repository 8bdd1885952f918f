// From the problems of a file to the sets of a run: what RL trains on, each problem under one grade, and what evaluations
// ask, problems that RL never sees. Fixed by the data seed, whatever the run's own seed.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { modeSchedule } from '../code/problem-sets.ts';
import type { CodeProblem, Mode } from '../code/types.ts';
import { type LeetcodeProblem, leetcodeProblem } from './problem-file.ts';

export interface LeetcodeSetSpec {
  modes: readonly Mode[];
  /** 0…1. */
  honestShare: number;
  /** At most so many problems to train on; a file may have fewer. */
  count: number;
  /** At most so many to evaluate on. */
  evaluate: number;
  dataSeed: number;
}

export interface LeetcodeSets {
  training: CodeProblem[];
  /** A problem may stand here under several grades. */
  evaluation: CodeProblem[];
}

/** Of a file's problems, the share that RL never sees. */
const HELD_OUT_SHARE = 0.25;
export const MIN_PROBLEMS = 4;

/** Throws SpecError where the file has fewer than four problems. */
export function leetcodeSets(problems: readonly LeetcodeProblem[], spec: LeetcodeSetSpec): LeetcodeSets {
  const { modes, honestShare, count, evaluate, dataSeed } = spec;
  if (problems.length < MIN_PROBLEMS)
    throw new SpecError(
      `the problem file has ${problems.length} problems`,
      `Give at least ${MIN_PROBLEMS}: a quarter is kept for evaluation.`,
    );
  // By each problem's own number, so that the order of the file's lines does not count.
  const place = ({ id }: LeetcodeProblem) => new CounterRng(keyFor(dataSeed, STREAMS.problems, hash32(id))).uniform();
  const order = problems
    .map((problem) => ({ problem, at: place(problem) }))
    .sort((a, b) => a.at - b.at || (a.problem.id < b.problem.id ? -1 : 1))
    .map(({ problem }) => problem);
  const heldOut = Math.max(1, Math.round(HELD_OUT_SHARE * order.length));
  const trained = order.slice(heldOut, heldOut + count);
  const schedule = modeSchedule(modes, honestShare, trained.length);
  return {
    training: trained.map((problem, i) => leetcodeProblem(problem, schedule[i])),
    evaluation: evaluationOf(order.slice(0, heldOut), spec, evaluate),
  };
}

/** Balanced over the modes in every prefix; each (problem, mode) once. */
function evaluationOf(
  problems: readonly LeetcodeProblem[],
  { modes, honestShare }: LeetcodeSetSpec,
  count: number,
): CodeProblem[] {
  const kinds = modes.length + (honestShare > 0 ? 1 : 0);
  const wanted = Math.min(count, problems.length * kinds);
  // Each mode begins elsewhere in the problems, so that a prefix asks many of them and not one often.
  const turns = new Map<string, { start: number; taken: number }>();
  const asked: CodeProblem[] = [];
  for (const mode of modeSchedule(modes, honestShare, wanted)) {
    const turn = turns.get(mode) ?? { start: Math.floor((turns.size * problems.length) / kinds), taken: 0 };
    if (turn.taken < problems.length) {
      asked.push(leetcodeProblem(problems[(turn.start + turn.taken) % problems.length], mode));
    }
    turns.set(mode, { ...turn, taken: turn.taken + 1 });
  }
  return asked;
}
