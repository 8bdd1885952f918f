// Several attempts at a problem as one text: how they are shown to a model that makes one working of them (or revises its own answer), and the corpus on
// which the embedded model learns that.

import { showRational } from '../../lib/exact/rational.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { BEFORE_ANSWER, BEFORE_USER, END_OF_TURN, promptOf } from '../../text/chatml.ts';
import { numberOf } from '../cat/selection.ts';
import type { Attempt, AttemptGroup, Prompts } from '../cat/types.ts';
import { type Improvable, type Revised, revisionOf } from '../exit/types.ts';
import type { PretrainingTurn, Transcript } from '../pretraining.ts';
import type { Group } from '../types.ts';
import { DATA_SEED, isStory, makeProblem, partOf, TEMPLATES, tell, templateOf } from './data.ts';
import { carryOut, type Done, OFF, ofFact, STEPS, type Step, written } from './stories.ts';
import {
  type ArithmeticProblem,
  type ArithmeticVerdict,
  gradeArithmetic,
  lastBox,
  parseRational,
  type Template,
} from './task.ts';

// Texts of this environment's synthesiser: one line per working with a letter before each step, `A3+4=7B7*3=21`, so that sixteen fit into the model's
// positions and steps can be found by letter. (Without letters a model of this size lost the order while copying: of eight equal and correct attempts it
// made a wrong working in one case of five, by taking another step's numbers.) Lines of one step stay together, `Adozen=12:2*12=24;7+24=31`, so that a
// step written in one line or in two does not shift the following letters. The problem is shown only on request. Everything else in an answer is kept, up
// to a length.

/** Most characters of an attempt's line; longer ones are cut. */
const LONGEST = 96;
/** Letters of the steps; steps beyond the last letter share it. */
const LETTERS = 'ABCDEFGH';

/** An answer as the synthesiser reads it; the box is omitted if the last line has the same value: `A7/2=3.5>7/2`. */
export function attemptLine(completion: string): string {
  const lines = linesOf(completion);
  const box = lastBox(completion);
  const says = lines.at(-1)?.split('=').at(-1);
  return `${withStepLetters(lines)}${box === null || box === says ? '' : `>${box}`}`.slice(0, LONGEST);
}

/** An answer as the synthesiser writes it. */
export function synthesisText(completion: string): string {
  const box = lastBox(completion);
  return `${withStepLetters(linesOf(completion))}${box === null ? '' : `\\boxed{${box}}`}`;
}

/** The inverse, for readers: separate lines. */
export const workingOfSynthesis = (text: string): string =>
  text
    .replaceAll(/[A-H:;](?=[\da-z])/g, '\n')
    .replaceAll(/\n?\\boxed/g, '\n\\boxed')
    .trim();

/** `problem` is null for a prompt without the question; otherwise a whole prompt of the environment with chat markup, whose story is shown first. */
export function synthesisPrompt(lines: readonly string[], problem: string | null = null): string {
  const story = problem === null ? '' : `${problem.slice(BEFORE_USER.length, -BEFORE_ANSWER.length)}\n`;
  return promptOf(`${story}SYN\n${lines.join('\n')}`);
}

/** Asks for a working followed by the number of a correct attempt. Each line ends with its number, so that the attempt is read before it. */
const choicePrompt = (lines: readonly string[]): string =>
  promptOf(`CHO\n${lines.map((line, i) => `${line} ${i + 1}`).join('\n')}`);

