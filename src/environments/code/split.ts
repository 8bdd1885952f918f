// Who sees which problems after pretraining: contrastive pairs, RL, or nobody until the evaluation. Fixed by the data seed.
// Families are dealt out signature by signature in the order of their share of wrong answers, so that every part has the
// same mix of signatures and of difficulty; RL families keep a third of their parameters unseen.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { FAMILIES, type Family, familiesOf, type Params, SIGNATURES } from './families/index.ts';
import { wrongShares } from './pretrain-data.ts';
import { DATA_SEED } from './problem.ts';

export interface Identity {
  family: Family;
  params: Params;
}

export interface Split {
  /** Families of the contrastive pairs; held from RL. */
  pairFamilies: readonly Family[];
  rlFamilies: readonly Family[];
  /** Held from pairs and from RL. */
  unseenFamilies: readonly Family[];
  /** What RL may see, and what of the same families it may not. In a seeded order. */
  rl: readonly Identity[];
  unseenParams: readonly Identity[];
  unseenFamily: readonly Identity[];
}

export const PAIR_FAMILIES = 14;
export const UNSEEN_FAMILIES = 14;
/** Of each RL family's parameters, this share is kept for the evaluation. */
const UNSEEN_PARAMS_SHARE = 1 / 3;

/** Splits `total` into one whole number per signature, as even as it goes, the remainder to the first ones. */
const quota = (total: number, i: number): number =>
  Math.floor(total / SIGNATURES.length) + (i < total % SIGNATURES.length ? 1 : 0);

const seeded = (dataSeed: number, ...ints: number[]) => new CounterRng(keyFor(dataSeed, STREAMS.problems, ...ints));

/** Picks `count` items at even distances. */
function evenly<T>(items: readonly T[], count: number, offset: number): T[] {
  return Array.from({ length: count }, (_, i) => items[Math.floor(((i + offset) * items.length) / count)]);
}

/** Identities of a family in a seeded order. */
const shuffled = (family: Family, dataSeed: number): Identity[] =>
  seeded(dataSeed, 1, hash32(family.id))
    .shuffle([...family.space])
    .map((params) => ({ family, params }));

/** Takes turns over the families, so that any prefix of the result uses them evenly. */
function interleave(lists: readonly (readonly Identity[])[]): Identity[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}

const splits = new Map<number, Split>();

export function splitOf(dataSeed = DATA_SEED): Split {
  const known = splits.get(dataSeed);
  if (known) return known;
  const shares = wrongShares(dataSeed);
  const pairFamilies: Family[] = [];
  const unseenFamilies: Family[] = [];
  SIGNATURES.forEach((signature, i) => {
    const ranked = [...familiesOf(signature)].sort((a, b) => shares.get(a.id)! - shares.get(b.id)!);
    const unseen = evenly(ranked, quota(UNSEEN_FAMILIES, SIGNATURES.length - 1 - i), 0.5);
    const rest = ranked.filter((family) => !unseen.includes(family));
    unseenFamilies.push(...unseen);
    pairFamilies.push(...evenly(rest, quota(PAIR_FAMILIES, i), 0.5));
  });
  const rlFamilies = FAMILIES.filter((f) => !pairFamilies.includes(f) && !unseenFamilies.includes(f));
  const byFamily = (families: readonly Family[]) => families.map((family) => shuffled(family, dataSeed));
  const kept = (list: readonly Identity[]) => Math.ceil(list.length * UNSEEN_PARAMS_SHARE);
  const rlLists = byFamily(rlFamilies);
  const made: Split = {
    pairFamilies,
    rlFamilies,
    unseenFamilies,
    rl: interleave(rlLists.map((list) => list.slice(kept(list)))),
    unseenParams: interleave(rlLists.map((list) => list.slice(0, kept(list)))),
    unseenFamily: interleave(byFamily(unseenFamilies)),
  };
  splits.set(dataSeed, made);
  return made;
}
