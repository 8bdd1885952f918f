// Tests templates, problems and splits: answers against a separate solver that reads the story and does not know the steps.
import { describe, expect, it } from 'vitest';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { drawProblem, partOf, problemsOf, SPLITS, TEMPLATES, tell } from './data.ts';
import { KINDS } from './task.ts';

/** Operation on the number of the person in question, by sentence: correct, and under the misconception. */
const READ: readonly [
  RegExp,
  (n: number, a: number, b: number) => number,
  ((n: number, a: number, b: number) => number)?,
][] = [
  [/(?:gets|buys) (\d+) dozen more|Then (\d+) dozen more come/, (n, a) => n + 12 * a, (n, a) => n + 10 * a],
  [/(\d+) more each day for a week|For a week (\d+) more come each day/, (n, a) => n + 7 * a, (n, a) => n + 5 * a],
  [
    /(\d+) more each month for a year|For a year (\d+) more come each month/,
    (n, a) => n + 12 * a,
    (n, a) => n + 10 * a,
  ],
  [/(\d+) bags (?:come )?with (\d+) in each/, (n, a, b) => n + a * b, (n, _, b) => n + b],
  [/(\d+) fewer than/, (n, a) => n + a, (n, a) => n - a],
  [/(\d+) more than/, (n, a) => n - a, (n, a) => n + a],
  [/twice as many as/, (n) => n / 2, (n) => n * 2],
  [/(?:gets|buys) (\d+) more\.|Then (\d+) more come\./, (n, a) => n + a],
  [/gives (\d+) away|loses (\d+)|Then (\d+) are sold/, (n, a) => n - a],
  [/(\d+) times as many/, (n, a) => n * a],
  [/one of (\d+) equal parts|One of (\d+) equal parts/, (n, a) => n / a],
];

function solve(prompt: string, misled: boolean): number {
  const story = prompt.replace(/<\|im_\w+\|>(user|assistant)?\n?/g, '');
  const [opening, ...rest] = story.split(/(?<=[.?])\s+/).filter((sentence) => sentence !== '');
  let n = Number(/\d+/.exec(opening)![0]);
  for (const sentence of rest.slice(0, -1)) {
    const rule = READ.find(([words]) => words.test(sentence));
    if (!rule) throw new Error(`what does “${sentence}” do?`);
    const numbers = rule[0]
      .exec(sentence)!
      .slice(1)
      .flatMap((text) => (text === undefined ? [] : Number(text)));
    n = ((misled && rule[2]) || rule[1])(n, numbers[0], numbers[1]);
  }
  return n;
}

const everything = (['training', ...SPLITS] as const).map((part) => ({ part, problems: problemsOf(part, 600) }));

describe('templates', () => {
  it('are numerous, of every kind, with some of each held out', () => {
    expect(new Set(TEMPLATES.map(({ id }) => id)).size).toBe(TEMPLATES.length);
    for (const kind of KINDS) {
      const own = TEMPLATES.filter((template) => template.kind === kind);
      expect(own.filter(({ heldOut }) => !heldOut).length).toBeGreaterThanOrEqual(24);
      expect(own.filter(({ heldOut }) => heldOut).length).toBeGreaterThanOrEqual(4);
    }
    for (const { steps } of TEMPLATES) expect([1, 2, 3]).toContain(steps.length);
    // Single steps are never held out.
    expect(TEMPLATES.filter(({ steps, heldOut }) => steps.length === 1 && heldOut)).toEqual([]);
  });

  it('are held out as sequences: each of their steps occurs in a known one', () => {
    const steps = new Set(TEMPLATES.filter(({ heldOut }) => !heldOut).flatMap((template) => template.steps));
    for (const template of TEMPLATES) for (const step of template.steps) expect(steps).toContain(step);
  });
});

describe('problems', () => {
  it('have the answers of their stories, correct and mistaken', () => {
    for (const { problems } of everything) {
      expect(problems).toHaveLength(600);
      for (const { prompt, expected, misconception, kind } of problems) {
        expect(solve(prompt, false), prompt).toBe(Number(expected));
        if (kind === 'plain') expect(misconception).toBeNull();
        else expect(solve(prompt, true), prompt).toBe(Number(misconception));
        expect(misconception).not.toBe(expected);
      }
    }
  });

  it('have the same answer in every wording', () => {
    for (const template of TEMPLATES) {
      const rng = new CounterRng(keyFor(1, STREAMS.test, 1));
      const problem = drawProblem(template, partOf(template, []) === 'templates' ? 'templates' : 'training', rng)!;
      for (let i = 0; i < 40; i++)
        expect(solve(tell(template, problem.params, rng), false)).toBe(Number(problem.expected));
    }
  });

  it('are distinct within a part, balanced over kinds in every prefix, and in no other part', () => {
    const parts = new Map<string, string>();
    for (const { part, problems } of everything) {
      for (const { id, template } of problems) {
        expect(parts.get(id)).toBeUndefined();
        parts.set(id, part);
        expect(TEMPLATES.find((one) => one.id === template)!.heldOut).toBe(part === 'templates');
      }
      for (let n = 8; n <= problems.length; n *= 2) {
        const plain = problems.slice(0, n).filter(({ kind }) => kind === 'plain').length;
        expect(Math.abs(plain - n / 2), `${part}, first ${n}`).toBeLessThanOrEqual(1 + n / 16);
      }
    }
  });

  it('are reproducible, and differ for another data seed, within the same split', () => {
    expect(problemsOf('params', 64)).toEqual(everything[2].problems.slice(0, 64));
    const other = problemsOf('training', 200, 8);
    expect(other).not.toEqual(everything[0].problems.slice(0, 200));
    for (const { template, params } of other)
      expect(partOf(TEMPLATES.find(({ id }) => id === template)!, params)).toBe('training');
  });
});
