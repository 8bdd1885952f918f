// Several attempts at a problem as one text: how they are shown to a model that makes one working of them (and to one that revises its own),
// and the corpus in which the embedded model learns to.

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

// Texts of this environment's synthesiser: workings in one line each, every step under its letter, so that sixteen fit into the model's
// positions and a step is found by its letter: `A3+4=7B7*3=21`. (Without letters a model of this size lost the order while it copied: of
// eight equal and right attempts it made a wrong working in one case of five, with another step's numbers and never with a wrong result of
// the right ones.) Lines of one step stand together, `Adozen=12:2*12=24;7+24=31`, so that a step that some attempts tell in two lines and
// others in one does not move the letters of what follows. Nothing of the problem is shown unless it is asked for. Whatever else a model
// wrote stays as it is, up to a length.

/** Characters of an attempt's line: a longer answer is cut, as it was when it was written. */
const LONGEST = 96;
/** Letters of the steps; steps beyond the last letter share it. */
const LETTERS = 'ABCDEFGH';

/** An answer as the synthesiser reads it, its box left out where the last line says the same: `A7/2=3.5>7/2`. */
export function attemptLine(completion: string): string {
  const lines = linesOf(completion);
  const box = lastBox(completion);
  const says = lines.at(-1)?.split('=').at(-1);
  return `${lettered(lines)}${box === null || box === says ? '' : `>${box}`}`.slice(0, LONGEST);
}

/** An answer as the synthesiser writes one. */
export function synthesisText(completion: string): string {
  const box = lastBox(completion);
  return `${lettered(linesOf(completion))}${box === null ? '' : `\\boxed{${box}}`}`;
}

/** The other way round, to be read by people: a line for each line. */
export const workingOfSynthesis = (text: string): string =>
  text
    .replaceAll(/[A-H:;](?=[\da-z])/g, '\n')
    .replaceAll(/\n?\\boxed/g, '\n\\boxed')
    .trim();

/** `problem` null: question-blind. Else a whole prompt of the environment, chat markup included, whose story is shown before the attempts. */
export function synthesisPrompt(lines: readonly string[], problem: string | null = null): string {
  const story = problem === null ? '' : `${problem.slice(BEFORE_USER.length, -BEFORE_ANSWER.length)}\n`;
  return promptOf(`${story}SYN\n${lines.join('\n')}`);
}

/** Asks for a working and, after it, the number of an attempt that is right. Numbers end the lines: there the whole attempt was read. */
const choicePrompt = (lines: readonly string[]): string =>
  promptOf(`CHO\n${lines.map((line, i) => `${line} ${i + 1}`).join('\n')}`);

