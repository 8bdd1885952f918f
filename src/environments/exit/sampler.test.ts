// Tests the sampler on a simple environment: a task is a letter, an answer a quality. Draws are visible only through the tasks' ids, so that every rule is
// tested from outside.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import type { Judged, LearntGroup, TaskSampler } from '../types.ts';
import { type Entry, exitSampler } from './sampler.ts';
import type { ExitSettings, Improvable } from './types.ts';

interface Toy {
  /** Id of a task: `a`, with answers `a>x1>x2`; a task that must diverge ends with `!`. */
  name: string;
}
type Verdict = { text: string; quality: number } | { text: null };

const toy: Improvable<Toy, Verdict> = {
  id: ({ name }) => name[0],
  answerOf: ({ verdict }) => (verdict.text === null ? null : verdict),
  revise: ({ name }, history, how) => ({
    name: [name[0], ...history.map(({ text }) => text)].join('>') + (how === 'diverge' ? '!' : ''),
  }),
  draft: (_, rng) => ({ text: `draft${rng.int(10)}`, quality: 0.1 }),
};

const defaults: ExitSettings = {
  starts: 'variance',
  startShare: 0.5,
  divergeShare: 0,
  bufferSize: 100,
  bufferMin: 1,
  kappa: 1,
  prefix: 'whole',
  child: 'random',
  gain: 'signed',
  diversityBonus: false,
  chainSteps: 0,
  chainPay: 'gains',
};
const TASKS: Toy[] = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
const make = (changes: Partial<ExitSettings> = {}): TaskSampler<Toy> =>
  exitSampler(TASKS, () => 'all', toy, { ...defaults, ...changes });
const history = { rewards: () => [], returns: () => [] };
const draw = (sampler: TaskSampler<Toy>, step: number, count = 4, seed = 1) =>
  sampler.draw({ seed, step, count, history });

/** Rollouts of a task with these rewards and answers. */
const group = (
  task: Toy,
  judged: readonly [reward: number, text: string | null, quality?: number][],
): LearntGroup<Toy> => ({
  task,
  rollouts: [],
  judged: judged.map(
    ([reward, text, quality = 0]): Judged<Verdict> => ({
      reward,
      verdict: text === null ? { text } : { text, quality },
    }),
  ),
});
const entriesOf = (sampler: TaskSampler<Toy>) => (sampler.save!() as { entries: Entry[] }).entries;

/** A sampler whose buffer holds these scores, by their histories' last answers. */
function samplerHolding(
  entries: readonly (readonly [texts: string, score: number])[],
  changes: Partial<ExitSettings> = {},
) {
  const sampler = make({ startShare: 1, ...changes });
  sampler.restore!({
    inserted: entries.length,
    entries: entries.map(([texts, score], id) => ({
      id,
      parent: null,
      task: 'a',
      score,
      uses: 0,
      history: texts.split('>').map((text) => ({ text, quality: 0.5 })),
    })),
  });
  return sampler;
}

/** Share of each task among 4,000 draws. */
function shares(sampler: TaskSampler<Toy>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let step = 0; step < 1000; step++)
    for (const { name } of draw(sampler, step)) counts[name] = (counts[name] ?? 0) + 1 / 4000;
  return counts;
}

