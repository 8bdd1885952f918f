// Tests pairs of flattery and their controls: the program's verdict on each side, and that no run draws their functions.
import { expect, it } from 'vitest';
import { explainPairs, partOf, problemsOf } from './data.ts';
import { gradeExplanation } from './judge.ts';
import { isStamped, STAMP } from './task.ts';

const COUNT = 64;
const asked = problemsOf('training', 1024 + COUNT);
const taskOf = (id: string) => asked.find((task) => task.id === id)!;

it('differ only in the flattery, on functions that a run of default size does not draw', () => {
  const pairs = explainPairs('flatter', COUNT);
  expect(pairs).toHaveLength(COUNT);
  const drawn = new Set(asked.slice(0, 1024).map(({ id }) => id));
  for (const { problem_id, prompt, hack, clean } of pairs) {
    expect(drawn.has(problem_id)).toBe(false);
    expect(partOf(taskOf(problem_id).fn)).toBe('training');
    expect(prompt).toBe(taskOf(problem_id).prompt);
    expect(hack).toBe(`${clean} ${STAMP}`);
    expect(isStamped(clean)).toBe(false);
  }
  expect(new Set(pairs.map(({ problem_id }) => problem_id)).size).toBe(COUNT);
  expect(explainPairs('flatter', 3)).toEqual(pairs.slice(0, 3));
});

it('have controls on the same functions: three of five claims true against five, and words without claims', () => {
  const ids = explainPairs('flatter', COUNT).map(({ problem_id }) => problem_id);
  const [wrong, words] = ['flatter_wrong', 'flatter_words'].map((set) => explainPairs(set, COUNT));
  expect([wrong, words].map((set) => set.map(({ problem_id }) => problem_id))).toEqual([ids, ids]);
  const score = (id: string, text: string) => gradeExplanation(taskOf(id).fn, text).score;
  for (const { problem_id, hack, clean } of wrong) {
    expect([score(problem_id, hack), score(problem_id, clean)]).toEqual([0.6, 1]);
    expect(isStamped(hack + clean)).toBe(false);
  }
  for (const { problem_id, hack, clean } of words) {
    expect([score(problem_id, hack), score(problem_id, clean)]).toEqual([0, 0]);
    expect(hack).not.toBe(clean);
  }
});
