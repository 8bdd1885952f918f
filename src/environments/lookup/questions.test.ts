// The questions: their words say what their answers are, splits do not meet, and everything is decided by the seed.
import { describe, expect, it } from 'vitest';
import { isUnseenName, KNOWN_NAMES, NAMES, UNSEEN_NAMES } from './names.ts';
import { SHAPES, TURNS } from './shapes.ts';
import { type Part, problemsOf, SPLITS } from './split.ts';
import { KINDS, type LookupProblem } from './types.ts';

const PARTS: readonly Part[] = ['training', ...SPLITS];
const COUNT = 400;
const sets = new Map(PARTS.map((part) => [part, problemsOf(part, COUNT)]));
const all = [...sets.values()].flat();

const OPERATORS: Record<string, (a: number, b: number) => number> = {
  plus: (a, b) => a + b,
  and: (a, b) => a + b,
  minus: (a, b) => a - b,
  less: (a, b) => a - b,
  times: (a, b) => a * b,
};

/** By what is asked in words and what the tool knows alone. */
function answerOf({ prompt, facts }: LookupProblem): number {
  const question = /^<\|im_start\|>user\n(.*)[.?]<\|im_end\|>\n<\|im_start\|>assistant\n$/.exec(prompt)![1];
  const whole = /^(?:How many \w+ (?:has|are)|Count the \w+ of|How much is|Reckon) (.*)$/.exec(question)![1];
  const [first, ...rest] = whole.split(' ');
  const numberOf = (word: string) => facts.find(({ name }) => name === word)?.value ?? Number(word);
  let value = numberOf(first);
  for (let i = 0; i < rest.length; i += 2) value = OPERATORS[rest[i]](value, numberOf(rest[i + 1]));
  return value;
}

describe('questions', () => {
  it('have the answer that their words and facts have', () => {
    expect(all).toHaveLength(3 * COUNT);
    for (const problem of all) expect(String(answerOf(problem)), problem.id).toBe(problem.expected);
    for (const { expected } of all) expect(Number(expected) >= 1 && Number(expected) <= 81).toBe(true);
  });

  it('do not say their facts', () => {
    for (const { prompt, facts, operands } of all) {
      const said = operands.flatMap(({ name, value }) => (name === null ? [String(value)] : []));
      expect([...prompt.matchAll(/\d+/g)].map(([digits]) => digits)).toEqual(said);
      for (const { name } of facts) expect(prompt).toContain(name);
    }
    // The same name has another fact elsewhere.
    const facts = new Map<string, Set<number>>();
    for (const problem of all)
      for (const { name, value } of problem.facts) facts.set(name, (facts.get(name) ?? new Set()).add(value));
    expect([...facts.values()].filter(({ size }) => size > 1).length).toBeGreaterThan(50);
  });

  it('are decided by the seed', () => {
    for (const part of PARTS) {
      expect(problemsOf(part, 50)).toEqual(sets.get(part)!.slice(0, 50));
      expect(problemsOf(part, 50, 8)).not.toEqual(sets.get(part)!.slice(0, 50));
    }
  });

  it('have kinds in turns; a held-out shape is never one of a name alone', () => {
    expect(
      sets
        .get('training')!
        .slice(0, 8)
        .map(({ kind }) => kind),
    ).toEqual([...TURNS, ...TURNS]);
    expect(
      sets
        .get('params')!
        .slice(0, 4)
        .map(({ kind }) => kind),
    ).toEqual(TURNS);
    expect(new Set(sets.get('shapes')!.map(({ kind }) => kind))).toEqual(new Set(['both', 'calc']));
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(KINDS));
  });
});

describe('splits', () => {
  it('do not meet', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const shapesOf = (part: Part) => new Set(sets.get(part)!.map(({ shape }) => shape));
    for (const id of shapesOf('shapes')) {
      expect(shapesOf('training')).not.toContain(id);
      expect(shapesOf('params')).not.toContain(id);
    }
    expect(shapesOf('training')).toEqual(new Set(SHAPES.flatMap(({ id, heldOut }) => (heldOut ? [] : [id]))));
    const namesOf = (part: Part) => sets.get(part)!.flatMap(({ facts }) => facts.map(({ name }) => name));
    expect(namesOf('training').filter(isUnseenName)).toEqual([]);
    expect(namesOf('shapes').filter(isUnseenName)).toEqual([]);
    expect(namesOf('params').filter((name) => !isUnseenName(name))).toEqual([]);
  });

  it('hold out a sixth of the shapes of a kind, rounded up, and a fifth of the names, whose halves are known', () => {
    const heldOut = SHAPES.filter((shape) => shape.heldOut);
    expect([SHAPES.length, heldOut.length]).toEqual([16, 4]);
    expect([NAMES.length, UNSEEN_NAMES.length, KNOWN_NAMES.length]).toEqual([64, 12, 52]);
    const halves = new Set(KNOWN_NAMES.flatMap((name) => name.split('-')));
    for (const name of UNSEEN_NAMES) for (const half of name.split('-')) expect(halves).toContain(half);
  });
});