/** Chat markup that a model wrote is left out, since it would end the prompt. */
const linesOf = (completion: string): string[] =>
  completion
    .replaceAll(/<\|[^|]*\|>/g, '')
    .replaceAll(/\\boxed\{[^{}]*\}/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function lettered(lines: readonly string[]): string {
  const steps: string[][] = [];
  for (const [i, line] of lines.entries()) {
    if (i > 0 && isSameStep(lines[i - 1], line)) steps[steps.length - 1].push(line);
    else steps.push([line]);
  }
  return steps.map((step, i) => LETTERS[Math.min(i, LETTERS.length - 1)] + joined(step)).join('');
}

/** In a step, the last line, which has the running number, stands after `;`, the lines before it after `:`. */
const joined = (step: readonly string[]): string =>
  [step.slice(0, -1).join(':'), step[step.length - 1]].filter((part) => part !== '').join(';');

/** Whether two lines belong to one step: after a fact, or if a product is added at once. */
function isSameStep(line: string, next: string): boolean {
  if (!/[-+*/]/.test(line)) return true;
  const product = /^\d+\*\d+=(\d+)$/.exec(line)?.[1];
  return product !== undefined && /^\d+\+(\d+)=/.exec(next)?.[1] === product;
}

// The word problems as estimators of references see them: attempts with their parsed values, and what a model is shown of them.

/** The exact value of the last box, in lowest terms: 1/2, 0.5 and 2/4 are one. Null without a number in a box. */
export function answerOf(text: string): string | null {
  const box = lastBox(text);
  const value = box === null ? null : parseRational(box);
  return value && showRational(value);
}

const attemptLines = (attempts: readonly Attempt[]): string[] => attempts.map(({ text }) => attemptLine(text));

/** `prompt`: of the problem, for those that are shown it. */
export const promptsOf = (prompt: string): Prompts => ({
  synthesis: (attempts, withQuestion) => synthesisPrompt(attemptLines(attempts), withQuestion ? prompt : null),
  // The model that comes with the lab was taught no instruction to choose: the attempt that it would itself write after all is its choice.
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

// A word problem's answer shown again: behind its story, in the form in which this environment's model was taught to read attempts, with what
// its check said, which is never the right number. (As a turn of a conversation, which it never saw, the base revises nothing: docs/lab-book/exit.md has the figures.)

export const arithmeticQuality = ({ correct }: ArithmeticVerdict): number => (correct ? 1 : 0);

export const arithmeticImprovable: Improvable<ArithmeticProblem, ArithmeticVerdict> = {
  id: ({ id }) => id,
  answerOf: ({ verdict }, completion) =>
    completion === '' ? null : { text: completion, quality: arithmeticQuality(verdict) },
  revise(root, history, how): ArithmeticProblem & Revised {
    const { text } = history[history.length - 1];
    const { correct, formatOk } = gradeArithmetic(root, text);
    // A revision is written like a synthesis: one line, steps under letters.
    const line = attemptLine(history.length > 1 || /^A/.test(text) ? workingOfSynthesis(text) : text);
    const outcome = correct ? 'right' : formatOk ? 'wrong' : 'no number';
    const lines = [`${line} ${outcome}`, ...(how === 'diverge' ? ['another way'] : [])];
    return revisionOf(root, history, synthesisPrompt(lines, root.prompt));
  },
};

// The second half of the corpus: several attempts at one problem in, one right working out, without the question. Problems are
// broad sequences of steps, two in five of them no template of the environment, and facts that no story has: what is learnt is to recheck a line
// and to reconcile attempts that differ, not which templates there are. Attempts come from the process of model.ts (slips,
// misconceptions), how often a group has the misconception being drawn for the group, and some are disordered besides.
// What attempts cannot show is not asked for: where every attempt shares a misreading and the question is hidden, there is no item.

/** Whether its text is right. */
export interface SynthesisSample extends PretrainingTurn {
  /** Ids of its steps, joined; never a held-out sequence. */
  sequence: string;
  /** Parameters, as a problem has them. */
  params: readonly number[];
  lines: readonly string[];
  /** Indices of the attempts whose value is right. */
  right: readonly number[];
  /** Whether the question is shown before the attempts. */
  isShown: boolean;
}

/** Number of attempts in an item, by stage of training: few teach copying and rechecking, and GRPO samples eight. */
const GROUPS = { 1: [1, 1, 2, 2, 3, 4], 2: [1, 2, 4, 5, 6, 8, 8, 8, 8] } as const;
/** Share of items with the question, and of attempts with a slip. */
export const SYNTHESIS_SHARES = { shown: 0.15, slip: 0.25 } as const;
/** Share of disordered attempts in a group of more than two. */
const DISORDER = [0, 0.1, 0.2, 0.35];
/** Rate of the misconception among a group's attempts, if the template has one. */
const RATES = [0.2, 0.4, 0.6, 0.6, 0.8, 1];
/** The same rate for mirrored readings, if most attempts are to read them rightly. */
const RIGHT_MAJORITY = [0.1, 0.1, 0.2, 0.2, 0.3, 0.3];
const LENGTHS = [1, 2, 2, 3, 3, 3];

/** Facts that are never corrected here: attempts have them right. What becomes of them says whether correction carries over. */
export const HELD_FACTS: readonly string[] = ['year'];

/** Facts of no story, so that there are more to be corrected than the environment has. */
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

/** Each of the two adds what the other takes away, so attempts alone cannot say which one the problem has; only how many read it so can. */
const MIRRORED: readonly string[] = ['fewer', 'more'];

/**
 * A pure function of (data seed, index, stage). `isMajorityRight`: of mirrored readings most attempts are right. Else the majority of a
 * group that reads both ways is nearly as often wrong, so that to follow it is not learnt.
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

/** Draws a template of the environment where the story has to be told, else any steps; never held-out steps or numbers. */
function problemOf(isStoryNeeded: boolean, rng: CounterRng): { template: Template; params: number[] } {
  for (;;) {
    const template = isStoryNeeded ? rng.choice(OF_ENVIRONMENT) : templateOf(sequence(rng));
    const params = [3 + rng.int(13), ...template.steps.map((id) => rng.choice(byId.get(id)!.params))];
    if (partOf(template, params) !== 'training') continue;
    if (isStoryNeeded && !(isStory(template, params) && makeProblem(template, params))) continue;
    return { template, params };
  }
}

/** Half of the steps plain; only the last may break the number. */
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

/** An attempt; the right one if no other is found within the bounds. */
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

/** A sample that asks for the number of a right attempt, each as likely, behind the working; null where the question is shown, or nothing
 *  is to be chosen. */
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

/** Changes the steps: one lost, two swapped, one repeated, one carried out the other way, or another beginning. */
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

/** A working whose last result is off. */
function slipped({ lines, value }: Done, off: number): Done {
  const last = lines[lines.length - 1];
  const wrong = Math.floor(value) + off;
  return { lines: [...lines.slice(0, -1), `${last.slice(0, last.indexOf('='))}=${wrong}`], value: wrong };
}

/**
 * The same text with its attempts to be planned too, in a turn of their own, each from those before it. They repeat one another, and copying
 * is learnt from that: trained on the targets alone, a sixth of the tokens, a model of this size had not begun to copy after 500 steps.
 */
export function withPlannedAttempts({ prompt, completion, lines }: SynthesisSample): Required<Transcript> {
  const [shown, rest] = [prompt.lastIndexOf(lines.join('\n')), prompt.lastIndexOf(END_OF_TURN)];
  return {
    prompt: prompt.slice(0, shown),
    completion: prompt.slice(shown, rest),
    further: [{ prompt: prompt.slice(rest + END_OF_TURN.length), completion }],
  };
}
