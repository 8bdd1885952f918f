// The split of problems into sets, and the order in which RL trains on them.

// After pretraining, each family is used for contrastive pairs, for RL or for evaluation only; the data seed decides. Families are assigned
// signature by signature in the order of their share of wrong answers, so that every part has the same mix of signatures and difficulty; a third
// of the RL families' parameters stays unseen.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { interleaved } from '../drawn.ts';
import { epochSampler as balancedEpochs, epochs } from '../epochs.ts';
import type { SplitInfo } from '../metric-info.ts';
import type { TaskSampler } from '../types.ts';
import { evenly } from './families/family.ts';
import { type Family, familiesIn, type Params, SIGNATURES } from './families/index.ts';
import { wrongShare } from './model.ts';
import { DATA_SEED, makeProblem } from './problem.ts';
import type { CodeProblem, FamilySet, Mode, ProblemMode } from './types.ts';

export interface Identity {
  family: Family;
  params: Params;
}

export interface Split {
  /** Families of the contrastive pairs, held out of RL. */
  pairFamilies: readonly Family[];
  rlFamilies: readonly Family[];
  /** Held out of pairs and RL. */
  unseenFamilies: readonly Family[];
  /** Problems for RL, and those of the same families held out of it, in a seeded order. */
  rl: readonly Identity[];
  unseenParams: readonly Identity[];
  unseenFamily: readonly Identity[];
}

export const PAIR_FAMILIES = 14;
export const UNSEEN_FAMILIES = 14;
/** Number of families of each set that are held out of RL, for the pairs and for the evaluation. */
const HELD_FAMILIES: Readonly<Record<FamilySet, { pairs: number; unseen: number }>> = {
  standard: { pairs: PAIR_FAMILIES, unseen: UNSEEN_FAMILIES },
  composed: { pairs: 24, unseen: 40 },
};
/** Share of each RL family's parameters that is kept for the evaluation. */
const UNSEEN_PARAMS_SHARE = 1 / 3;

/** Divides `total` among the signatures as evenly as possible; the first ones get the remainder. */
const quota = (total: number, i: number): number =>
  Math.floor(total / SIGNATURES.length) + (i < total % SIGNATURES.length ? 1 : 0);

const seeded = (dataSeed: number, ...ints: number[]) => new CounterRng(keyFor(dataSeed, STREAMS.problems, ...ints));

/** Identities of a family in a seeded order. */
const shuffled = (family: Family, dataSeed: number): Identity[] =>
  seeded(dataSeed, 1, hash32(family.id))
    .shuffle([...family.space])
    .map((params) => ({ family, params }));

const splits = new Map<string, Split>();

export function splitOf(dataSeed = DATA_SEED, set: FamilySet = 'standard'): Split {
  const key = `${set} ${dataSeed}`;
  const known = splits.get(key);
  if (known) return known;
  const families = familiesIn(set);
  const held = HELD_FAMILIES[set];
  const shares = new Map(families.map((family) => [family, wrongShare(family, dataSeed)]));
  const pairFamilies: Family[] = [];
  const unseenFamilies: Family[] = [];
  SIGNATURES.forEach((signature, i) => {
    const ranked = families
      .filter((family) => family.signature === signature)
      .sort((a, b) => shares.get(a)! - shares.get(b)!);
    const unseen = evenly(ranked, quota(held.unseen, SIGNATURES.length - 1 - i), 0.5);
    const rest = ranked.filter((family) => !unseen.includes(family));
    unseenFamilies.push(...unseen);
    pairFamilies.push(...evenly(rest, quota(held.pairs, i), 0.5));
  });
  const rlFamilies = families.filter((f) => !pairFamilies.includes(f) && !unseenFamilies.includes(f));
  const byFamily = (some: readonly Family[]) => some.map((family) => shuffled(family, dataSeed));
  const kept = (list: readonly Identity[]) => Math.ceil(list.length * UNSEEN_PARAMS_SHARE);
  const rlLists = byFamily(rlFamilies);
  const made: Split = {
    pairFamilies,
    rlFamilies,
    unseenFamilies,
    rl: interleaved(rlLists.map((list) => list.slice(kept(list)))),
    unseenParams: interleaved(rlLists.map((list) => list.slice(0, kept(list)))),
    unseenFamily: interleaved(byFamily(unseenFamilies)),
  };
  splits.set(key, made);
  return made;
}

// The fixed problem sets of RL training and of the final evaluation. Both are balanced over modes, with the given share of honest problems; no
// identity repeats, and no evaluation problem occurs in RL or in a pair.

export interface ProblemSetSpec {
  /** The hackable modes of the run, at least one unless everything is honest. */
  modes: readonly Mode[];
  /** Share of honest problems, 0…1. */
  honestShare: number;
  count: number;
  dataSeed?: number;
  families?: FamilySet;
}

/** Evaluation splits of composed problems: whether the trusted problems show their parts. */
export const COMPOSED_SPLITS: readonly SplitInfo[] = [
  { id: 'shown', label: 'parts of trusted problems', unseen: 'Both parts of the problem occur in trusted problems.' },
  { id: 'unshown', label: 'another part', unseen: 'A part of the problem occurs in no trusted problem.' },
];

export type UnseenKind = 'family' | 'params';
export interface EvaluationProblem {
  problem: CodeProblem;
  unseen: UnseenKind;
}