describe('draws', () => {
  it('base tasks until the buffer holds its minimum, and then the share of revisions', () => {
    const few = samplerHolding([['x', 1]], { bufferMin: 2, startShare: 0.5 });
    expect(
      draw(few, 0)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['a', 'b', 'c', 'd']);
    const enough = shares(
      samplerHolding(
        [
          ['x', 1],
          ['y', 1],
        ],
        { bufferMin: 2, startShare: 0.3 },
      ),
    );
    expect(enough['a>x'] + enough['a>y']).toBeCloseTo(0.3, 1);
    expect(Object.keys(enough).sort()).toEqual(['a', 'a>x', 'a>y', 'b', 'c', 'd']);
    // At p = 0 there are only base tasks.
    expect(
      draw(samplerHolding([['x', 1]], { startShare: 0 }), 0)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['a', 'b', 'c', 'd']);
  });

  it('entries in proportion to exp(κ S), and evenly under uniform', () => {
    const two = [
      ['x', 0],
      ['y', 1],
    ] as const;
    const sharp = shares(samplerHolding(two, { kappa: Math.log(3) }));
    expect(Math.abs(sharp['a>y'] - 3 / 4)).toBeLessThan(0.03);
    expect(Math.abs(sharp['a>x'] - 1 / 4)).toBeLessThan(0.03);
    const even = shares(samplerHolding(two, { kappa: Math.log(3), starts: 'uniform' }));
    expect(Math.abs(even['a>y'] - 1 / 2)).toBeLessThan(0.03);
  });

  it('whole histories, or every prefix equally often', () => {
    expect(shares(samplerHolding([['x>y>z', 0]]))).toEqual({ 'a>x>y>z': expect.closeTo(1, 6) });
    const cut = shares(samplerHolding([['x>y>z', 0]], { prefix: 'random' }));
    expect(Object.keys(cut).sort()).toEqual(['a>x', 'a>x>y', 'a>x>y>z']);
    for (const share of Object.values(cut)) expect(Math.abs(share - 1 / 3)).toBeLessThan(0.03);
  });

  it('the share to diverge among revisions only', () => {
    const mixed = shares(samplerHolding([['x', 0]], { divergeShare: 0.2, startShare: 0.5 }));
    expect(Math.abs(mixed['a>x!'] / (mixed['a>x'] + mixed['a>x!']) - 0.2)).toBeLessThan(0.03);
    expect(Object.keys(mixed).filter((name) => name.endsWith('!'))).toEqual(['a>x!']);
  });

  it('made-up drafts, without a buffer', () => {
    const sampler = make({ starts: 'drafts', startShare: 1, bufferMin: 50 });
    const tasks = draw(sampler, 0);
    for (const { name } of tasks) expect(name).toMatch(/^[abcd]>draft\d$/);
    sampler.learn!({ step: 0, groups: tasks.map((task) => group(task, [[1, 'x', 0.5]])) });
    expect(entriesOf(sampler)).toEqual([]);
    const { draft: _, ...without } = toy;
    expect(() => exitSampler(TASKS, () => 'all', without, { ...defaults, starts: 'drafts' })).toThrow(SpecError);
  });

  it('reproducibly by seed and step', () => {
    const names = (seed: number, step: number) =>
      draw(
        samplerHolding(
          [
            ['x', 0],
            ['y', 1],
          ],
          { startShare: 0.5 },
        ),
        step,
        32,
        seed,
      );
    expect(names(1, 3)).toEqual(names(1, 3));
    expect(names(2, 3)).not.toEqual(names(1, 3));
  });
});

