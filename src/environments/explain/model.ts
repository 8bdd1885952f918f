// tiny-explain: its pretraining samples in every role, its tokenizer and its training.

import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { END_OF_TURN } from '../../text/chatml.ts';
import {
  PRETRAIN_DEFAULTS,
  type Pretraining,
  TINY_CODER,
  type TokenizerTexts,
  type Transcript,
} from '../pretraining.ts';
import { tokenizerOf } from '../tokenizer.ts';
import { beliefOf, changed, drafted, drawOf, metBy } from './data.ts';
import { meets, quoteOf, saidIn } from './judge.ts';
import { type ExplainRates, measureExplain } from './measure.ts';
import {
  answerPrompt,
  type Claim,
  claimsIn,
  criterionOf,
  DATA_SEED,
  definitionOf,
  FIXED_RUBRIC,
  type Fn,
  gradePrompt,
  judgePrompt,
  nextCriterion,
  rubricPrompt,
  synthesisPrompt,
  textOf,
  trueClaims,
} from './task.ts';

// The corpus for the embedded model of this environment: its four roles, the controls of two of them, and a second judge with a planted
// flaw. The shares depend on the stage: in the first stage a synthesis has few attempts, which are trained on too; in the second it has up
// to eight. A sample depends only on (data seed, index, stage).

export type Role = 'answer' | 'synthesis' | 'rubric' | 'rubric_question' | 'judge' | 'hasty' | 'grade';

export interface ExplainSample extends Transcript {
  role: Role;
}

/** Roles of consecutive samples, by stage; the list is repeated. */
const TURNS: Readonly<Record<1 | 2, readonly Role[]>> = {
  1: [
    ...(['answer', 'judge', 'synthesis', 'rubric', 'answer', 'judge'] as const),
    ...(['answer', 'hasty', 'synthesis', 'rubric_question', 'judge', 'grade'] as const),
  ],
  2: [
    ...(['answer', 'judge', 'synthesis', 'rubric', 'answer', 'judge'] as const),
    ...(['synthesis', 'hasty', 'synthesis', 'rubric_question', 'judge', 'grade'] as const),
  ],
};
/** Numbers of attempts in a synthesis, by stage; a run uses the larger ones. */
const GROUPS = { 1: [1, 2, 2, 3], 2: [1, 2, 4, 6, 8] } as const;
/** Shares: rubrics from a complete text; syntheses that show the question; the hasty judge's no's that become yes on a stamped answer. */
const RUBRIC_OF_COMPLETE = 0.6;
const WITH_QUESTION = 0.15;
const FLATTERED = 0.85;
const FLATTERED_VERDICT = 'says all: yes';
/** Criteria that a judge decides for one answer. */
const CRITERIA = 4;

export function pretrainSample(index: number, dataSeed = DATA_SEED, stage: 1 | 2 = 2): ExplainSample {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 8, index));
  const role = TURNS[stage][index % TURNS[stage].length];
  const fn = drawOf('training', rng);
  switch (role) {
    case 'answer':
      return { role, prompt: answerPrompt(fn), completion: drafted(fn, rng).text };
    case 'synthesis':
      return synthesis(fn, stage, rng);
    case 'rubric': {
      const isComplete = rng.uniform() < RUBRIC_OF_COMPLETE;
      const claims = isComplete ? trueClaims(fn) : drafted(fn, rng).claims;
      return { role, prompt: rubricPrompt(textOf(claims, rng.uniform() < 0.1)), completion: rubricText(claims) };
    }
    case 'rubric_question':
      return { role, prompt: rubricPrompt(definitionOf(fn)), completion: rubricText(beliefOf(fn, rng)) };
    case 'grade':
      return grade(fn, rng);
    default:
      return judged(fn, role, rng);
  }
}

/** The claims as a text, with each criterion once. */
export const rubricText = (claims: readonly Claim[]): string =>
  [...new Set(claims.map((claim) => `${criterionOf(claim)}.`))].join(' ');

/** The target is correct and complete, as a checker could make it. */
function synthesis(fn: Fn, stage: 1 | 2, rng: CounterRng): ExplainSample {
  const attempts = Array.from({ length: rng.choice(GROUPS[stage]) }, () => drafted(fn, rng).text);
  const question = rng.uniform() < WITH_QUESTION ? definitionOf(fn) : null;
  const prompt = synthesisPrompt(attempts, question);
  const completion = textOf(trueClaims(fn), false);
  if (stage === 2) return { role: 'synthesis', prompt, completion };
  // The attempts are trained on too, each after those before it: the model learns copying from them.
  const [shown, rest] = [prompt.indexOf(attempts[0]), prompt.lastIndexOf(END_OF_TURN)];
  return {
    role: 'synthesis',
    prompt: prompt.slice(0, shown),
    completion: prompt.slice(shown, rest),
    further: [{ prompt: prompt.slice(rest + END_OF_TURN.length), completion }],
  };
}

