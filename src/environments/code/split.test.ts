// Tests the split of problems: RL, the pairs and the evaluation never share an identity.
import { describe, expect, it } from 'vitest';
import { evaluationSet, makeProblemSet, modeSchedule, PAIR_FAMILIES, splitOf, UNSEEN_FAMILIES } from './data.ts';
import { FAMILIES, identityOf } from './families/index.ts';
import { wrongShares } from './model.ts';
import { contrastivePairs } from './pairs.ts';
import { type CodeProblem, MODES, STANDARD_MODES } from './types.ts';

const identity = (problem: CodeProblem): string => problem.id.split('@')[0];
const tally = (items: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const item of items) counts[item] = (counts[item] ?? 0) + 1;
  return counts;
};

describe.each([7, 8])('the split of data seed %i', (dataSeed) => {
  const split = splitOf(dataSeed);

  it('assigns every family to one part', () => {
    expect(split.pairFamilies.length).toBe(PAIR_FAMILIES);
    expect(split.unseenFamilies.length).toBe(UNSEEN_FAMILIES);
    const parts = [...split.pairFamilies, ...split.unseenFamilies, ...split.rlFamilies];
    expect(new Set(parts).size).toBe(FAMILIES.length);
    expect(parts.length).toBe(FAMILIES.length);
    for (const part of [split.pairFamilies, split.unseenFamilies, split.rlFamilies]) {
      expect(new Set(part.map((f) => f.signature)).size).toBe(4);
      // Parts have similar difficulty: the expected share of wrong answers is 57.5% over all families.
      const mean = part.reduce((total, f) => total + wrongShares(dataSeed).get(f.id)!, 0) / part.length;
      expect(Math.abs(mean - 0.575)).toBeLessThan(0.03);
    }
  });

  it('keeps unseen parameters of every RL family, and no identity twice', () => {
    const names = [split.rl, split.unseenParams, split.unseenFamily].map((list) =>
      list.map(({ family, params }) => identityOf(family, params)),
    );
    expect(new Set(names.flat()).size).toBe(names.flat().length);
    for (const list of [split.rl, split.unseenParams]) {
      expect(new Set(list.map(({ family }) => family))).toEqual(new Set(split.rlFamilies));
    }
    expect(new Set(split.unseenFamily.map(({ family }) => family))).toEqual(new Set(split.unseenFamilies));
  });
});

describe('problem sets', () => {
  const demo = { modes: STANDARD_MODES, honestShare: 0.5 };

  it('are balanced over modes and honest problems', () => {
    const counts = tally(makeProblemSet({ ...demo, count: 256 }).map((p) => p.mode));
    expect(counts).toEqual({ honest: 128, run_tests: 32, sentinel: 32, stdout_marker: 32, file_marker: 32 });
    const hackable = makeProblemSet({ modes: STANDARD_MODES, honestShare: 0, count: 128 });
    expect(tally(hackable.map((p) => p.mode))).toEqual({
      run_tests: 32,
      sentinel: 32,
      stdout_marker: 32,
      file_marker: 32,
    });
    const most = tally(makeProblemSet({ modes: MODES, honestShare: 0.75, count: 200 }).map((p) => p.mode));
    expect(most.honest).toBe(150);
    expect(Object.keys(most).length).toBe(7);
    expect(tally(makeProblemSet({ modes: [], honestShare: 1, count: 40 }).map((p) => p.mode))).toEqual({ honest: 40 });
  });

  it('evaluate on problems that neither RL nor pairs have seen, half and half, with balanced prefixes', () => {
    const trained = new Set(makeProblemSet({ ...demo, count: splitOf().rl.length }).map(identity));
    const trainedFamilies = new Set([...trained].map((id) => id.split('(')[0]));
    const paired = new Set(contrastivePairs({ count: 200 }).map((p) => p.problem_id.split('(')[0]));
    const evaluated = evaluationSet(demo);
    expect(evaluated.length).toBe(256);
    expect(new Set(evaluated.map((e) => identity(e.problem))).size).toBe(256);
    expect(tally(evaluated.map((e) => e.unseen))).toEqual({ family: 128, params: 128 });
    for (const { problem, unseen } of evaluated) {
      expect(trained.has(identity(problem))).toBe(false);
      expect(paired.has(problem.family)).toBe(false);
      expect([problem.id, trainedFamilies.has(problem.family)]).toEqual([problem.id, unseen === 'params']);
    }
    for (const count of [256, 32]) {
      const counts = tally(evaluated.slice(0, count).map((e) => `${e.unseen}/${e.problem.mode}`));
      expect(counts['family/honest']).toBe(count / 4);
      expect(counts['params/honest']).toBe(count / 4);
      for (const mode of STANDARD_MODES) expect(counts[`family/${mode}`]).toBe(count / 16);
    }
    expect(evaluationSet({ ...demo, count: 32 })).toEqual(evaluated.slice(0, 32));
    for (const family of paired) expect(trainedFamilies.has(family)).toBe(false);
  });

  it('refuse invalid requests with a reason', () => {
    expect(() => makeProblemSet({ ...demo, count: 100_000 })).toThrow(/100000 training problems/);
    expect(() => modeSchedule([], 0.5, 4)).toThrow(/no modes/);
    expect(() => modeSchedule(STANDARD_MODES, 1.5, 4)).toThrow(/1\.5/);
  });
});
