// Tests a fork beside its parent: steps paired by number, and which differences the table names.
import { describe, expect, it } from 'vitest';
import { forkAt } from '../config/experiment-of.ts';
import type { Settings } from '../config/settings.ts';
import { type ExperimentSpec, parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import { headlinesOf } from '../environments/registry.ts';
import type { RunRecord } from '../records/events.ts';
import { differencesBetween } from './differences.ts';
import { changesAtFork, sinceFork, sinceForkSentence } from './since-fork.ts';
import { trainingKey } from './vanilla.ts';

const recordOf = (spec: ExperimentSpec, hack: readonly (number | null)[], final: number): RunRecord =>
  ({
    id: `x/${spec.arms[0]}/41`,
    spec: resolveRuns(spec)[0],
    rows: hack.map((value, i) => ({ step: i + 1, student: { n: 4, figures: { hack: value } } })),
    evals: [{ kind: 'final', step: hack.length, model: 'total', all: { n: 4, figures: { hack: final } }, splits: {} }],
    modelSha256: 'm',
    graderVersion: 'g',
  }) as unknown as RunRecord;

const specOf = (arm: 'none' | 'erase', overrides: Partial<Settings> = {}): ExperimentSpec =>
  parseExperimentSpec({ preset: 'smoke', arms: [arm], seeds: [41], overrides: { steps: 4, ...overrides } });
const parent = recordOf(specOf('none'), [0.1, 0.2, 0.5, null], 0.75);
const forkWith = (arm: 'none' | 'erase', overrides: Partial<Settings> = {}, of = parent, step = 2): ExperimentSpec => {
  const fork = forkAt({ run: of.id, step, spec: of.spec });
  return parseExperimentSpec({ preset: 'smoke', arms: [arm], overrides: { ...fork.overrides, ...overrides }, fork });
};
const child = recordOf(forkWith('erase'), [0.1, 0.2, 0.25, 0.5], 0.5);
const set = (run: RunRecord) => ({ id: run.id, label: '', model: 'total', runs: [run] });

describe('since the fork', () => {
  it('pairs the steps after the fork at which both have a value', () => {
    expect(sinceFork(parent, child, ['hack', 'solve'])).toEqual([
      { metric: 'hack', part: 'steps', parent: 0.5, child: 0.25, difference: -0.25, n: 1 },
      { metric: 'hack', part: 'final', parent: 0.75, child: 0.5, difference: -0.25, n: 1 },
    ]);
    expect(sinceFork(parent, parent, ['hack'])).toEqual([]);
  });

  it('is reported in a sentence once both runs are evaluated', () => {
    const metrics = headlinesOf(parent.spec.environment);
    expect(sinceForkSentence(parent, [child, child], metrics)).toBe(
      'From step 3 on, erase: hack 50% (parent 75%); erase: hack 50% (parent 75%).',
    );
    const again = recordOf(forkWith('none'), [0.1, 0.2, 0.5], 0.75);
    expect(sinceForkSentence(parent, [again], metrics)).toBe(
      'From step 3 on, vanilla, unchanged: hack 75% (parent 75%).',
    );
    expect(sinceForkSentence({ ...parent, evals: [] }, [child], metrics)).toBeNull();
    expect(sinceForkSentence(parent, [parent], metrics)).toBeNull();
  });

  it('names the changes, if there are any', () => {
    expect(changesAtFork(child.spec).map(({ name }) => name)).toEqual(['arm']);
    expect(changesAtFork(resolveRuns(forkWith('none'))[0])).toEqual([]);
    expect(changesAtFork(parent.spec)).toEqual([]);
  });

  it('differs from its parent only in its changes, and from other runs in its first steps', () => {
    const faster = recordOf(forkWith('none', { lr: 0.01 }), [], 0);
    const names = (one: RunRecord, other: RunRecord) =>
      differencesBetween(set(one), set(other)).map(({ name }) => name);
    expect(names(parent, faster)).toEqual(['Learning rate']);
    expect(names(recordOf(specOf('none', { lr: 0.01 }), [], 0), faster)).toEqual(['first steps']);
    expect(names(faster, recordOf(forkWith('none', { lr: 0.01 }, parent, 3), [], 0))).toEqual(['first steps']);
  });

  it('is compared with a vanilla that has the same first steps', () => {
    const plain = resolveRuns(forkWith('none'))[0];
    expect(trainingKey(child.spec)).toBe(trainingKey(plain));
    expect(trainingKey(child.spec)).not.toBe(trainingKey(parent.spec));
  });
});

it('accepts forks of forks, up to a limit', () => {
  let spec = forkWith('none', { steps: 40 });
  for (let step = 3; step <= 9; step++) spec = forkWith('none', {}, recordOf(spec, [], 0), step);
  expect(spec.fork!.fork!.fork!.step).toBe(7);
  expect(() => forkWith('none', {}, recordOf(spec, [], 0), 10)).toThrow(/not allowed|not known|unknown/i);
});
