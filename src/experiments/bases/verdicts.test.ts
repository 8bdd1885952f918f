import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../records/events.ts';
import { basisVerdicts } from './verdicts.ts';

const run = (overlaps: (number | null | undefined)[], changes: object = {}): RunRecord =>
  ({
    spec: { arm: 'erase', seed: 41, basisSource: 'pairs' },
    rows: overlaps.map((basisOverlap, i) => ({ step: i + 1, basisOverlap })),
    evals: [],
    ...changes,
  }) as unknown as RunRecord;

describe('verdicts on the bases', () => {
  it('warns if a refreshed basis overlaps the previous one by less than 0.2', () => {
    expect(basisVerdicts([run([null, 0.2, null, 0.9]), run([undefined, undefined])])).toEqual([]);
    const [text, ...rest] = basisVerdicts([run([null, 0.19, null, 0.05, 0.7])]);
    expect(rest).toEqual([]);
    expect(text).toContain('erase, seed 41: the basis has rotated away');
    expect(text).toContain('0.05 at step 4, below 0.2; 2 of 3 refreshes');
  });

  it('reports the width of a matched random basis, as a control and as an arm', () => {
    const row = (model: string, kind = 'final') => ({ model, kind, note: 'k = 9: removes 1 over the run' });
    const controled = run([], {
      evals: [row('random_V_matched'), row('x', 'during'), { model: 'total', kind: 'final' }],
    });
    expect(basisVerdicts([controled])).toEqual([
      'erase, seed 41, deployed, random V matched: k = 9: removes 1 over the run.',
    ]);
    const spec = { arm: 'random_V_matched', seed: 42, basisSource: 'random_matched' };
    expect(basisVerdicts([run([], { spec, evals: [row('total')] })])).toEqual([
      'erase, random V matched, seed 42, its random V: k = 9: removes 1 over the run.',
    ]);
  });
});
