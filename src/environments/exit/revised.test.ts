// Tests revisions: answers of two environments are shown again, and a revision is rewarded.
import { expect, it } from 'vitest';
import { problemsOf } from '../arithmetic/data.ts';
import { arithmeticReward } from '../arithmetic/reward.ts';
import { arithmeticImprovable } from '../arithmetic/synthesis.ts';
import { makeProblemSet } from '../code/data.ts';
import { codeImprovable } from '../code/reward.ts';
import type { Grade } from '../code/types.ts';
import { payingGains } from './types.ts';

const [problem] = problemsOf('training', 1);
const of = (text: string, quality = 0) => ({ text, quality });
const nobody = { get: () => undefined };

it('shows a word problem’s attempt after its story, with the check’s result and never the truth', () => {
  const wrong = `1+1=2\n\\boxed{${Number(problem.expected) + 1}}`;
  const { prompt, before, depth } = arithmeticImprovable.revise(problem, [of(wrong)], 'improve');
  const story = problem.prompt.slice('<|im_start|>user\n'.length).split('<|im_end|>')[0];
  expect(prompt).toBe(
    `<|im_start|>user\n${story}\nSYN\nA1+1=2>${Number(problem.expected) + 1} wrong<|im_end|>\n<|im_start|>assistant\n`,
  );
  expect([before, depth]).toEqual([0, 1]);
  // The prompt of a revision can be parsed back.
  const again = arithmeticImprovable.revise(problem, [of(wrong), of('A1+1=2B2*3=6\\boxed{6}')], 'diverge');
  expect(again.prompt).toContain('A1+1=2B2*3=6');
  expect(again.prompt).toContain('another way');
  expect(again.depth).toBe(2);
  expect(arithmeticImprovable.revise(problem, [of('none')], 'improve').prompt).toContain('no number');
});

it('shows a program before its task, with its grade', () => {
  const [task] = makeProblemSet({ modes: [], honestShare: 1, count: 1, dataSeed: 7 });
  const grade = { passed: false, formatOk: true, note: 'assertion' } as Grade;
  const answer = codeImprovable.answerOf({ reward: 0, verdict: grade }, 'x = 1')!;
  expect(answer).toEqual({ text: 'x = 1', quality: 0, said: 'fails: assertion' });
  expect(codeImprovable.answerOf({ reward: 0, verdict: grade }, '')).toBeNull();
  const { prompt, before } = codeImprovable.revise(task, [answer], 'improve');
  const head = '<|im_start|>user\n';
  expect(prompt).toBe(
    `${head}x = 1\nThis fails: assertion. Improve it.\n${task.prompt.slice(task.prompt.indexOf(head) + head.length)}`,
  );
  expect(before).toBe(0);
});

it('rewards a revision by its gain, and an answer to the task as before', async () => {
  const reward = payingGains(arithmeticReward, ({ correct }) => (correct ? 1 : 0), 'signed');
  const box = (text: string) => ({ turns: [{ completion: `\\boxed{${text}}` }] }) as never;
  const paid = async (task: typeof problem) => {
    const [judged] = await reward.score([{ task, rollouts: [box(problem.expected), box('x')] }], nobody);
    return judged.map(({ reward: own }) => own);
  };
  expect(await paid(problem)).toEqual([1.1, 0]);
  expect(await paid({ ...problem, before: 0 })).toEqual([1, 0]);
  expect(await paid({ ...problem, before: 1 })).toEqual([0, -1]);
  expect(reward.id).toBe(`${arithmeticReward.id} signed`);
});