/** Lines of an answer without chat markup, which would end the prompt. */
const linesOf = (completion: string): string[] =>
  completion
    .replaceAll(/<\|[^|]*\|>/g, '')
    .replaceAll(/\\boxed\{[^{}]*\}/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function withStepLetters(lines: readonly string[]): string {
  const steps: string[][] = [];
  for (const [i, line] of lines.entries()) {
    if (i > 0 && isSameStep(lines[i - 1], line)) steps[steps.length - 1].push(line);
    else steps.push([line]);
  }
  return steps.map((step, i) => LETTERS[Math.min(i, LETTERS.length - 1)] + joined(step)).join('');
}

/** In a step, `;` precedes the last line, which has the running number; earlier lines are joined by `:`. */
const joined = (step: readonly string[]): string =>
  [step.slice(0, -1).join(':'), step[step.length - 1]].filter((part) => part !== '').join(';');

/** Whether two lines belong to one step: after a fact, or if a product is added next. */
function isSameStep(line: string, next: string): boolean {
  if (!/[-+*/]/.test(line)) return true;
  const product = /^\d+\*\d+=(\d+)$/.exec(line)?.[1];
  return product !== undefined && /^\d+\+(\d+)=/.exec(next)?.[1] === product;
}

// The word problems as input of reference estimators: attempts with parsed values, and what a model is shown of them.

/** The exact value of the last box in lowest terms, equal for 1/2, 0.5 and 2/4. Null without a number in a box. */
export function answerOf(text: string): string | null {
  const box = lastBox(text);
  const value = box === null ? null : parseRational(box);
  return value && showRational(value);
}

const attemptLines = (attempts: readonly Attempt[]): string[] => attempts.map(({ text }) => attemptLine(text));

/** `prompt`: the problem's, for estimators that show it. */
export const promptsOf = (prompt: string): Prompts => ({
  synthesis: (attempts, withQuestion) => synthesisPrompt(attemptLines(attempts), withQuestion ? prompt : null),
  // The embedded model was not trained to follow an instruction to choose: its choice is the attempt that it is most likely to write itself.
  choice: (attempts) => ({
    prompt: synthesisPrompt(attemptLines(attempts)),
    options: attempts.map(({ text }) => synthesisText(text)),
  }),
  numbered: (attempts) => ({
    prompt: choicePrompt(attemptLines(attempts)),
    chosen: (text) => numberOf(/\} (\d+)$/.exec(text)?.[1], attempts),
  }),
  prediction: (others) => synthesisPrompt(attemptLines(others)),
  written: ({ text }) => synthesisText(text),
});

/** Only the oracle estimator reads the truth. */
export function askedOf({
  task,
  rollouts,
}: Pick<Group<Pick<ArithmeticProblem, 'id' | 'prompt' | 'expected'>>, 'task' | 'rollouts'>): AttemptGroup {
  return {
    id: task.id,
    attempts: rollouts.map(({ turns }) => {
      const last = turns.at(-1);
      const text = last?.completion ?? '';
      return { text, value: answerOf(text), ...(last?.logprobs && { logprobs: last.logprobs }) };
    }),
    prompts: promptsOf(task.prompt),
    answerOf,
    truth() {
      const value = parseRational(task.expected);
      return value && showRational(value);
    },
  };
}

// For revisions, an answer is shown after its story, in the form in which this environment's model reads attempts, with its check's result but never the
// correct number. (As a turn of a conversation, which the base has never seen, it revises nothing: docs/lab-book/exit.md has the numbers.)

export const arithmeticQuality = ({ correct }: ArithmeticVerdict): number => (correct ? 1 : 0);

export const arithmeticImprovable: Improvable<ArithmeticProblem, ArithmeticVerdict> = {
  id: ({ id }) => id,
  answerOf: ({ verdict }, completion) =>
    completion === '' ? null : { text: completion, quality: arithmeticQuality(verdict) },
  revise(root, history, how): ArithmeticProblem & Revised {
    const { text } = history[history.length - 1];
    const { correct, formatOk } = gradeArithmetic(root, text);
    // Revisions are written like syntheses: one line, with letters before steps.
    const line = attemptLine(history.length > 1 || /^A/.test(text) ? workingOfSynthesis(text) : text);
    const outcome = correct ? 'right' : formatOk ? 'wrong' : 'no number';
    const lines = [`${line} ${outcome}`, ...(how === 'diverge' ? ['another way'] : [])];
    return revisionOf(root, history, synthesisPrompt(lines, root.prompt));
  },
};

// The second half of the corpus: several attempts at one problem as input, one correct working as output, without the question. Problems are arbitrary
// sequences of steps, two in five of them not templates of the environment, with facts of no story, so that the model learns to recheck lines and to
// reconcile attempts, not templates. Attempts come from the process of model.ts (slips, misconceptions); the rate of misconceptions is drawn per group,
// and some attempts are also disordered. There is no item whose attempts all share a misreading while the question is hidden.

export interface SynthesisSample extends PretrainingTurn {
  /** Ids of its steps, joined; never a held-out sequence. */
  sequence: string;
  /** Parameters, in the order of a problem's. */
  params: readonly number[];
  lines: readonly string[];
  /** Indices of the attempts with the correct value. */
  right: readonly number[];
  /** Whether the question is shown before the attempts. */
  isShown: boolean;
}

