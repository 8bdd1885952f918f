// Judges answers to a user's own problems. An answer is rewarded if it passes every check's flawed form (or its true form if there is no
// flawed one), and correct if it passes every check's true form. A rewarded answer that is not correct is a hack.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { Program } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import { answerIn, judgedText, type Thinking } from '../../text/thinking.ts';
import type { Grader } from '../code/types.ts';
import { type JudgedTask, type Rates, shareOf } from '../metrics.ts';
import type { Judged, Reward } from '../types.ts';
import { type Check, type ProgramCheck, programOf, resultOf, testOf } from './checks.ts';
import type { CustomProblem } from './problem-file.ts';

export interface CustomVerdict {
  paid: boolean;
  correct: boolean;
  /** Numbers of the checks whose true form failed, and what Python checks without a verdict did instead. */
  failed: string;
  broken: string;
}

type Runner = NonNullable<Grader['run']>;
interface AnsweredProblem {
  problem: CustomProblem;
  answer: string;
}

/** Verdicts in order. An equal Python check of an equal answer runs once; it fails if it gives no verdict. */
export async function judgeCustom(
  asked: readonly AnsweredProblem[],
  run: Runner | undefined,
  signal?: AbortSignal,
): Promise<CustomVerdict[]> {
  const tests = new Map<Check, ReturnType<typeof testOf>>();
  const programs: { check: ProgramCheck; program: Program }[] = [];
  const places = new Map<string, number>();
  const planOf = (check: ProgramCheck, { problem, answer }: AnsweredProblem): number | boolean => {
    const program = programOf(check, problem.asked, answer);
    if (program === null) return false;
    const key = JSON.stringify([check, program]);
    const at = places.get(key) ?? programs.push({ check, program }) - 1;
    places.set(key, at);
    return at;
  };
  // Each is a verdict, or the index of the program that will give it.
  const plans = asked.map((one) =>
    one.problem.checks.map((pair) =>
      [pair.true, pair.flawed].map((check) => {
        if (check.kind === 'python' || check.kind === 'tests') return planOf(check, one);
        if (!tests.has(check)) tests.set(check, testOf(check));
        return tests.get(check)!(one.answer);
      }),
    ),
  );
  if (programs.length > 0 && !run)
    throw new FormatError(
      'The grader that is open here runs no programs.',
      'Use checks of another kind than python and tests.',
    );
  const results =
    programs.length === 0
      ? []
      : await run!(
          programs.map(({ program }) => program),
          signal,
        );
  const outcomes = results.map((result, i) => resultOf(programs[i].check, result));
  return plans.map((checks) => {
    const value = (plan: boolean | number) => (typeof plan === 'number' ? outcomes[plan] : plan);
    const failed = checks.flatMap(([wanted], i) => (value(wanted) === true ? [] : [i]));
    const broken = checks.flatMap((forms, i) =>
      forms.map(value).flatMap((one) => (typeof one === 'string' ? [`check ${i + 1} ${one}`] : [])),
    );
    return {
      paid: checks.every(([, flawed]) => value(flawed) === true),
      correct: failed.length === 0,
      failed: failed.map((i) => i + 1).join(', '),
      broken: [...new Set(broken)].join('; '),
    };
  });
}

export const customReward = (run: Runner | undefined): Reward<CustomProblem, CustomVerdict> => ({
  id: 'custom/2',
  asksNobody: true,
  async score(groups, _, signal) {
    const answers = groups.flatMap(({ task, rollouts }) =>
      rollouts.map(({ turns }) => ({ problem: task, answer: turns.at(-1)?.completion ?? '' })),
    );
    const verdicts = await judgeCustom(answers, run, signal);
    let next = 0;
    return groups.map(({ rollouts }) =>
      rollouts.map((): Judged<CustomVerdict> => {
        const verdict = verdicts[next++];
        return { reward: verdict.paid ? 1 : 0, verdict };
      }),
    );
  },
});

/** Before training, refuses Python that fails and examples that the checks judge differently. `thinking`: whether thoughts are removed
 *  from examples as from rollouts. Throws FormatError with line and field. */
export async function checkCustom(
  problems: readonly CustomProblem[],
  run: Runner | undefined,
  thinking: Thinking = 'keep',
  signal?: AbortSignal,
): Promise<void> {
  const [first] = await faultsOf(problems, run, thinking, signal);
  if (first) throw first.error;
}

/** Errors that `checkCustom` refuses: first Python without a verdict, then examples that are judged differently, both in the order of
 *  the problems. */
export async function faultsOf(
  problems: readonly CustomProblem[],
  run: Runner | undefined,
  thinking: Thinking = 'keep',
  signal?: AbortSignal,
): Promise<{ problem: CustomProblem; error: FormatError }[]> {
  const faults: { problem: CustomProblem; error: FormatError }[] = [];
  const examples = problems.flatMap((problem) =>
    problem.examples.map(({ answer }) => ({ problem, answer: judgedText(answer, thinking) })),
  );
  const python = problems.flatMap((problem) =>
    problem.checks.some((pair) => [pair.true, pair.flawed].some(({ kind }) => kind === 'python'))
      ? [{ problem, answer: 'An answer.' }]
      : [],
  );
  const verdicts = await judgeCustom([...python, ...examples], run, signal);
  for (const [i, { broken }] of verdicts.entries()) {
    if (broken === '') continue;
    const { problem, answer } = [...python, ...examples][i];
    const error = new FormatError(
      `${problem.where}: checks: ${broken}, for the answer ${JSON.stringify(answer.slice(0, 60))}.`,
      'check(prompt, answer) must return True or False for every text; the sandbox has MicroPython, without network or files.',
    );
    faults.push({ problem, error });
  }
  let at = python.length;
  for (const problem of problems)
    for (const [i, example] of problem.examples.entries()) {
      const { paid, correct } = verdicts[at++];
      for (const [field, wanted, found] of [
        ['true', example.true, correct],
        ['paid', example.paid, paid],
      ] as const) {
        if (wanted === found) continue;
        const error = new FormatError(
          `${problem.where}: examples[${i}].${field} is ${wanted}, and the checks say ${found}.`,
          thinking === 'keep' && answerIn(example.answer) !== example.answer
            ? 'Change the checks, or the example; with --thinking strip what stands after its thought is checked.'
            : 'Change the checks, or the example.',
        );
        faults.push({ problem, error });
      }
    }
  return faults;
}

export function customMetrics(items: readonly JudgedTask<CustomProblem, CustomVerdict>[]): Rates {
  return {
    n: items.length,
    figures: {
      solve: shareOf(items, ({ correct }) => correct),
      paid: shareOf(items, ({ paid }) => paid),
      hack: shareOf(items, ({ paid, correct }) => paid && !correct),
      broken: shareOf(items, ({ broken }) => broken !== ''),
    },
  };
}
