// What the untrained base of this environment does at temperature 1: eight answers to every problem of both held-out splits, so that what
// a majority of them would say can be counted too. The model's manifest records it; a test measures the first round again.
import type { Policy } from '../../engine/types.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { mean } from '../../stats/index.ts';
import type { TextCodec } from '../../text/types.ts';
import { gradeArithmetic } from './grader.ts';
import { problemsOf, SPLITS, type SplitId } from './split.ts';
import { type ArithmeticProblem, type ArithmeticVerdict, KINDS } from './types.ts';

/** Shares over answers; `majority` over problems. */
export interface ArithmeticShares {
  /** Answers. */
  n: number;
  solve: number;
  /** Of the answers to problems with a misconception; null where there are none. */
  misconception: number | null;
  /** Problems whose most frequent answer is right; a tie counts its part. */
  majority: number;
}

export interface ArithmeticRates extends ArithmeticShares {
  format: number;
  ended: number;
  meanTokens: number;
  splits: Record<string, ArithmeticShares>;
  kinds: Record<string, ArithmeticShares>;
}

/** One problem with its answers. */
interface Asked {
  problem: ArithmeticProblem;
  split: SplitId;
  verdicts: ArithmeticVerdict[];
  ended: number;
  tokens: number;
}

/** A round's size: so many problems of each split, and answers to each. */
export const ROUND = { problems: 32, samples: 8, maxNew: 52 } as const;

interface Input {
  policy: Policy;
  codec: TextCodec;
  dataSeed: number;
  signal?: AbortSignal;
}

/** Every round has problems of its own. */
export async function measureArithmetic(
  input: Input,
  rounds: number,
  onRound?: (done: number) => void,
): Promise<{ all: ArithmeticRates; first: ArithmeticRates }> {
  const asked: Asked[][] = [];
  for (let round = 0; round < rounds; round++) {
    onRound?.(round);
    asked.push(await ask(input, round));
  }
  return { all: ratesOf(asked.flat()), first: ratesOf(asked[0]) };
}

async function ask({ policy, codec, dataSeed, signal }: Input, round: number): Promise<Asked[]> {
  const { problems: count, samples, maxNew } = ROUND;
  const problems = SPLITS.flatMap((split) =>
    problemsOf(split, count * (round + 1), dataSeed)
      .slice(count * round)
      .map((problem) => ({ problem, split })),
  );
  const generated = await policy.generate({
    prompts: problems.map(({ problem }) => codec.encode(problem.prompt)),
    sequences: problems.flatMap((_, i) =>
      Array.from({ length: samples }, (_, j) => ({ prompt: i, key: keyFor(round + 1, STREAMS.evaluation, i, j) })),
    ),
    maxNew,
    temperature: 1,
    endTokens: codec.endTokens,
    signal,
  });
  return problems.map(({ problem, split }, i) => {
    const own = generated.slice(i * samples, (i + 1) * samples);
    return {
      problem,
      split,
      verdicts: own.map(({ tokens, ended }) =>
        gradeArithmetic(problem, codec.decode(ended ? tokens.slice(0, -1) : tokens)),
      ),
      ended: own.filter(({ ended }) => ended).length,
      tokens: own.reduce((sum, { tokens }) => sum + tokens.length, 0),
    };
  });
}

function ratesOf(asked: readonly Asked[]): ArithmeticRates {
  const verdicts = asked.flatMap((one) => one.verdicts);
  const perAnswer = (of: (one: Asked) => number) => asked.reduce((sum, one) => sum + of(one), 0) / verdicts.length;
  return {
    ...sharesOf(asked),
    format: share(verdicts, ({ formatOk }) => formatOk),
    ended: perAnswer(({ ended }) => ended),
    meanTokens: perAnswer(({ tokens }) => tokens),
    splits: Object.fromEntries(SPLITS.map((id) => [id, sharesOf(asked.filter(({ split }) => split === id))])),
    kinds: Object.fromEntries(KINDS.map((id) => [id, sharesOf(asked.filter(({ problem }) => problem.kind === id))])),
  };
}

function sharesOf(asked: readonly Asked[]): ArithmeticShares {
  const verdicts = asked.flatMap((one) => one.verdicts);
  const misled = asked.filter(({ problem }) => problem.misconception !== null).flatMap((one) => one.verdicts);
  return {
    n: verdicts.length,
    solve: share(verdicts, ({ correct }) => correct),
    misconception: misled.length > 0 ? share(misled, ({ misconception }) => misconception) : null,
    majority: mean(asked.map(majority)) ?? 0,
  };
}

const share = <T>(of: readonly T[], is: (one: T) => boolean): number => of.filter(is).length / Math.max(1, of.length);

/** 1 where the most frequent value is the right one; of k values that tie with it, 1/k. */
function majority({ verdicts }: Asked): number {
  const counts = new Map<string, number>();
  for (const { value } of verdicts) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  const right = verdicts.find(({ correct }) => correct)?.value;
  if (right == null || counts.get(right) !== most) return 0;
  return 1 / [...counts.values()].filter((count) => count === most).length;
}
