// The verdict rules against rows whose differences are set by hand.
import { describe, expect, it } from 'vitest';
import { basesVerdict } from './bases.ts';
import type { ImproveRow } from './rows.ts';
import { exitVerdicts } from './verdicts.ts';

/** One task a model, whose quality is `first` at K = 0 and `last` from then on. */
const row = (
  arm: string,
  seed: number,
  first: number,
  last: number,
  way: ImproveRow['way'] = 'sampled',
): ImproveRow => ({
  ...{ arm, seed, sampling: 1, way, id: 'x', answers: [], tokens: [] },
  quality: [first, ...Array.from({ length: 16 }, () => last)],
});
const verdictsOf = (one: string, other: string, pairs: readonly (readonly [first: number, last: number])[]) =>
  exitVerdicts(
    pairs.flatMap(([first, last], seed) => [row(other, seed, 0.5, 0.5), row(one, seed, 0.5 + first, 0.5 + last)]),
  )[0];

describe('E1', () => {
  const of = (...pairs: [number, number][]) => verdictsOf('exit', 'none', pairs).verdict;
  it('holds where every seed gains the bound and none pays more than its own', () => {
    expect(of([-0.015, 0.09], [0.01, 0.2], [0, 0.081])).toBe('holds');
    expect(of([-0.03, 0.09], [0, 0.2], [0, 0.1])).toBe('in part: K = 0 pays');
    expect(of([0, 0.07], [0, 0.2], [0, 0.1])).toBe('in part: less than the bound');
    expect(of([0, 0.2], [0, 0.2], [0, -0.01])).toBe('fails');
  });
});

describe('the controls', () => {
  const of = (...last: number[]) =>
    verdictsOf(
      'exit',
      'exit_uniform',
      last.map((x) => [0, x] as const),
    ).verdict;
  it('are judged by the interval of the paired differences', () => {
    expect(of(0.05, 0.06, 0.05, 0.06)).toBe('holds');
    expect(of(-0.05, -0.06, -0.05, -0.06)).toBe('fails: costs');
    expect(of(0.004, -0.004, 0.004, -0.004)).toBe('fails: adds nothing');
    expect(of(0.05, -0.04, 0.05, -0.04)).toBe('open');
    expect(of(0.3)).toBe('open');
  });

  it('are paired by seed, on sampled chains alone', () => {
    const rows = [
      ...[row('exit', 1, 0.5, 0.9), row('exit', 2, 0.5, 0.7), row('exit', 3, 0.5, 0.1)],
      ...[row('exit_uniform', 2, 0.5, 0.5), row('exit_uniform', 1, 0.5, 0.6)],
      row('exit', 1, 0.5, 0, 'greedy'),
    ];
    const [found] = exitVerdicts(rows);
    const short = rows.map((row) => ({ ...row, quality: row.quality.slice(0, 5) }));
    expect(exitVerdicts(short)).toEqual([]);
    expect(found.seeds).toEqual([1, 2]);
    expect(found.last.map((x) => x.toFixed(3))).toEqual(['0.300', '0.200']);
  });
});

describe('other bases', () => {
  const of = (...bases: (readonly [base: string | undefined, first: number, last: number])[]) =>
    basesVerdict(
      bases.flatMap(([base, first, last]) =>
        [1, 2].flatMap((seed) => [
          { ...row('none', seed, 0.5, 0.5), base },
          { ...row('exit_best', seed, 0.5 + first, 0.5 + last), base },
        ]),
      ),
      'exit_best',
    );
  it('are judged each by the rule; the environment’s own is beside them', () => {
    const known = [undefined, 0, 0.2] as const;
    const found = of(known, ['two', 0.01, 0.1], ['three', 0.02, 0.09])!;
    expect([found.verdict, found.bases.map(({ base }) => base)]).toEqual(['holds', [null, 'two', 'three']]);
    expect(found.last!.mean).toBeCloseTo(0.13, 12);
    expect(of(known, ['two', -0.03, 0.1], ['three', 0.02, 0.09])!.verdict).toBe('in part');
    expect(of(known, ['two', 0, 0.1], ['three', 0, -0.01])!.verdict).toBe('fails');
    expect(of([undefined, 0, -0.2], ['two', 0, 0.1], ['three', 0, 0.1])!.verdict).toBe('holds');
    expect(of(known)).toBeNull();
  });
});