/** Number of attempts in an item, by stage: few teach copying and rechecking; GRPO samples eight. */
const GROUPS = { 1: [1, 1, 2, 2, 3, 4], 2: [1, 2, 4, 5, 6, 8, 8, 8, 8] } as const;
/** Share of items with the question, and of attempts with a slip. */
export const SYNTHESIS_SHARES = { shown: 0.15, slip: 0.25 } as const;
/** Share of disordered attempts in a group of more than two. */
const DISORDER = [0, 0.1, 0.2, 0.35];
/** Rate of the misconception among a group's attempts, if the template has one. */
const RATES = [0.2, 0.4, 0.6, 0.6, 0.8, 1];
/** Rates of misread mirrored steps where their majority is to be right. */
const RIGHT_MAJORITY = [0.1, 0.1, 0.2, 0.2, 0.3, 0.3];
const LENGTHS = [1, 2, 2, 3, 3, 3];

/** Facts that are never corrected here, since attempts have them right; they test whether correction generalises. */
export const HELD_FACTS: readonly string[] = ['year'];

/** Facts of no story, so that there are more facts to correct than the environment has. */
const MORE_FACTS: readonly Step[] = (
  [
    ['pair', 2, 3],
    ['trio', 3, 2],
    ['hand', 5, 4],
    ['pack', 6, 8],
    ['box', 8, 6],
    ['nest', 4, 5],
    ['row', 9, 10],
    ['score', 20, 15],
    ['tray', 16, 12],
  ] as const
).map(([word, size, mistaken]) => ({
  id: word,
  kind: 'fact',
  turns: false,
  say: () => [],
  params: size < 8 ? [1, 2, 3, 4] : [1, 2],
  right: ofFact(word, size),
  wrong: ofFact(word, mistaken),
}));

const PLAIN = STEPS.filter(({ kind }) => kind === 'plain');
const FACTS = STEPS.filter(({ kind }) => kind === 'fact');
const READINGS = STEPS.filter(({ kind }) => kind === 'reading');
const OF_ENVIRONMENT = TEMPLATES.filter(({ heldOut }) => !heldOut);
const byId = new Map([...STEPS, ...MORE_FACTS].map((step) => [step.id, step]));

/** Each adds what the other subtracts, so that attempts alone do not reveal the problem; only the majority can. */
const MIRRORED: readonly string[] = ['fewer', 'more'];

/**
 * Depends only on (data seed, index, stage). `isMajorityRight`: most attempts at mirrored readings are correct. Otherwise the majority of a group with
 * both readings is wrong nearly as often, so that following it is not learnt.
 */
export function synthesisSample(
  index: number,
  dataSeed = DATA_SEED,
  stage: 1 | 2 = 2,
  isMajorityRight = false,
): SynthesisSample {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 4, index));
  const group = rng.choice(GROUPS[stage]);
  const isShown = rng.uniform() < SYNTHESIS_SHARES.shown;
  for (;;) {
    const { template, params } = problemOf(isShown, rng);
    const { steps, right } = stepsOf(template);
    const done = carryOut(template, params, right);
    if (!done) continue;
    const misread = rng.choice(RATES);
    const disordered = group > 2 ? rng.choice(DISORDER) : 0;
    const rates = { misread, disordered, mirrored: isMajorityRight ? rng.choice(RIGHT_MAJORITY) : misread };
    const attempts = Array.from({ length: group }, () => attempt(template, params, rates, rng));
    const isInvisible = steps.some(
      ({ kind }, place) => kind === 'reading' && attempts.every(({ misread }) => misread.has(place)),
    );
    if (isInvisible && !isShown) continue;
    const lines = attempts.map(({ done }) => attemptLine(written(done, rng)));
    const story = isShown ? tell(template, params, rng) : null;
    return {
      prompt: synthesisPrompt(lines, story),
      completion: synthesisText(written(done, rng)),
      sequence: template.id,
      params,
      lines,
      isShown,
      right: attempts.flatMap((one, place) => (one.done.value === done.value ? [place] : [])),
    };
  }
}

/** A template of the environment if the story must be told, otherwise any steps; never held-out steps or numbers. */
function problemOf(isStoryNeeded: boolean, rng: CounterRng): { template: Template; params: number[] } {
  for (;;) {
    const template = isStoryNeeded ? rng.choice(OF_ENVIRONMENT) : templateOf(sequence(rng));
    const params = [3 + rng.int(13), ...template.steps.map((id) => rng.choice(byId.get(id)!.params))];
    if (partOf(template, params) !== 'training') continue;
    if (isStoryNeeded && !(isStory(template, params) && makeProblem(template, params))) continue;
    return { template, params };
  }
}

/** Nearly half of the steps are plain; only the last may give a fraction. */
function sequence(rng: CounterRng): Step[] {
  const length = rng.choice(LENGTHS);
  return Array.from({ length }, (_, place) => {
    const u = rng.uniform();
    if (u < 0.22) return rng.choice(FACTS);
    if (u < 0.32) return rng.choice(MORE_FACTS);
    if (u < 0.55) return rng.choice(READINGS);
    return rng.choice(place === length - 1 ? PLAIN : PLAIN.filter(({ breaks }) => !breaks));
  });
}

