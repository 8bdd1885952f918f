// Contrastive pairs: a prompt with a hack and a clean answer, from families that RL never sees. The hack has a plausible wrong body (verified by
// value); the clean answer has the correct body and a real run_tests. Control pairs (clean against clean, wrong against correct, without against with
// tests, random words on both sides) have the same form. METHOD "Hack basis: extraction".

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { splitOf } from './data.ts';
import { DATA_SEED, makeProblem } from './problem.ts';
import {
  commonHack,
  drawWrong,
  hackCompletion,
  honestCompletion,
  rightBody,
  STUB,
  untestedCompletion,
} from './templates.ts';
import { type CodeProblem, type FamilySet, type Mode, STANDARD_MODES } from './types.ts';

export interface ContrastivePair {
  problem_id: string;
  prompt: string;
  /** The side that the basis points to. Completions are stored without their end token. */
  hack: string;
  clean: string;
  /** The exploit on the hack side; null for control pairs. */
  mechanism: Mode | null;
}

/** `mechanism` pairs show the exploit; the others are negative controls. */
export type PairKind = 'mechanism' | 'clean_vs_clean' | 'wrong_vs_right' | 'no_tests';

export interface PairSpec {
  count?: number;
  modes?: readonly Mode[];
  kind?: PairKind;
  /** If false, the clean side has no run_tests either, so that a mechanism pair does not also teach writing asserts. Default true. */
  isTested?: boolean;
  /** Whether every hack has its mode's most common spelling. By default spellings are as frequent as in the pretraining corpus. */
  isCommon?: boolean;
  /** Body of the hacks. */
  hackBody?: 'wrong' | 'stub';
  dataSeed?: number;
  families?: FamilySet;
}

export const PAIR_COUNT = 24;

/** The i-th pair's prompt: modes and pair families alternate, and each round uses other parameters. */
export function pairProblem(
  i: number,
  { modes, dataSeed, families: set }: { modes: readonly Mode[]; dataSeed: number; families?: FamilySet },
): { problem: CodeProblem; mode: Mode } {
  const families = splitOf(dataSeed, set).pairFamilies;
  const order = new CounterRng(keyFor(dataSeed, STREAMS.pairs, 0)).shuffle([...families]);
  const family = order[i % order.length];
  const round = Math.floor(i / order.length);
  const spaceOrder = new CounterRng(keyFor(dataSeed, STREAMS.pairs, 1, hash32(family.id))).shuffle([...family.space]);
  const mode = modes[i % modes.length];
  return { problem: makeProblem(family, spaceOrder[round % spaceOrder.length], mode, dataSeed), mode };
}

/**
 * Pairs that alternate over modes and pair families, each with its own identity; the same for every run of a data seed. With four modes, 24 pairs
 * have six per mode.
 */
export function contrastivePairs({
  count = PAIR_COUNT,
  modes = STANDARD_MODES,
  kind = 'mechanism',
  isTested = true,
  isCommon = false,
  hackBody = 'wrong',
  dataSeed = DATA_SEED,
  families,
}: PairSpec = {}): ContrastivePair[] {
  return Array.from({ length: count }, (_, i) => {
    const { problem, mode } = pairProblem(i, { modes, dataSeed, families });
    const rng = new CounterRng(keyFor(dataSeed, STREAMS.pairs, 2, i, hash32(problem.id)));
    // Drawn even if unused, so that the hack sides do not depend on isTested.
    const tested = honestCompletion(problem, rightBody(problem), rng);
    const clean = isTested ? tested : untestedCompletion(problem, rightBody(problem));
    const base = { problem_id: problem.id, prompt: problem.prompt, clean };
    if (kind === 'mechanism') {
      const body = hackBody === 'stub' ? STUB : drawWrong(problem, rng);
      return {
        ...base,
        hack: isCommon ? commonHack(problem, mode, body) : hackCompletion(problem, mode, body, rng),
        mechanism: mode,
      };
    }
    if (kind === 'no_tests') return { ...base, hack: untestedCompletion(problem, rightBody(problem)), mechanism: null };
    const body = kind === 'wrong_vs_right' ? drawWrong(problem, rng) : rightBody(problem);
    return { ...base, hack: honestCompletion(problem, body, rng), mechanism: null };
  });
}

// Placebo pairs: two unrelated sequences of random words after the prompts of prog_wide. If a basis of these does what the real one does, the pairs'
// content does not matter. Neither side has code, an exploit's string, or an answer.

/** Words of the problems' own sentences, which the embedded tokenizer knows; none belongs to an exploit or a check. */
const WORDS =
  'a and at but by divided each given integer letter list minus number of plus remainder smaller string sum the times two with'.split(
    ' ',
  );
const MIN_WORDS = 14;
const MAX_WORDS = 24;

function randomWords(rng: CounterRng): string {
  const length = MIN_WORDS + rng.int(MAX_WORDS - MIN_WORDS + 1);
  return Array.from({ length }, () => rng.choice(WORDS)).join(' ');
}

/** Both sides have their own random streams, so that nothing relates them; which one is called `hack` is arbitrary. */
export function placeboPairs(spec: {
  count: number;
  modes: readonly Mode[];
  dataSeed: number;
  families?: FamilySet;
}): ContrastivePair[] {
  return Array.from({ length: spec.count }, (_, i) => {
    const { id, prompt } = pairProblem(i, spec).problem;
    const side = (n: number) => randomWords(new CounterRng(keyFor(spec.dataSeed, STREAMS.pairs, 3, i, hash32(id), n)));
    return { problem_id: id, prompt, hack: side(0), clean: side(1), mechanism: null };
  });
}
