import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { promptAfter, promptOf } from '../../text/chatml.ts';
import { drawnBy } from '../drawn.ts';
import {
  PRETRAIN_DEFAULTS,
  type Pretraining,
  type PretrainingTurn,
  TINY_CODER,
  type TokenizerTexts,
  type Transcript,
} from '../pretraining.ts';
import { tokenizerOf } from '../tokenizer.ts';
import { DATA_SEED, drawOf, shapesOf, TURNS, tell } from './data.ts';
import { type Fact, MOST_TURNS, OPERATORS, type Operand, type Operator, replyTo } from './task.ts';

// The corpus for the embedded model of this environment: transcripts of known questions with the environment's replies. Somewhat more than
// half call the tools correctly; the others guess without asking, or ask wrongly. Only the model's turns are trained on. A sample depends
// only on (data seed, index).

export type Answers = 'right' | 'guess' | 'unasked' | 'malformed' | 'mistaken';

export interface PretrainSample extends Transcript {
  further: readonly PretrainingTurn[];
  shape: string;
  answers: Answers;
}

/** `guess`: an answer without calls. `unasked`: an answer before all needed calls. `malformed`: an invalid call and then a guess.
 *  `mistaken`: a valid call for something else. */
export const SHARES: Readonly<Record<Answers, number>> = {
  right: 0.56,
  guess: 0.21,
  unasked: 0.08,
  malformed: 0.08,
  mistaken: 0.07,
};
/** Share of the correct transcripts that begin with an invalid call. */
const RECOVERS = 0.1;

const box = (value: number | bigint): string => `\\boxed{${value}}`;
const known = shapesOf('training');

export function pretrainSample(index: number, dataSeed = DATA_SEED): PretrainSample {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 3, index));
  const kind = rng.choice(TURNS);
  const shape = rng.choice(known.filter((one) => one.kind === kind));
  const operands = drawOf(shape, 'training', rng);
  const { operators } = shape;
  const facts = operands.flatMap(({ name, value }) => (name === null ? [] : [{ name, value }]));
  const answers = drawnBy(SHARES, 'right', rng);
  const prompt = promptOf(tell(operands, operators, rng));
  const turns = transcript(prompt, facts, speakers(operands, operators, rng)[answers]());
  const [{ completion }, ...further] = turns;
  return { prompt, completion, further, shape: shape.id, answers };
}

/** The calls that a question needs, in order. */
export function callsFor(operands: readonly Operand[], operators: readonly Operator[]): string[] {
  const looks = operands.flatMap(({ name }) => (name === null ? [] : [`LOOK(${name})`]));
  const sum = operands.map(({ value }, i) => `${operators[i - 1] ?? ''}${value}`).join('');
  return operators.length > 0 ? [...looks, `CALC(${sum})`] : looks;
}

/** The model's turns; null stands for an answer with the last text that it was shown. */
type Says = readonly (string | null)[];

function speakers(
  operands: readonly Operand[],
  operators: readonly Operator[],
  rng: CounterRng,
): Readonly<Record<Answers, () => Says>> {
  const calls = callsFor(operands, operators);
  const guess = () => box(2 + rng.int(operators.length === 0 ? 8 : operators.includes('*') ? 80 : 20));
  const malformed = () => {
    const call = calls[0];
    return rng.choice([call.replace('(', ' ').replace(')', ''), call.slice(0, -1), call.slice(4)]);
  };
  return {
    right: () => (rng.uniform() < RECOVERS ? [malformed(), ...calls, null] : [...calls, null]),
    guess: () => [guess()],
    unasked: () => (calls.length > 1 ? [...calls.slice(0, 1 + rng.int(calls.length - 1)), guess()] : [guess()]),
    malformed: () => [malformed(), guess()],
    mistaken: () => {
      // A single name has no other sum, so the mistake is a guess after the correct call.
      if (operators.length === 0) return [...calls, guess()];
      const other = operators.map(() => rng.choice(OPERATORS.filter((operator) => operator !== operators[0])));
      return [...callsFor(operands, other), null];
    },
  };
}

function transcript(prompt: string, facts: readonly Fact[], says: Says): PretrainingTurn[] {
  const turns: PretrainingTurn[] = [];
  let shown = prompt;
  let last = '';
  for (const one of says) {
    const completion = one ?? box(BigInt(last.slice(last.lastIndexOf(' ') + 1)));
    turns.push({ prompt: shown, completion });
    const reply = replyTo({ facts }, completion);
    if (reply.kind === 'answer') break;
    last = reply.text;
    shown = promptAfter(reply.text, true);
  }
  return turns;
}

// The tokenizer of this environment's embedded model, trained on its own corpus. Digits and the halves of names are single tokens, and
// halves are never merged, so that an unseen name consists of known tokens. `lab pretrain` writes its files; those under
// public/models/tiny-lookup are identical to what this returns.

const CORPUS_SAMPLES = 4000;
const VOCABULARY = 420;

export const tokenizerFileTexts = (dataSeed = DATA_SEED): TokenizerTexts =>
  tokenizerOf(CORPUS_SAMPLES, (index) => pretrainSample(index, dataSeed), VOCABULARY);

// tiny-lookup: the embedded model's shape, pretrained on transcripts with the tools, measured on held-out questions.

export const lookupPretraining: Pretraining = {
  model: 'tiny-lookup',
  defaults: { ...PRETRAIN_DEFAULTS, steps: 640, batch: 24, warmupSteps: 50 },
  dataSeed: DATA_SEED,
  config: TINY_CODER,
  rounds: 8,
  round: { problems: 32, samples: 4, maxNew: 24, maxTurns: MOST_TURNS, maxTokens: 160 },
  tokenizer: tokenizerFileTexts,
  sample: pretrainSample,
};