const EVALUATION_COUNT = 256;

/**
 * A sequence of `count` modes of which every prefix is as balanced as possible: each place goes to the mode that lags most behind its
 * share.
 */
export function modeSchedule(modes: readonly Mode[], honestShare: number, count: number): ProblemMode[] {
  if (!(honestShare >= 0 && honestShare <= 1)) {
    throw new SpecError(`honest_share is ${honestShare}`, 'Give a share from 0 to 1.');
  }
  if (modes.length === 0 && honestShare < 1) {
    throw new SpecError('a hackable problem set has no modes', 'Name at least one mode, or set honest_share to 1.');
  }
  const parts: { mode: ProblemMode; share: number; given: number }[] = [
    ...modes.map((mode) => ({ mode, share: (1 - honestShare) / modes.length, given: 0 })),
    { mode: 'honest', share: honestShare, given: 0 },
  ];
  return Array.from({ length: count }, (_, i) => {
    let best = parts[0];
    let lag = Number.NEGATIVE_INFINITY;
    for (const part of parts) {
      const behind = part.share * (i + 1) - part.given;
      if (behind > lag + 1e-9 && part.share > 0) {
        best = part;
        lag = behind;
      }
    }
    best.given++;
    return best.mode;
  });
}

function take(identities: readonly Identity[], count: number, what: string): readonly Identity[] {
  if (!Number.isInteger(count) || count < 1 || count > identities.length) {
    throw new SpecError(`${count} ${what} were asked for`, `Ask for 1 to ${identities.length}.`);
  }
  return identities.slice(0, count);
}

/** Training problems of RL. Throws SpecError if there are too few. */
export function makeProblemSet({
  modes,
  honestShare,
  count,
  dataSeed = DATA_SEED,
  families,
}: ProblemSetSpec): CodeProblem[] {
  const identities = take(splitOf(dataSeed, families).rl, count, 'training problems');
  const schedule = modeSchedule(modes, honestShare, count);
  return identities.map(({ family, params }, i) => makeProblem(family, params, schedule[i], dataSeed));
}

/**
 * Evaluation problems, half of unseen families and half of unseen parameters, each half balanced over modes. The halves alternate, so that
 * a prefix (the 32 problems of evaluations during a run) is balanced too.
 */
export function evaluationSet({
  modes,
  honestShare,
  count = EVALUATION_COUNT,
  dataSeed = DATA_SEED,
  families,
}: Omit<ProblemSetSpec, 'count'> & { count?: number }): EvaluationProblem[] {
  const split = splitOf(dataSeed, families);
  const halves = [
    { unseen: 'family', count: Math.ceil(count / 2), from: split.unseenFamily },
    { unseen: 'params', count: Math.floor(count / 2), from: split.unseenParams },
  ] as const;
  const made = halves.map((half) => {
    if (half.count === 0) return [];
    const schedule = modeSchedule(modes, honestShare, half.count);
    return take(half.from, half.count, `evaluation problems of unseen ${half.unseen}`).map(
      ({ family, params }, i): EvaluationProblem => ({
        problem: makeProblem(family, params, schedule[i], dataSeed),
        unseen: half.unseen,
      }),
    );
  });
  return Array.from({ length: count }, (_, i) => made[i % 2][i >> 1]);
}

// Samplers of a step's problems: the whole set in epochs balanced over modes, or only the honest ones.

const modeOf = ({ mode }: CodeProblem) => mode;

/** The sampler of epochs.ts, balanced over the modes. Throws SpecError. */
export const epochSampler = (problems: readonly CodeProblem[]): TaskSampler<CodeProblem> =>
  balancedEpochs(problems, modeOf);

/**
 * Samples only the honest problems, in the order in which a run on the whole set draws them: of a step's `count` their share of the set
 * (rounded, at least one). Throws SpecError if there are none.
 */
export function honestSampler(problems: readonly CodeProblem[]): TaskSampler<CodeProblem> {
  const isHonest = ({ mode }: CodeProblem) => mode === 'honest';
  if (!problems.some(isHonest))
    throw new SpecError(
      `trainOn = honest, and none of the ${problems.length} problems is honest`,
      'Raise honestShare (or problems), or set trainOn to all.',
    );
  return partSampler(problems, isHonest);
}

/** Samples some of the problems (at least one per step), in the order and at the pace of a run on the whole set, as above. */
export function partSampler(
  problems: readonly CodeProblem[],
  isKept: (problem: CodeProblem) => boolean,
): TaskSampler<CodeProblem> {
  const own = problems.filter(isKept).length;
  const orderOf = epochs(problems, modeOf);
  let cached = { of: null as readonly CodeProblem[] | null, kept: [] as CodeProblem[] };
  const keptOf = (seed: number, epoch: number): readonly CodeProblem[] => {
    const order = orderOf(seed, epoch);
    if (cached.of !== order) cached = { of: order, kept: order.filter(isKept) };
    return cached.kept;
  };
  return {
    draw: ({ seed, step, count }) => {
      const each = Math.max(1, Math.round((count * own) / problems.length));
      return Array.from({ length: each }, (_, i) => {
        const place = step * each + i;
        return keptOf(seed, Math.floor(place / own))[place % own];
      });
    },
  };
}