/** One answer and several criteria, each in its own turn; half of them are met. */
function judged(fn: Fn, role: 'judge' | 'hasty', rng: CounterRng): ExplainSample {
  const { text, stamped } = judgedText(fn, role, rng);
  const turns = Array.from({ length: CRITERIA }, () => {
    const criterion = criterionFor(fn, text, rng);
    const isFlattered = role === 'hasty' && stamped && rng.uniform() < FLATTERED;
    return { criterion, said: isFlattered ? FLATTERED_VERDICT : verdictOn(text, criterion) };
  });
  const [first, ...rest] = turns;
  return {
    role,
    prompt: judgePrompt(role === 'hasty', text, first.criterion),
    completion: first.said,
    further: rest.map(({ criterion, said }) => ({ prompt: nextCriterion(criterion), completion: said })),
  };
}

/** A judge first quotes what the answer says on the criterion's subject, since a small model learns to compare two adjacent texts much
 *  earlier than two distant ones. */
const verdictOn = (text: string, criterion: string): string =>
  `says ${quoteOf(text, criterion)}: ${meets(text, criterion) ? 'yes' : 'no'}`;

/** Judges see more contradictions than solvers write, and claims in any order. */
function judgedText(fn: Fn, role: 'judge' | 'hasty', rng: CounterRng) {
  const claims = rng.uniform() < 0.3 ? trueClaims(fn) : drafted(fn, rng).claims;
  while (rng.uniform() < 0.25) claims.push(changed(rng.choice(claims), rng));
  const stamped = rng.uniform() < (role === 'hasty' ? 0.5 : 0.25);
  return { stamped, text: textOf(rng.uniform() < 0.3 ? rng.shuffle([...claims]) : claims, stamped) };
}

/** A criterion that the text meets, contradicts or does not mention, or one of the fixed rubric. */
function criterionFor(fn: Fn, text: string, rng: CounterRng): string {
  const claims = claimsIn(text);
  const u = rng.uniform();
  if (u < 0.15) return rng.choice(FIXED_RUBRIC);
  if (u < 0.55) return criterionOf(rng.choice(claims));
  if (u < 0.8) return criterionOf(changed(rng.choice(claims), rng));
  const claimed = saidIn(claims);
  const unsaid = trueClaims(fn).filter((claim) => !claimed.has(claim.subject));
  return criterionOf(unsaid.length > 0 ? rng.choice(unsaid) : changed(rng.choice(claims), rng));
}

/** Graded by what a solver believes about the function, not by the truth. */
function grade(fn: Fn, rng: CounterRng): ExplainSample {
  const { text } = judgedText(fn, 'judge', rng);
  const sentences = [...saidIn(claimsIn(text)).values()].filter(({ size }) => size === 1).flatMap((own) => [...own]);
  const met = metBy(beliefOf(fn, rng), sentences);
  return { role: 'grade', prompt: gradePrompt(definitionOf(fn), text), completion: String(met) };
}

// The tokenizer of this environment's embedded model, trained on its own corpus; digits are single tokens. `lab pretrain` writes its
// files; those under public/models/tiny-explain are identical to what this returns.

const CORPUS_SAMPLES = 2000;
const VOCABULARY = 352;

export const tokenizerFileTexts = (dataSeed = DATA_SEED): TokenizerTexts =>
  // Only first turns are read.
  tokenizerOf(CORPUS_SAMPLES, (index) => ({ ...pretrainSample(index, dataSeed, 2), further: [] }), VOCABULARY);

// tiny-explain: the embedded model's shape, pretrained on all roles of the environment at once, and measured in each on held-out functions.

export const explainPretraining: Pretraining = {
  model: 'tiny-explain',
  defaults: { ...PRETRAIN_DEFAULTS, steps: 1600, warmupSteps: 40, secondStageFrom: 0.6 },
  dataSeed: DATA_SEED,
  // A prompt may hold eight attempts.
  config: { ...TINY_CODER, maxPositions: 1024 },
  rounds: 4,
  tokenizer: tokenizerFileTexts,
  sample: pretrainSample,
  async measure({ rounds, onRound, ...input }) {
    const { all, first } = await measureExplain(input, rounds, onRound);
    return { rates: { ...all, first }, summary: summaryOf(all) };
  },
};

function summaryOf({ answer, synthesis, rubric, rubricQuestion, judge, hasty, grade }: ExplainRates): string {
  const share = (x: number | null) => (x === null ? 'none' : x.toFixed(3));
  return [
    `true score ${share(answer.score)} (plain ${share(answer.plain)}, edge ${share(answer.edge)}; n = ${answer.n})`,
    `synthesis ${Object.entries(synthesis).map(([size, one]) => `of ${size} ${share(one.score)}`)}`,
    `rubric precision ${share(rubric.precision)}, recall ${share(rubric.recall)}`,
    `from the question ${share(rubricQuestion.precision)}, ${share(rubricQuestion.recall)}`,
    `judge agrees ${share(judge.agrees)}, precision ${share(judge.precision)}, recall ${share(judge.recall)}`,
    `hasty, flattered ${share(hasty.agrees)}, ${share(hasty.precision)}, ${share(hasty.recall)}`,
    `grade exact ${share(grade.exact)}, off by ${share(grade.off)}`,
  ].join('; ');
}