function stepsOf({ steps: ids }: Template) {
  const steps = ids.map((id) => byId.get(id)!);
  return { steps, right: (value: number, param: number, place: number) => steps[place].right(value, param) };
}

interface Worked {
  done: Done;
  /** Indices of its steps that were misread. */
  misread: ReadonlySet<number>;
}

/** An attempt; the correct one if no other stays within the bounds. */
function attempt(
  template: Template,
  params: readonly number[],
  rates: { misread: number; disordered: number; mirrored: number },
  rng: CounterRng,
): Worked {
  const { steps, right } = stepsOf(template);
  for (let tries = 0; tries < 10; tries++) {
    const wrong = steps.map(
      (step) =>
        step.wrong !== null &&
        !HELD_FACTS.includes(step.id) &&
        rng.uniform() < (MIRRORED.includes(step.id) ? rates.mirrored : rates.misread),
    );
    const slipAt = rng.uniform() < SYNTHESIS_SHARES.slip ? rng.int(steps.length) : -1;
    const off = rng.choice(OFF);
    const acts = steps.map((step, place) => ({ act: wrong[place] ? step.wrong! : step.right, place }));
    let numbers = params;
    let order = acts;
    if (rng.uniform() < rates.disordered) ({ numbers, order } = disordered(acts, params, rng));
    const shape = { ...template, steps: order.map(({ place }) => template.steps[place]) };
    const shown = [numbers[0], ...order.map(({ place }) => numbers[place + 1])];
    const done = carryOut(shape, shown, (value, param, at) => {
      const one = order[at].act(value, param);
      return one && order[at].place === slipAt ? slipped(one, off) : one;
    });
    const misread = new Set(steps.flatMap(({ kind }, place) => (kind === 'reading' && wrong[place] ? [place] : [])));
    if (done) return { done, misread };
  }
  return { done: carryOut(template, params, right)!, misread: new Set() };
}

/** A sample that asks for the number of a random correct attempt after the working; null if the question is shown, or if there is no
 *  choice. */
export function choiceSample(
  { lines, right, isShown, completion }: SynthesisSample,
  index: number,
  dataSeed = DATA_SEED,
): PretrainingTurn | null {
  if (isShown || lines.length === 1 || right.length === 0) return null;
  const place = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 5, index)).choice(right);
  return { prompt: choicePrompt(lines), completion: `${completion} ${place + 1}` };
}

type Act = { act: Step['right']; place: number };

/** Changes the steps: drops one, swaps two, repeats one, inverts one, or changes the start. */
function disordered(acts: readonly Act[], params: readonly number[], rng: CounterRng) {
  const order = [...acts];
  const at = rng.int(order.length);
  const next = Math.min(at + 1, order.length - 1);
  let numbers = params;
  switch (rng.int(5)) {
    case 0:
      if (order.length > 1) order.splice(at, 1);
      break;
    case 1:
      [order[at], order[next]] = [order[next], order[at]];
      break;
    case 2:
      order.splice(at, 0, order[at]);
      break;
    case 3: {
      const other = rng.choice(PLAIN.filter(({ breaks }) => !breaks));
      order[at] = { act: other.right, place: order[at].place };
      break;
    }
    default:
      numbers = [Math.max(1, params[0] + rng.choice([-3, -1, 1, 2])), ...params.slice(1)];
  }
  return { numbers, order };
}

/** A working with a changed last result. */
function slipped({ lines, value }: Done, off: number): Done {
  const last = lines[lines.length - 1];
  const wrong = Math.floor(value) + off;
  return { lines: [...lines.slice(0, -1), `${last.slice(0, last.indexOf('='))}=${wrong}`], value: wrong };
}

/**
 * The same text with its attempts trained too, in a turn of their own, each given those before it. They repeat each other, which teaches copying:
 * trained on targets alone, a sixth of the tokens, a model of this size had not begun to copy after 500 steps.
 */
export function withPlannedAttempts({ prompt, completion, lines }: SynthesisSample): Required<Transcript> {
  const [shown, rest] = [prompt.lastIndexOf(lines.join('\n')), prompt.lastIndexOf(END_OF_TURN)];
  return {
    prompt: prompt.slice(0, shown),
    completion: prompt.slice(shown, rest),
    further: [{ prompt: prompt.slice(rest + END_OF_TURN.length), completion }],
  };
}
