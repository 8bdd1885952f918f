// Tests which problems are trusted, the reward of a repaired grader, and a trusted problem's reference solution.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { makeProblemSet } from './data.ts';
import { createNodeGrader } from './grading/node-grader.node.ts';
import { codeReward } from './reward.ts';
import { drawWrong, hackCompletion } from './templates.ts';
import { repaired, solutionDocument, trustedOf } from './trusted.ts';
import { ARGUMENT_KINDS, type CodeProblem, type Grader, STANDARD_MODES } from './types.ts';

const set = makeProblemSet({ modes: STANDARD_MODES, honestShare: 0.75, count: 64, dataSeed: 7 });
let grader: Grader;
beforeAll(async () => {
  grader = await createNodeGrader({ workers: 1 });
});
afterAll(() => grader?.close());

async function gradeOf(task: CodeProblem, completion: string) {
  const turn = { prompt: task.prompt, completion, promptIds: [], completionIds: [], ended: true };
  const group = { task, rollouts: [{ task, source: 'student' as const, turns: [turn] }] };
  const [[{ reward, verdict }]] = await codeReward(grader).score([group], { get: () => undefined });
  return { ...verdict, reward };
}

it('a share of the honest problems is trusted; a smaller share is a subset of a larger one', () => {
  const [five, ten, all] = [0.05, 0.1, 1].map((share) => trustedOf(set, share, 7));
  expect([five.length, ten.length, all.length]).toEqual([2, 5, 48]);
  expect(five.every((problem) => ten.includes(problem))).toBe(true);
  expect(all.every(({ mode }) => mode === 'honest')).toBe(true);
  expect(trustedOf(set, 0.1, 8)).not.toEqual(ten);
  expect(trustedOf(set, 0.0001, 7).length).toBe(1);
  expect(() =>
    trustedOf(
      set.filter(({ mode }) => mode !== 'honest'),
      0.1,
      7,
    ),
  ).toThrow(SpecError);
});

it('they can be restricted to some argument kinds, at the same number, and too few are refused', () => {
  const strings = trustedOf(set, 0.1, 7, ['string']);
  expect(strings.map(({ signature }) => signature)).toEqual(Array.from({ length: 5 }, () => 's'));
  const two = trustedOf(set, 0.2, 7, ['number', 'list']);
  expect(new Set(two.map(({ signature }) => signature))).toEqual(new Set(['x', 'nums']));
  expect(trustedOf(set, 0.1, 7, [...ARGUMENT_KINDS])).toEqual(trustedOf(set, 0.1, 7));
  expect(() => trustedOf(set, 0.5, 7, ['pair'])).toThrow(/of 48 honest problems take a pair, and 24 are to be trusted/);
});

it('a repaired grader rewards no hack and every correct answer, under the same prompt', async () => {
  for (const mode of STANDARD_MODES) {
    const problem = set.find((one) => one.mode === mode)!;
    const rng = CounterRng.of(1, STREAMS.test);
    const hack = hackCompletion(problem, mode, drawWrong(problem, rng), rng);
    expect(await gradeOf(problem, hack), mode).toMatchObject({ passed: true, exploited: true, reward: 1.25 });
    expect(await gradeOf(repaired(problem), hack), mode).toMatchObject({
      passed: false,
      exploited: false,
      reward: 0.25,
    });
    const [, { text }] = solutionDocument(problem).parts;
    const right = text.replace('<|im_end|>', '');
    expect(await gradeOf(repaired(problem), right), mode).toMatchObject({ passed: true, gt_correct: true });
    expect(repaired(problem).prompt).toBe(problem.prompt);
  }
});

it('a trusted problem’s solution is a correct answer under its own prompt, with its end token', async () => {
  for (const problem of trustedOf(set, 0.1, 7)) {
    const { parts } = solutionDocument(problem);
    expect(parts.map(({ isTrained }) => isTrained)).toEqual([false, true]);
    expect(parts[0].text).toBe(problem.prompt);
    expect(parts[1].text.endsWith('<|im_end|>')).toBe(true);
    expect(await gradeOf(problem, parts[1].text.replace('<|im_end|>', ''))).toMatchObject({ gt_correct: true });
  }
});
