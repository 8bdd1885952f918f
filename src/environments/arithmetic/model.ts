// tiny-arithmetic: its samples, tokenizer and training, and measures of the untrained base.

import { percent } from '../../lib/numbers.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { mean } from '../../stats/index.ts';
import {
  answersTo,
  type Measured,
  type MeasureInput,
  measuredInRounds,
  PRETRAIN_DEFAULTS,
  type Pretraining,
  type PretrainingTurn,
  TINY_CODER,
  type TokenizerTexts,
} from '../pretraining.ts';
import { tokenizerOf } from '../tokenizer.ts';
import { DATA_SEED, makeProblem, partOf, problemsOf, SPLITS, type SplitId, TEMPLATES, TURNS, tell } from './data.ts';
import { type Done, drawParams, misconceivedWorking, rightWorking, slipOf, written } from './stories.ts';
import { choiceSample, synthesisSample, withPlannedAttempts } from './synthesis.ts';
import { type ArithmeticProblem, type ArithmeticVerdict, gradeArithmetic, KINDS, type Template } from './task.ts';

// The corpus of this environment's embedded model: workings of the known templates, correct or wrong in fixed shares. Wrong ones in plain templates have
// a slip; in templates with a misconception, half of the answers have it, so that most of the model's answers are wrong there. A sample depends only
// on (data seed, index).

export interface PretrainSample extends PretrainingTurn {
  template: string;
  answers: 'right' | 'misconception' | 'slip';
}

/** Shares of answers; the remaining ones are slips. */
export const SHARES = {
  plain: { right: 0.75, misconception: 0 },
  misconceived: { right: 0.3, misconception: 0.5 },
} as const;

const known = TEMPLATES.filter(({ heldOut }) => !heldOut);
/** Number of steps of a template; longer ones are more frequent, since there are more of them. */
const LENGTHS = [1, 2, 2, 3, 3];

export function pretrainSample(index: number, dataSeed = DATA_SEED): PretrainSample {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 2, index));
  const kind = rng.choice(TURNS);
  const length = rng.choice(LENGTHS);
  const template = rng.choice(known.filter(({ kind: own, steps }) => own === kind && steps.length === length));
  for (;;) {
    const params = drawParams(template, rng);
    if (partOf(template, params) !== 'training' || !makeProblem(template, params, dataSeed)) continue;
    const { right, misconception } = template.kind === 'plain' ? SHARES.plain : SHARES.misconceived;
    const u = rng.uniform();
    const answers = u < right ? 'right' : u < right + misconception ? 'misconception' : 'slip';
    const done = workingOf(template, params, answers, rng);
    if (!done) continue;
    return { prompt: tell(template, params, rng), completion: written(done, rng), template: template.id, answers };
  }
}

function workingOf(
  template: Template,
  params: readonly number[],
  answers: PretrainSample['answers'],
  rng: CounterRng,
): Done | null {
  if (answers === 'right') return rightWorking(template, params);
  return answers === 'misconception' ? misconceivedWorking(template, params) : slipOf(template, params, rng);
}

// The tokenizer of this environment's embedded model, learnt from its own corpus; digits are single tokens. `lab pretrain` writes its files; the copies
// under public/models/tiny-arithmetic equal this output byte for byte.

const CORPUS_SAMPLES = 4000;

export const tokenizerFileTexts = (dataSeed = DATA_SEED): TokenizerTexts =>
  tokenizerOf(CORPUS_SAMPLES, (index) => pretrainSample(index, dataSeed));

// Rates of this environment's untrained base at temperature 1: eight answers to every problem of both held-out splits, so that majorities can be counted.
// The model's manifest records them, and a test repeats the first round.

