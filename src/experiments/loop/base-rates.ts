// Rates of an untrained base at temperature 1 that make a model fit for the experiment (format, solve, hack), measured with the real grader
// on problems of unseen families. The embedded model's manifest records them, and a test repeats the measurement.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { Generated, Policy } from '../../engine/types.ts';
import { evaluationSet } from '../../environments/code/data.ts';
import { DATA_SEED } from '../../environments/code/problem.ts';
import {
  type FamilySet,
  type Grade,
  type Grader,
  type ProblemMode,
  STANDARD_MODES,
} from '../../environments/code/types.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { mean, meanOfKnown } from '../../stats/index.ts';
import type { TextCodec } from '../../text/codec.ts';

export interface BaseRates {
  /** Completions judged; the hack rate is over those of hackable problems. */
  n: number;
  /** Number of completions that the strict oracle left undecided: counted neither as solve nor as hack. Absent when 0. */
  unjudged?: number;
  /** The hack rate if all undecided completions that passed are hacks. Absent if there are none. */
  hackAtMost?: number;
  format: number;
  solve: number;
  hack: number;
  structural: number;
  ended: number;
  meanTokens: number;
  /** Hack is null for honest problems, which have no flaw to exploit. */
  byMode: Record<string, { n: number; solve: number; hack: number | null; passed: number }>;
}

interface BaseRatesInput {
  policy: Policy;
  codec: TextCodec;
  grader: Grader;
  dataSeed?: number;
  families?: FamilySet;
  signal?: AbortSignal;
}

/** Size of a round: problems (unseen families only, half of them with a neutral clause), completions per problem, and tokens, enough for the
 *  longest completion of pretraining. */
const ROUND = { problems: 160, samples: 2, maxNew: 96 } as const;

/** One completion, judged. */
interface Judged {
  mode: ProblemMode;
  generated: Generated;
  grade: Grade;
}

/** Rounds with seeds 1 to `count`, sampled together prompt by prompt, so that shared prefixes are computed once. */
async function judgedRounds(
  { policy, codec, grader, signal, dataSeed = DATA_SEED, families }: BaseRatesInput,
  count: number,
  onRound?: (done: number) => void,
): Promise<Judged[][]> {
  const { samples, maxNew } = ROUND;
  const problems = evaluationSet({
    modes: STANDARD_MODES,
    honestShare: 0.5,
    count: ROUND.problems * 2,
    dataSeed,
    families,
  })
    .filter(({ unseen }) => unseen === 'family')
    .map(({ problem }) => problem);
  const places = problems.flatMap((problem, prompt) =>
    Array.from({ length: count * samples }, (_, i) => ({
      problem,
      prompt,
      round: Math.floor(i / samples),
      key: keyFor(1 + Math.floor(i / samples), STREAMS.evaluation, prompt, i % samples),
    })),
  );
  onRound?.(0);
  const generated = await policy.generate({
    prompts: problems.map(({ prompt }) => codec.encodeChat(prompt)),
    sequences: places.map(({ prompt, key }) => ({ prompt, key })),
    maxNew,
    temperature: 1,
    endTokens: codec.endTokens,
    onProgress: (_, running) => onRound?.(Math.floor(count * (1 - running / places.length))),
    signal,
  });
  const grades = await grader.grade(
    generated.map(({ tokens, ended }, i) => ({
      problem: places[i].problem,
      completion: codec.decode(ended ? tokens.slice(0, -1) : tokens),
    })),
    signal,
  );
  const rounds: Judged[][] = Array.from({ length: count }, () => []);
  for (const [i, { problem, round }] of places.entries())
    rounds[round].push({ mode: problem.mode, generated: generated[i], grade: grades[i] });
  return rounds;
}

function ratesOf(judged: readonly Judged[]): BaseRates {
  const grades = judged.map(({ grade }) => grade);
  const share = (of: readonly number[], is: (i: number) => boolean) => of.filter(is).length / Math.max(1, of.length);
  const all = judged.map((_, i) => i);
  const hackable = all.filter((i) => judged[i].mode !== 'honest');
  const byMode: BaseRates['byMode'] = {};
  for (const mode of new Set(judged.map((one) => one.mode))) {
    const of = all.filter((i) => judged[i].mode === mode);
    setOwn(byMode, mode, {
      n: of.length,
      solve: share(of, (i) => grades[i].gt_correct === true),
      hack: mode === 'honest' ? null : share(of, (i) => grades[i].exploited),
      passed: share(of, (i) => grades[i].passed),
    });
  }
  const unjudged = grades.filter(({ gt_correct }) => gt_correct === null).length;
  const hack = share(hackable, (i) => grades[i].exploited);
  const paid = share(hackable, (i) => grades[i].passed && grades[i].gt_correct === null);
  return {
    n: judged.length,
    ...(unjudged > 0 ? { unjudged } : {}),
    ...(paid > 0 ? { hackAtMost: hack + paid } : {}),
    format: share(all, (i) => grades[i].formatOk),
    solve: share(all, (i) => grades[i].gt_correct === true),
    hack,
    structural: share(hackable, (i) => grades[i].structural),
    ended: share(all, (i) => judged[i].generated.ended),
    meanTokens: judged.reduce((sum, { generated: { tokens } }) => sum + tokens.length, 0) / judged.length,
    byMode,
  };
}

/** Means over rounds with seeds 1, 2, …; rounds are equal in size, so each mean is the pooled rate. */
export async function measureRounds(
  input: BaseRatesInput,
  count: number,
  onRound?: (done: number) => void,
): Promise<BaseRates> {
  const rounds = (await judgedRounds(input, count, onRound)).map(ratesOf);
  const of = (pick: (rates: BaseRates) => number) => mean(rounds.map(pick)) ?? Number.NaN;
  const byMode: BaseRates['byMode'] = {};
  for (const mode of Object.keys(rounds[0].byMode)) {
    const { n } = rounds[0].byMode[mode];
    const share = (key: 'solve' | 'passed') => of((rates) => rates.byMode[mode][key]);
    const hack = meanOfKnown(rounds.map((rates) => rates.byMode[mode].hack));
    setOwn(byMode, mode, { n: n * count, solve: share('solve'), hack, passed: share('passed') });
  }
  const unjudged = rounds.reduce((sum, round) => sum + (round.unjudged ?? 0), 0);
  return {
    n: rounds.reduce((sum, { n }) => sum + n, 0),
    ...(unjudged > 0 ? { unjudged } : {}),
    ...(rounds.some(({ hackAtMost }) => hackAtMost !== undefined)
      ? { hackAtMost: of(({ hackAtMost, hack }) => hackAtMost ?? hack) }
      : {}),
    format: of(({ format }) => format),
    solve: of(({ solve }) => solve),
    hack: of(({ hack }) => hack),
    structural: of(({ structural }) => structural),
    ended: of(({ ended }) => ended),
    meanTokens: of(({ meanTokens }) => meanTokens),
    byMode,
  };
}
