import { describe, expect, it } from 'vitest';
import { parseExperimentSpec } from '../experiments/spec.ts';
import type { LabState } from './lab-state.ts';
import { needsOf } from './share-needs.ts';

const nothing = { pairSets: [], bases: [], pools: [] };
const ownPairs = `pairs:${'a'.repeat(64)}`;

describe('what a link cannot carry', () => {
  it('is nothing for an experiment of built-in parts', () => {
    expect(needsOf(parseExperimentSpec({ overrides: { pairSet: 'prog_wider' } }), nothing)).toEqual([]);
  });

  it('is named, and said to be here or not', () => {
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