/** Shares over answers; `majority` over problems. */
export interface ArithmeticShares {
  /** Number of answers. */
  n: number;
  solve: number;
  /** Share of the answers to problems with a misconception; null if there are none. */
  misconception: number | null;
  /** Share of problems whose most frequent answer is correct; a tie counts in part. */
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
interface AnsweredProblem {
  problem: ArithmeticProblem;
  split: SplitId;
  verdicts: ArithmeticVerdict[];
  ended: number;
  tokens: number;
}

/** Size of a round: problems per split, and answers per problem. */
export const ROUND = { problems: 32, samples: 8, maxNew: 52 } as const;

/** Every round has its own problems. */
export const measureArithmetic = (
  input: Measured,
  rounds: number,
  onRound?: MeasureInput['onRound'],
): Promise<{ all: ArithmeticRates; first: ArithmeticRates }> =>
  measuredInRounds(rounds, onRound, (round) => ask(input, round), ratesOf);

async function ask(input: Measured, round: number): Promise<AnsweredProblem[]> {
  const { problems: count } = ROUND;
  const problems = SPLITS.flatMap((split) =>
    problemsOf(split, count * (round + 1), input.dataSeed)
      .slice(count * round)
      .map((problem) => ({ problem, split })),
  );
  const prompts = problems.map(({ problem }) => problem.prompt);
  const answers = await answersTo(input, prompts, ROUND, round);
  return problems.map(({ problem, split }, i) => ({
    problem,
    split,
    verdicts: answers[i].map(({ text }) => gradeArithmetic(problem, text)),
    ended: answers[i].filter(({ ended }) => ended).length,
    tokens: answers[i].reduce((sum, { tokens }) => sum + tokens, 0),
  }));
}

function ratesOf(asked: readonly AnsweredProblem[]): ArithmeticRates {
  const verdicts = asked.flatMap((one) => one.verdicts);
  const perAnswer = (of: (one: AnsweredProblem) => number) =>
    asked.reduce((sum, one) => sum + of(one), 0) / verdicts.length;
  return {
    ...sharesOf(asked),
    format: share(verdicts, ({ formatOk }) => formatOk),
    ended: perAnswer(({ ended }) => ended),
    meanTokens: perAnswer(({ tokens }) => tokens),
    splits: Object.fromEntries(SPLITS.map((id) => [id, sharesOf(asked.filter(({ split }) => split === id))])),
    kinds: Object.fromEntries(KINDS.map((id) => [id, sharesOf(asked.filter(({ problem }) => problem.kind === id))])),
  };
}

function sharesOf(asked: readonly AnsweredProblem[]): ArithmeticShares {
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

/** 1 if the most frequent value is the correct one; 1/k if k values tie with it. */
function majority({ verdicts }: AnsweredProblem): number {
  const counts = new Map<string, number>();
  for (const { value } of verdicts) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  const right = verdicts.find(({ correct }) => correct)?.value;
  if (right == null || counts.get(right) !== most) return 0;
  return 1 / [...counts.values()].filter((count) => count === most).length;
}

// tiny-arithmetic: the embedded shape, pretrained on workings of the known templates and on syntheses, which make one correct working out of several
// attempts: first two samples in five, with few attempts, which are trained too; then three in five, with up to eight. Measured on what pretraining has
// not seen.

/** Period of samples, and how many of it are workings; the others are syntheses. */
const EVERY = 5;
const SOLVED = { 1: 3, 2: 2 } as const;

interface Taught {
  model: string;
  isMajorityRight?: boolean;
  /** Whether every second synthesis with a possible choice becomes one: 0.27 of all. */
  chooses?: boolean;
}

const pretrainingWith = ({ model, isMajorityRight, chooses }: Taught): Pretraining => ({
  model,
  defaults: { ...PRETRAIN_DEFAULTS, steps: 1300, warmupSteps: 60, secondStageFrom: 0.6 },
  dataSeed: DATA_SEED,
  // Long enough for sixteen attempts at once.
  config: { ...TINY_CODER, maxPositions: 1024 },
  rounds: 8,
  tokenizer: tokenizerFileTexts,
  sample(index, dataSeed, stage) {
    if (index % EVERY < SOLVED[stage]) return pretrainSample(index, dataSeed);
    const sample = synthesisSample(index, dataSeed, stage, isMajorityRight);
    const choice = chooses && index % 2 === 1 ? choiceSample(sample, index, dataSeed) : null;
    return choice ?? (stage === 1 ? withPlannedAttempts(sample) : sample);
  },
  async measure({ rounds, onRound, ...input }) {
    const { all, first } = await measureArithmetic(input, rounds, onRound);
    const { solve, format, n, splits } = all;
    return {
      rates: { ...all, first },
      summary: `solve ${percent(solve)} (held-out templates ${percent(splits.templates.solve)}, unseen parameters ${percent(splits.params.solve)}), format ${percent(format)} (n = ${n}, temperature 1)`,
    };
  },
});

export const arithmeticPretraining = pretrainingWith({ model: 'tiny-arithmetic' });
/** The same with syntheses in which the majority is correct for mirrored readings (question C15); not embedded. */
export const rightMajorityPretraining = pretrainingWith({
  model: 'tiny-arithmetic-right-majority',
  isMajorityRight: true,
});
/** Trained besides to name a correct attempt (question C18); not embedded. */
export const choosingPretraining = pretrainingWith({ model: 'tiny-arithmetic-choosing', chooses: true });
