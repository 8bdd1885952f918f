// Tests T4's statistics against enumeration by hand, and on data with a known answer.
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../../rng/index.ts';
import {
  contrast,
  discriminate,
  isDecidable,
  isSignificant,
  type Labelled,
  labelledSamples,
  withoutLength,
} from './discriminate.ts';
import { rowMade } from './testing/made.ts';

const options = { draws: 2000, seed: 1 };
const items = (problem: string, pure: number[], both: number[]): Labelled[] => [
  ...pure.map((value) => ({ problem, pure: true, value, length: 10 })),
  ...both.map((value) => ({ problem, pure: false, value, length: 10 })),
];

describe('permutation within problems', () => {
  it('counts every relabelling of a tiny case', () => {
    // p: 2 of {5, 4, 1}: sums 9, 6, 5; q: 1 of {3, 2}: 3, 2. Observed 9 + 2 = 11 of {12, 11, 9, 8, 8, 7}: 2 of 6.
    const found = contrast([...items('p', [5, 4], [1]), ...items('q', [2], [3])], options);
    expect(found).toMatchObject({ exact: true, mixedProblems: 2, nPure: 3, nBoth: 2 });
    expect(found.permutationP).toBeCloseTo(2 / 6, 12);
  });

  it('counts ties on the extreme side, and gives 1 if all values are equal', () => {
    expect(contrast(items('p', [0.1 + 0.2, 0.3], [0.3, 0.3]), options).permutationP).toBe(1);
  });

  it('ignores problems of one kind, and has no p if there are no others', () => {
    const mixed = items('p', [5, 4], [1]);
    expect(contrast([...mixed, ...items('all', [100, 90], [])], options).permutationP).toBeCloseTo(1 / 3, 12);
    expect(contrast([...items('x', [1, 2], []), ...items('y', [], [0, 0.5])], options).permutationP).toBeNull();
  });

  it('draws relabellings, reproducibly, if there are too many to count', () => {
    // The three problems have 70³ = 343,000 relabellings, too many to count; two of them have 4,900, which are counted.
    const problem = (name: string) => items(name, [5, 6, 2, 7], [1, 4, 3, 0]);
    const drawn = contrast([...problem('p'), ...problem('q'), ...problem('r')], options);
    expect(drawn.exact).toBe(false);
    const counted = contrast([...problem('p'), ...problem('q')], options);
    expect(counted.exact).toBe(true);
    expect(counted.permutationP as number).toBeLessThan(0.05);
    expect(drawn.permutationP as number).toBeLessThan(counted.permutationP as number);
    expect(contrast([...problem('p'), ...problem('q'), ...problem('r')], options)).toEqual(drawn);
  });

  it('finds no effect if the whole difference lies between problems', () => {
    // Easy problems have high values and mostly pure hacks; within each there is no difference.
    const rng = CounterRng.of(2, STREAMS.test);
    const group = (name: string, level: number, pure: number, both: number) => {
      const noise = (n: number) => Array.from({ length: n }, () => level + 0.1 * rng.normal());
      return items(name, noise(pure), noise(both));
    };
    const all = [0, 1, 2, 3].flatMap((i) => [...group(`h${i}`, 1, 6, 2), ...group(`l${i}`, 0, 2, 6)]);
    const found = contrast(all, options);
    expect(found.p as number).toBeLessThan(0.01);
    expect(found.permutationP as number).toBeGreaterThan(0.05);
    expect(isSignificant(found)).toBe(false);
  });
});

describe('length', () => {
  it('is taken out by the least-squares line', () => {
    const line = [2, 4, 6, 8].map((length) => ({ problem: 'p', pure: length < 5, value: 3 - 0.5 * length, length }));
    for (const { value } of withoutLength(line)) expect(value).toBeCloseTo(0, 12);
    const equal = items('p', [1, 2], [3]);
    expect(withoutLength(equal).map(({ value }) => value)).toEqual([-1, 0, 1]);
  });
});

describe('buckets', () => {
  it('hold only samples with the exploit, split by the strict oracle', () => {
    const rows = [
      rowMade({ gt_pass: false, cos_S_contrib: 1 }),
      rowMade({ gt_pass: true, cos_S_contrib: 2 }),
      rowMade({ gt_pass: true, structural: false, cos_S_contrib: 3 }),
      rowMade({ gt_pass: false, cos_S_contrib: null }),
    ];
    const found = labelledSamples(rows, (row) => row.cos_S_contrib);
    expect(found.map(({ pure, value }) => [pure, value])).toEqual([
      [true, 1],
      [false, 2],
    ]);
  });

  it('are ranked among the same measure under random axes', () => {
    const rng = CounterRng.of(3, STREAMS.test);
    const rows = Array.from({ length: 64 }, (_, i) => {
      const gt_pass = i % 8 > 4;
      return rowMade({
        problem: `p${i >> 3}`,
        gt_pass,
        cos_S_contrib: (gt_pass ? 0 : 1) + 0.3 * rng.normal(),
        cos_random: Array.from({ length: 39 }, () => rng.normal()),
      });
    });
    const found = discriminate(rows, (row) => row.cos_S_contrib, options);
    expect(isDecidable(found.plain) && isSignificant(found.plain)).toBe(true);
    expect(found.random.p).toBeCloseTo(1 / 40, 12);
    expect(found.random.t).toHaveLength(39);
    // Compared with itself, the real measure is never more extreme.
    const same = rows.map((row) => ({ ...row, cos_random: [row.cos_S_contrib, row.cos_S_contrib] }));
    const twin = discriminate(same, (row) => row.cos_S_contrib, options);
    expect(twin.random).toMatchObject({ passing: 2, permutationPassing: 2, p: 1 });
  });
});
