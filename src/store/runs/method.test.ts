// Checks that the method diagram agrees with the rows, both those of every environment's published demo and hand-made ones.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { demoPath, readDemo } from '../../experiments/analysis/demo.ts';
import { demoStepsPath, type MethodRow, readDemoSteps, stepsOf } from '../../experiments/analysis/demo-steps.ts';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import { ENVIRONMENT_NAMES, rolloutPresentationOf } from '../../experiments/environments/registry.ts';
import { exampleRollouts, methodStep } from './method.ts';

const at = (path: string) => new URL(`../../../public/${path}`, import.meta.url);
const read = (path: string) => JSON.parse(readFileSync(at(path), 'utf8'));
const published = ENVIRONMENT_NAMES.filter((id) => existsSync(at(demoStepsPath(id))));

describe.each(published)('the published steps of %s', (environment) => {
  const demo = readDemo(read(demoPath(environment)))!;
  const text = readFileSync(at(demoStepsPath(environment)), 'utf8');
  const file = readDemoSteps(JSON.parse(text))!;

  it('equal those of the published demo, figure by figure', () => {
    for (const { arm, seed, series } of demo.runs) {
      const steps = stepsOf(file, arm, seed);
      for (const [id, values] of Object.entries(series)) {
        if (!(id in steps[0].student.figures)) continue;
        // Values of a demo's lines are in thousandths.
        const apart = steps.map(({ student }, i) => Math.abs((student.figures[id] ?? -1) - (values[i] ?? -1)));
        expect(Math.max(...apart)).toBeLessThan(0.00055);
      }
      expect(steps.map(({ step }) => step)).toEqual(steps.map((_, i) => i + 1));
      if (Object.values(series)[0]) expect(steps).toHaveLength(Object.values(series)[0].length);
    }
  });

  it('make a complete diagram of every step: stages of at most twelve words, and a split if a basis measures it', () => {
    for (const spec of resolveRuns(parseExperimentSpec(demo.spec))) {
      const evals = demo.runs.find(({ arm }) => arm === spec.arm)!.evals.filter(({ kind }) => kind === 'during');
      for (const row of stepsOf(file, spec.arm, spec.seed)) {
        const { stages, split, words } = methodStep(spec, row, evals);
        expect(stages.length).toBeGreaterThan(3);
        for (const { about, figure } of stages) {
          expect(about.split(' ').length).toBeLessThanOrEqual(12);
          expect(`${about} ${figure}`).not.toMatch(/undefined|NaN|null/);
        }
        expect(split === null).toBe(row.cin === null);
        expect(words).toContain(`Step ${row.step}.`);
      }
    }
  });

  it('are small', () => expect(text.length).toBeLessThan(60_000));
});

const [routed, erased] = ['route-update', 'erase'].map(
  (arm) => resolveRuns(parseExperimentSpec({ preset: 'demo', arms: [arm], seeds: [41] }))[0],
);
const row = {
  step: 7,
  reward: 0.5,
  rewardStd: 0.5,
  fracRewardZeroStd: 0.25,
  loss: 0,
  lr: 1,
  gradNorm: 0.01,
  rolloutTokens: 9,
  cin: 0.3,
  cinNull: 0.1,
  cout: 0.02,
  coutUpdate: 0.01,
  fired: 1,
  normDeltaS: 2,
  normDeltaSHack: 1,
  student: { n: 56, figures: { hack: 0.4, solve: 0.5 } },
  teacher: { n: 8 },
} satisfies MethodRow;

describe('the diagram of a step', () => {
  it('splits the update if it is routed, and the gradient if it is erased', () => {
    expect(methodStep(routed, row, []).split).toEqual({
      of: 'update',
      does: 'routed',
      share: 0.3,
      chance: 0.1,
      left: 0.01,
      deployed: 2,
      quarantine: 1,
    });
    expect(methodStep(erased, row, []).split).toMatchObject({ of: 'gradient', does: 'erased', left: 0.02 });
    expect(methodStep({ ...erased, projection: 'none' }, row, []).split?.does).toBe('measured');
    expect(methodStep(routed, { ...row, cin: null }, []).split).toBeNull();
  });

  it('states the newest evaluation so far of the model that would be deployed', () => {
    const evals = [
      { step: 0, model: 'deployed', figures: { hack: 0, solve: 0.4 } },
      { step: 5, model: 'deployed', figures: { hack: 0.1, solve: 0.45 } },
      { step: 6, model: 'total', figures: { hack: 0.9, solve: 0.1 } },
      { step: 10, model: 'deployed', figures: { hack: 0.2, solve: 0.5 } },
    ];
    expect(methodStep(routed, row, evals).deployed).toEqual({
      step: 5,
      model: 'deployed',
      figures: [
        { label: 'Hack', text: '10%' },
        { label: 'Solve', text: '45%' },
      ],
    });
    expect(methodStep(routed, row, []).deployed).toBeNull();
  });

  it('learns from texts without an answer or a reward', () => {
    const { stages } = methodStep({ ...routed, objective: 'nll' }, { ...row, documents: { n: 8, tokens: 99 } }, []);
    expect(stages.map(({ id }) => id)).toEqual(['asked', 'compared', 'gradient', 'update']);
    expect(stages[0].figure).toBe('8 texts');
  });
});

it('shows one of the student’s rollouts for each outcome', () => {
  const presentation = rolloutPresentationOf('one-line-python');
  const rollout = (promptIndex: number, verdict: Record<string, boolean>, source = 'student', kind = 'sentinel') => ({
    promptIndex,
    source,
    kind,
    verdict: { passed: true, gt_correct: false, exploited: false, ...verdict },
  });
  const found = exampleRollouts(
    [
      rollout(0, { exploited: true }, 'teacher'),
      rollout(1, { gt_correct: true }),
      rollout(2, { exploited: true }),
      rollout(3, { exploited: true }),
      // An honest grader has no flaw, so wrong answers that it passes are luck.
      rollout(4, { exploited: true }, 'student', 'honest'),
    ],
    presentation,
  );
  const counts = Object.fromEntries(found.map(({ n, first }) => [first.promptIndex, n]));
  expect(counts).toEqual({ 1: 1, 2: 2, 4: 1 });
});
