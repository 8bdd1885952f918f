// Tests the study's runs as sweep files: same keys, for each question and for all; `sweep run` accepts the files.
import { describe, expect, it } from 'vitest';
import { planSweep } from '../../../src/experiments/sweep/plan.ts';
import { parseSweepSpec, type SweepSpec } from '../../../src/experiments/sweep/spec.ts';
import { planStudy, runsOf } from './plan.ts';
import { sweepsOfStudy } from './sweeps.ts';
import { QUESTION_IDS } from './types.ts';

/** A key is repeated for every sweep that includes it. */
const keysOf = (sweeps: readonly SweepSpec[]): string[] =>
  sweeps.flatMap((sweep) => planSweep(sweep).configurations.flatMap(({ rungs }) => rungs.flat().map(({ key }) => key)));

describe('sweeps of the study', () => {
  it.each(QUESTION_IDS)('of %s have its runs, each once', (id) => {
    const plan = planStudy({ questions: [id] });
    const { sweeps, apart } = sweepsOfStudy(plan);
    const planned = runsOf(plan).map(({ key }) => key);
    expect([...keysOf(sweeps), ...apart].sort()).toEqual([...planned].sort());
    // Only Q12 has runs that need another run's steps.
    expect(apart).toHaveLength(id === 'Q12' ? 10 : 0);
    for (const sweep of sweeps) expect(parseSweepSpec(JSON.parse(JSON.stringify(sweep)))).toEqual(sweep);
  });

  it('of all questions have each run once, in few files', () => {
    const plan = planStudy();
    const { sweeps, apart } = sweepsOfStudy(plan);
    const planned = runsOf(plan).map(({ key }) => key);
    expect([...keysOf(sweeps), ...apart].sort()).toEqual([...planned].sort());
    expect(sweeps.length).toBeLessThan(45);
  });

  it('have the axes that a question varies', () => {
    const { sweeps } = sweepsOfStudy(planStudy({ questions: ['Q20'] }));
    expect(sweeps).toHaveLength(1);
    const [{ preset, axes, seeds }] = sweeps;
    expect([preset, seeds]).toEqual(['classic', [41, 42, 43]]);
    expect(axes).toEqual([
      { option: 'arm', values: ['route-update', 'erase'] },
      { option: 'dataSeed', values: [11, 12, 13, 14, 15] },
    ]);
  });

  it('leave out finished runs, and are short if the plan is', () => {
    const plan = planStudy({ questions: ['Q2'], seeds: [41], steps: 2 });
    const keys = runsOf(plan).map(({ key }) => key);
    expect(keysOf(sweepsOfStudy(plan).sweeps).sort()).toEqual([...keys].sort());
    expect(keysOf(sweepsOfStudy(plan, new Set(keys.slice(0, 1))).sweeps).sort()).toEqual(keys.slice(1).sort());
    expect(sweepsOfStudy(plan, new Set(keys)).sweeps).toEqual([]);
  });
});
