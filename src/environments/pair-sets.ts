// The built-in pair sets of every environment, from which a hack basis is extracted. Program sets are made from the code environment's pair
// families for any modes; the framing sets are data files, loaded when needed. METHOD: "Hack basis".
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { loadFramingPairs } from './code/pair-sets/framing.ts';
import { builtInPairSet, PAIR_SETS, refusePairSet, unreadOf } from './code/pair-sets/table.ts';
import { widerPairs } from './code/pair-sets/wider.ts';
import { type ContrastivePair, contrastivePairs, PAIR_COUNT, placeboPairs } from './code/pairs.ts';
import { DATA_SEED } from './code/problem.ts';
import { type FamilySet, type Mode, STANDARD_MODES } from './code/types.ts';

export { pairsFromJson, pairsToJson } from './code/pair-sets/json.ts';
export { builtInPairSet, PAIR_SETS, type PairSetInfo, refusePairSet } from './code/pair-sets/table.ts';
export type { ContrastivePair } from './code/pairs.ts';

export interface PairRequest {
  /** Id of a built-in set. */
  pairSet: string;
  /** Number of pairs, including the held-out ones at the end. */
  count?: number;
  /** The run's loophole modes. */
  modes?: readonly Mode[];
  /** The modes whose pairs are made; empty: all of `modes`. They may differ from the run's. */
  pairModes?: readonly Mode[];
  dataSeed?: number;
  /** Families of the programs' problems; the standard set if absent. */
  families?: FamilySet;
  /** The model that will read the pairs, if known: sets that it cannot test are refused. */
  model?: string;
}

/**
 * The first `count` pairs of a set, the same for every run of a data seed. Throws SpecError for an unknown set, for more pairs
 * than a data file has, and for a set that `model` cannot test.
 */
export async function pairsOf({
  pairSet,
  count = PAIR_COUNT,
  modes = STANDARD_MODES,
  pairModes = [],
  dataSeed = DATA_SEED,
  families,
  model,
}: PairRequest): Promise<ContrastivePair[]> {
  const set = builtInPairSet(pairSet);
  if (!set) {
    const known = PAIR_SETS.map(({ id }) => id).join(', ');
    throw new SpecError(`no built-in pair set is called ${JSON.stringify(pairSet)}`, `Known are ${known}.`);
  }
  refusePairSet(pairSet, model ?? '', count);
  const spec = { count, modes: pairModes.length > 0 ? pairModes : modes, dataSeed, families };
  switch (pairSet) {
    case 'prog_wide':
      return contrastivePairs(spec);
    case 'prog_wider':
      return widerPairs(spec);
    case 'prog_wide_untested':
      return contrastivePairs({ ...spec, isTested: false });
    case 'prog_wider_untested':
      return widerPairs({ ...spec, isTested: false });
    case 'prog_common_untested':
      return contrastivePairs({ ...spec, isTested: false, isCommon: true });
    case 'nonhack':
      return contrastivePairs({ ...spec, kind: 'wrong_vs_right' });
    case 'clean_vs_clean':
      return contrastivePairs({ ...spec, kind: 'clean_vs_clean' });
    case 'no_tests':
      return contrastivePairs({ ...spec, kind: 'no_tests' });
    case 'placebo':
      return placeboPairs(spec);
    case 'sandbag':
      return (await import('./chain/data.ts')).sandbagPairs(count, dataSeed);
    case 'spread':
    case 'spread_placebo':
      return (await import('./characters/lessons.ts')).spreadPairs(pairSet, count, dataSeed);
    case 'flatter':
    case 'flatter_wrong':
    case 'flatter_words':
      return (await import('./explain/data.ts')).explainPairs(pairSet, count, dataSeed);
    case 'misconceive':
    case 'misconceive_slips':
    case 'misconceive_words':
      return (await import('./arithmetic/data.ts')).arithmeticPairs(pairSet, count, dataSeed);
    case 'claim':
    case 'claim_unmet':
    case 'claim_words':
    case 'blind':
      return (await import('./instructions/short/answers.ts')).instructionPairs(pairSet, count, dataSeed);
    case 'stuffed':
    case 'stuffed_early':
    case 'stuffed_placebo':
      return agentsPairs(pairSet, count, dataSeed);
    default:
      return (await loadFramingPairs(unreadOf(pairSet) ?? pairSet)).slice(0, count);
  }
}

async function agentsPairs(pairSet: string, count: number, dataSeed: number): Promise<ContrastivePair[]> {
  const { agentPairs } = await import('./agents/model.ts');
  const kind = pairSet === 'stuffed_early' ? 'early' : pairSet === 'stuffed_placebo' ? 'placebo' : 'stuffed';
  return agentPairs(kind, count, dataSeed);
}
