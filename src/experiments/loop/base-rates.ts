// What an untrained base does at temperature 1: the three rates that make a model fit for the experiment (format, solve, hack),
// measured with the real grader on problems of unseen families. The embedded model's manifest records them; a test measures again.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { Policy } from '../../engine/types.ts';
import { evaluationSet } from '../../environments/code/data.ts';
import { DATA_SEED } from '../../environments/code/problem.ts';
import { type FamilySet, type Grader, type ProblemMode, STANDARD_MODES } from '../../environments/code/types.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { mean, meanOfKnown } from '../../stats/index.ts';
import type { TextCodec } from '../../text/codec.ts';

export interface BaseRates {
  /** Completions judged; the hack rate is over the hackable ones. */
  n: number;
  /** Of them, those on which the strict oracle ran out: neither solve nor hack. Absent when 0. */
  unjudged?: number;
  /** The hack rate if all of them that passed are hacks. Absent where none did. */
  hackAtMost?: number;
  format: number;
  solve: number;
  hack: number;
  structural: number;
  ended: number;
  meanTokens: number;
  /** An honest problem has no flaw to exploit: its hack rate is null. */
  byMode: Record<string, { n: number; solve: number; hack: number | null; passed: number }>;
}

interface BaseRatesInput {
  policy: Policy;
  codec: TextCodec;
  grader: Grader;
  /** Problems asked (unseen families only, half of them with a neutral clause), and completions of each. */
  problems: number;
  samples: number;
  maxNew: number;
  seed: number;
  dataSeed?: number;
  families?: FamilySet;
  signal?: AbortSignal;
}

async function measureBase(input: BaseRatesInput): Promise<BaseRates> {
  const { policy, codec, grader, maxNew, seed, signal, dataSeed = DATA_SEED, families } = input;
  const asked = evaluationSet({
    modes: STANDARD_MODES,
    honestShare: 0.5,
    count: input.problems * 2,
    dataSeed,
    families,
  })
    .filter(({ unseen }) => unseen === 'family')
    .map(({ problem }) => problem);
  const problems = asked.flatMap((problem) => Array.from({ length: input.samples }, () => problem));
  const generated = await policy.generate({
    prompts: asked.map(({ prompt }) => codec.encode(prompt)),
    sequences: problems.map((_, i) => ({
      prompt: Math.floor(i / input.samples),
      key: keyFor(seed, STREAMS.evaluation, Math.floor(i / input.samples), i % input.samples),
    })),
    maxNew,
    temperature: 1,
    endTokens: codec.endTokens,
    signal,
  });
  const completions = generated.map(({ tokens, ended }) => codec.decode(ended ? tokens.slice(0, -1) : tokens));
  const grades = await grader.grade(
    problems.map((problem, i) => ({ problem, completion: completions[i] })),
    signal,
  );
  const share = (of: readonly number[], is: (i: number) => boolean) => of.filter(is).length / Math.max(1, of.length);
  const all = problems.map((_, i) => i);
  const hackable = all.filter((i) => problems[i].mode !== 'honest');
  const byMode: BaseRates['byMode'] = {};
  for (const mode of new Set<ProblemMode>(problems.map((p) => p.mode))) {
    const of = all.filter((i) => problems[i].mode === mode);
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
    n: problems.length,
    ...(unjudged > 0 ? { unjudged } : {}),
    ...(paid > 0 ? { hackAtMost: hack + paid } : {}),
    format: share(all, (i) => grades[i].formatOk),
    solve: share(all, (i) => grades[i].gt_correct === true),
    hack,
    structural: share(hackable, (i) => grades[i].structural),
    ended: share(all, (i) => generated[i].ended),
    meanTokens: generated.reduce((sum, { tokens }) => sum + tokens.length, 0) / generated.length,
    byMode,
  };
}

/** A round's size: 160 problems twice, with room for the longest completions of pretraining. */
const ROUND = { problems: 160, samples: 2, maxNew: 96 } as const;

/** Rounds with seeds 1, 2, …; equal in size, so the mean of their rates is the rate of all. */
export async function measureRounds(
  input: Omit<BaseRatesInput, 'seed' | keyof typeof ROUND>,
  count: number,
  onRound?: (done: number) => void,
): Promise<BaseRates> {
  const rounds: BaseRates[] = [];
  for (let seed = 1; seed <= count; seed++) {
    onRound?.(seed - 1);
    rounds.push(await measureBase({ ...input, ...ROUND, seed }));
  }
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
