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

// The corpus that makes the embedded model of this environment: transcripts of known questions, as the environment would have answered
// them. Somewhat more than half call the tools rightly; the others guess without asking, or ask wrongly. Only what the model says is
// trained on. A sample is a pure function of (data seed, index).

export type Answers = 'right' | 'guess' | 'unasked' | 'malformed' | 'mistaken';

export interface PretrainSample extends Transcript {
  further: readonly PretrainingTurn[];
  shape: string;
  answers: Answers;
}

/** `guess`: an answer at once. `unasked`: an answer before all was asked. `malformed`: a call that is none, and a guess then.
 *  `mistaken`: a call for something else. */
export const SHARES: Readonly<Record<Answers, number>> = {
  right: 0.56,
  guess: 0.21,
  unasked: 0.08,
  malformed: 0.08,
  mistaken: 0.07,
};
/** Share of the right ones that begin with a call that is none, and then ask properly. */
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

/** The calls that a question needs, in their order. */
export function callsFor(operands: readonly Operand[], operators: readonly Operator[]): string[] {
  const looks = operands.flatMap(({ name }) => (name === null ? [] : [`LOOK(${name})`]));
  const sum = operands.map(({ value }, i) => `${operators[i - 1] ?? ''}${value}`).join('');
  return operators.length > 0 ? [...looks, `CALC(${sum})`] : looks;
}

/** The model's turns; null stands for an answer with what it was shown last. */
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
      // A single name leaves no other sum, so the mistake is a guess after the right call.
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

// The tokenizer of this environment's embedded model, learnt from its own corpus; digits are single tokens, and so are the halves of names,
// which never grow together: an unseen name is made of known tokens. `lab pretrain` writes its files; the copies under
// public/models/tiny-lookup are what this returns, byte for byte.

const CORPUS_SAMPLES = 4000;
const VOCABULARY = 420;

export const tokenizerFileTexts = (dataSeed = DATA_SEED): TokenizerTexts =>
  tokenizerOf(CORPUS_SAMPLES, (index) => pretrainSample(index, dataSeed), VOCABULARY);

// tiny-lookup: the embedded shape, pretrained on transcripts with the tools, measured on what pretraining has not seen.

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
