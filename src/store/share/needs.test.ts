import { describe, expect, it } from 'vitest';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import type { LabState } from '../lab-state.ts';
import { missingFor, needsOf } from './needs.ts';

const nothing = { pairSets: [], bases: [], pools: [] };
const ownPairs = `pairs:${'a'.repeat(64)}`;

describe('files that a link cannot contain', () => {
  it('are none for an experiment of built-in parts', () => {
    expect(needsOf(parseExperimentSpec({ overrides: { pairSet: 'prog_wider' } }), nothing)).toEqual([]);
  });

  it('are named, with whether they are stored here', () => {
    const spec = parseExperimentSpec({
      overrides: { pairSet: ownPairs, basisSource: 'file', basisFile: 'b'.repeat(64), teacherPool: 'c'.repeat(64) },
    });
    expect(needsOf(spec, nothing)).toEqual([
      { what: 'the pair set pairs:aaaaaaaaaaaa…', here: false },
      { what: `the basis ${'b'.repeat(18)}…`, here: false },
      { what: `the teacher pool ${'c'.repeat(18)}…`, here: false },
    ]);
    const pairSets: LabState['pairSets'] = [
      { id: ownPairs, name: 'mine', pairs: 2, mechanisms: {}, bytes: 9, createdAt: 0 },
    ];
    expect(needsOf(spec, { ...nothing, pairSets })[0]).toEqual({ what: 'the pair set “mine”', here: true });
  });
});

describe('the reason why an experiment cannot run here', () => {
  const basisFile = 'b'.repeat(64);
  const teacherPool = 'c'.repeat(64);
  const of = (arms: string[], overrides: Record<string, unknown>) => parseExperimentSpec({ arms, overrides });

  it('is null if the missing file is not read by any of its runs', () => {
    expect(missingFor(of(['none', 'erase'], {}), nothing)).toBeNull();
    // A control arm has its own basis, and without teacher rows no run reads the pool.
    expect(missingFor(of(['random_V'], { basisSource: 'file', basisFile }), nothing)).toBeNull();
    expect(missingFor(of(['none'], { mix: 0, teacherPool }), nothing)).toBeNull();
    expect(
      missingFor(of(['erase'], { pairSet: ownPairs, basisSource: 'file', basisFile }), here(basisFile)),
    ).toBeNull();
  });

  it('is a missing basis, pool or pair set, with a remedy for each', () => {
    expect(missingFor(of(['erase', 'random_V'], { basisSource: 'file', basisFile }), nothing)).toMatchObject({
      message: `The basis ${'b'.repeat(18)}… is not kept here, and no link carries it.`,
      remedy: expect.stringMatching(/safetensors/),
    });
    const both = missingFor(of(['erase'], { pairSet: ownPairs, teacherPool }), nothing);
    expect(both?.message).toBe(
      `The pair set pairs:aaaaaaaaaaaa… and the teacher pool ${'c'.repeat(18)}… are not kept here, and no link carries them.`,
    );
    expect(both?.remedy).toMatch(/built-in pairs.*templates/);
  });

  it('includes files that a quarantine reads', () => {
    const overrides = { pairSet: ownPairs, basisSource: 'file', basisFile };
    expect(missingFor(of(['route-update'], overrides), here(basisFile))?.message).toMatch(/^The pair set/);
  });
});

function here(id: string) {
  return { ...nothing, bases: [{ id, name: 'mine' }] as unknown as LabState['bases'] };
}