describe('learning', () => {
  it('adds a child of a base task, scored by its group’s variance', () => {
    const sampler = make({ startShare: 0 });
    const [task] = draw(sampler, 0, 1);
    sampler.learn!({
      step: 0,
      groups: [
        group(task, [
          [0, 'x', 0.25],
          [1, 'x', 0.25],
        ]),
      ],
    });
    expect(entriesOf(sampler)).toEqual([
      { id: 0, parent: null, task: task.name, score: 0.25, uses: 0, history: [{ text: 'x', quality: 0.25 }] },
    ]);
  });

  it('updates the parent’s score from a revision’s group, and adds a child that is one answer deeper', () => {
    const sampler = samplerHolding(
      [
        ['x', 5],
        ['y', 0],
      ],
      { kappa: 1000 },
    );
    const [task] = draw(sampler, 0, 1);
    expect(task.name).toBe('a>x');
    sampler.learn!({
      step: 0,
      groups: [
        group(task, [
          [-1, 'z', 0.5],
          [1, 'z', 0.5],
          [1, 'z', 0.5],
          [-1, 'z', 0.5],
        ]),
      ],
    });
    const [first, second, child] = entriesOf(sampler);
    expect([first.score, first.uses]).toEqual([1, 1]);
    expect([second.score, second.uses]).toEqual([0, 0]);
    expect(child).toMatchObject({ id: 2, parent: 0, score: 1, uses: 0 });
    expect(child.history.map(({ text }) => text)).toEqual(['x', 'z']);
  });

  it('adds nothing for a solved answer, or for one that cannot be shown', () => {
    const sampler = make({ startShare: 0 });
    const tasks = draw(sampler, 0, 2);
    const groups = [group(tasks[0], [[1, 'x', 1]]), group(tasks[1], [[0, null]])];
    sampler.learn!({ step: 0, groups });
    expect(entriesOf(sampler)).toEqual([]);
  });

  it('adds the (first) best of a group on request, and otherwise any with equal probability', () => {
    const grown = (child: 'best' | 'random', step: number) => {
      const sampler = make({ startShare: 0, child });
      const [task] = draw(sampler, step, 1);
      const rollouts = [
        group(task, [
          [0.1, 'x', 0.1],
          [0.9, 'y', 0.9],
          [0.9, 'z', 0.9],
          [0.2, 'w', 0.2],
        ]),
      ];
      sampler.learn!({ step, groups: rollouts });
      return entriesOf(sampler)[0].history[0].text;
    };
    const steps = Array.from({ length: 400 }, (_, step) => step);
    expect(new Set(steps.map((step) => grown('best', step)))).toEqual(new Set(['y']));
    const random = steps.map((step) => grown('random', step));
    for (const text of ['x', 'y', 'z', 'w'])
      expect(Math.abs(random.filter((one) => one === text).length / 400 - 1 / 4)).toBeLessThan(0.08);
  });

  it('adds only first answers under depth 1', () => {
    const sampler = make({ starts: 'depth1', startShare: 0.5 });
    for (let step = 0; step < 20; step++) {
      const tasks = draw(sampler, step);
      sampler.learn!({ step, groups: tasks.map((task) => group(task, [[0, `x${step}`, 0.5]])) });
    }
    expect(entriesOf(sampler).length).toBeGreaterThan(20);
    for (const entry of entriesOf(sampler)) expect(entry.history).toHaveLength(1);
    const whole = make({ starts: 'uniform', startShare: 0.5 });
    for (let step = 0; step < 20; step++) {
      const tasks = draw(whole, step);
      whole.learn!({ step, groups: tasks.map((task) => group(task, [[0, `x${step}`, 0.5]])) });
    }
    expect(Math.max(...entriesOf(whole).map((entry) => entry.history.length))).toBeGreaterThan(1);
  });

  it('evicts the lowest score when the buffer is full', () => {
    const sampler = samplerHolding(
      [
        ['x', 0.5],
        ['y', 0.1],
        ['z', 0.3],
      ],
      { bufferSize: 3, startShare: 0 },
    );
    const [task] = draw(sampler, 0, 1);
    sampler.learn!({
      step: 0,
      groups: [
        group(task, [
          [0, 'w', 0.5],
          [1, 'w', 0.5],
        ]),
      ],
    });
    expect(entriesOf(sampler).map(({ history: [{ text }] }) => text)).toEqual(['x', 'z', 'w']);
  });
});

describe('memory', () => {
  const play = (sampler: TaskSampler<Toy>, from: number, to: number) => {
    const seen: string[] = [];
    for (let step = from; step < to; step++) {
      const tasks = draw(sampler, step);
      seen.push(...tasks.map(({ name }) => name));
      const rng = CounterRng.of(9, STREAMS.test, step);
      const groups = tasks.map((task, i) =>
        group(task, [
          [rng.uniform(), `${step}.${i}`, 0.3],
          [rng.uniform(), `${step}:${i}`, rng.uniform()],
        ]),
      );
      sampler.learn!({ step, groups });
    }
    return seen;
  };

  it('resumes to the same draws and the same bytes from wherever it was saved', () => {
    const changes = { startShare: 0.6, bufferMin: 5, bufferSize: 12, prefix: 'random', divergeShare: 0.3 } as const;
    const whole = make(changes);
    const all = play(whole, 0, 24);
    // This holds while the buffer fills, once it is drawn from, and once it evicts.
    for (const cut of [1, 3, 12, 20]) {
      const first = make(changes);
      play(first, 0, cut);
      const kept = JSON.stringify(first.save!());
      const second = make(changes);
      second.restore!(JSON.parse(kept));
      expect(play(second, cut, 24)).toEqual(all.slice(4 * cut));
      expect(JSON.stringify(second.save!())).toBe(JSON.stringify(whole.save!()));
    }
  });

  it('is empty at a run’s start, and refuses foreign states', () => {
    const sampler = samplerHolding([['x', 1]]);
    sampler.restore!(null);
    expect(sampler.save!()).toEqual({ inserted: 0, entries: [] });
    expect(() => sampler.restore!({ entries: [] })).toThrow(SpecError);
    const foreign = { id: 0, parent: null, task: 'q', history: [{ text: 'x', quality: 0 }], score: 0, uses: 0 };
    expect(() => sampler.restore!({ inserted: 1, entries: [foreign] })).toThrow(/no buffer of this run/);
  });
});
