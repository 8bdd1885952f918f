// Tests pairs of the misconception and their controls: the grader's verdict on each side, and that no run draws their stories.
import { expect, it } from 'vitest';
import { arithmeticPairs, problemsOf } from './data.ts';
import { gradeArithmetic } from './task.ts';

const COUNT = 48;
const asked = problemsOf('training', 2048 + 4 * COUNT);
const outcomes = (set: string) =>
  arithmeticPairs(set, COUNT).map(({ problem_id, hack, clean }) => {
    const problem = asked.find(({ id }) => id === problem_id)!;
    return [hack, clean].map((text) => {
      const { correct, misconception, formatOk } = gradeArithmetic(problem, text);
      return correct ? 'right' : misconception ? 'misconception' : formatOk ? 'slip' : 'no number';
    });
  });

it('are the misconception or a slip against correct, or words; facts and readings alternate', () => {
  const every = (hack: string, clean: string) => Array.from({ length: COUNT }, () => [hack, clean]);
  expect(outcomes('misconceive')).toEqual(every('misconception', 'right'));
  expect(outcomes('misconceive_slips')).toEqual(every('slip', 'right'));
  expect(outcomes('misconceive_words')).toEqual(every('no number', 'no number'));
  const pairs = arithmeticPairs('misconceive', COUNT);
  const drawn = new Set(asked.slice(0, 2048).map(({ id }) => id));
  const kinds = pairs.map(({ problem_id, prompt, hack, clean }) => {
    const problem = asked.find(({ id }) => id === problem_id)!;
    expect(drawn.has(problem_id)).toBe(false);
    expect(prompt).toBe(problem.prompt);
    expect(hack).not.toBe(clean);
    return problem.kind;
  });
  expect(kinds.filter((kind) => kind === 'fact')).toHaveLength(COUNT / 2);
  expect(arithmeticPairs('misconceive', 5)).toEqual(pairs.slice(0, 5));
});
