// Tests the word problems as an environment: its presets, what it refuses, and a whole run of a few steps.

import { describe, expect, it } from 'vitest';
import { ARITHMETIC_ROLLOUTS, ARITHMETIC_SPLITS } from '../../environments/arithmetic/presentation.ts';
import { arithmeticDrawn, arithmeticMetrics } from '../../environments/arithmetic/reward.ts';
import type { ReferredVerdict } from '../../environments/arithmetic/task.ts';
import { nothingLeftNote } from '../analysis/compare.ts';
import { ARMS } from '../config/arms.ts';
import { disabledReasonOf } from '../config/effect.ts';
import { EMBEDDED_MODELS, isOffered } from '../config/preset-in.ts';
import type { SettingName } from '../config/settings.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import type { LabEvent, RolloutRecord, StepRow } from '../records/events.ts';
import { runKey } from '../runs/key.ts';
import { openTinyLab, runTiny, tinySpec } from '../testing/tiny.node.ts';
import { drawnMaker } from './drawn.ts';
import { ENVIRONMENTS, environmentNamed, pretrainingOf } from './registry.ts';

const arithmeticMaker = drawnMaker(arithmeticDrawn, ARITHMETIC_SPLITS);
const environment = 'arithmetic';
const specOf = (overrides: object = {}, arms?: readonly string[]) =>
  parseExperimentSpec({ preset: 'smoke', overrides: { environment, ...overrides }, ...(arms ? { arms } : {}) });

describe('a preset in the environment', () => {
  it('has the environment’s arm, model and settings, and a short spec', () => {
    const spec = parseExperimentSpec({ preset: 'demo', overrides: { environment } });
    expect(spec.arms).toEqual(['none', 'cat', 'ttrl']);
    expect(spec.overrides).toEqual({ environment });
    expect(resolveRuns(spec)[0]).toMatchObject({ model: 'tiny-arithmetic', mix: 0, steps: 40, environment });
    // A user's choice overrides the default, and only differences are stored.
    const other = parseExperimentSpec({
      preset: 'demo',
      overrides: { environment, steps: 41, model: 'tiny-arithmetic' },
    });
    expect(other.overrides).toEqual({ environment, steps: 41 });
    expect(resolveRuns(other)[0].steps).toBe(41);
  });

  it('is unchanged in the environment of programs', () => {
    const [run] = resolveRuns(parseExperimentSpec({ preset: 'demo' }));
    expect(run).toMatchObject({ model: 'tiny-coder', mix: 0.25, steps: 60, environment: 'one-line-python' });
    const named = parseExperimentSpec({ preset: 'demo', overrides: { environment: 'one-line-python' } });
    expect(named).toEqual(parseExperimentSpec({ preset: 'demo' }));
  });

  it.each(['erase', 'route', 'route-update', 'random_V', 'advantage'])('offers no arm %s', (arm) => {
    expect(() => specOf({}, [arm])).toThrow(/has no labelled pairs/);
    expect(isOffered(environment, arm as keyof typeof ARMS)).toBe(false);
    expect(isOffered('one-line-python', arm as keyof typeof ARMS)).toBe(true);
  });

  it('refuses a teacher and settings that need loopholes', () => {
    expect(() => specOf({ mix: 0.25 })).toThrow(/has no teacher/);
    for (const arm of ['penalty', 'screening', 'inoculation', 'honest-only'])
      expect(() => specOf({}, [arm])).toThrow(/has no loopholes/);
    for (const arm of ['none', 'kl']) expect(specOf({}, [arm]).arms).toEqual([arm]);
  });

  it('marks every setting without effect here as disabled', () => {
    const disabledBecause = (name: SettingName, where: string) =>
      disabledReasonOf(name, (other) => (other === 'environment' ? where : '1'), ARMS.none);
    for (const name of [
      'modes',
      'honestShare',
      'trainOn',
      'mix',
      'poolModes',
      'k',
      'pairs',
      'gate',
      'screening',
    ] as const) {
      expect(disabledBecause(name, environment), name).toMatch(/the environment arithmetic has no/);
      expect(disabledBecause(name, 'one-line-python') ?? '', name).not.toMatch(/environment/);
    }
    for (const name of ['steps', 'lr', 'problems', 'groupSize', 'klBeta'] as const)
      expect(disabledBecause(name, environment)).toBeNull();
  });
});

describe('references', () => {
  it('are arms of only this environment; a run without a reference is unchanged', () => {
    const arms = ['none', 'cat', 'cat_question', 'cat_sft', 'ttrl', 'self_bon', 'oracle', 'random_reward'] as const;
    const runs = resolveRuns(specOf({}, arms));
    expect(runs.map(({ reference }) => reference)).toEqual([
      ...['truth', 'synthesis', 'synthesis_question', 'synthesis', 'majority', 'self_bon', 'oracle', 'random'],
    ]);
    expect(runKey(runs[0])).not.toContain('reference');
    for (const arm of arms.slice(1)) {
      expect(isOffered(environment, arm)).toBe(true);
      expect(isOffered('one-line-python', arm)).toBe(false);
      expect(() => parseExperimentSpec({ preset: 'demo', arms: [arm] })).toThrow(/has no reference but the truth/);
    }
    expect(resolveRuns(specOf({ reference: 'mutual' }))[0].reference).toBe('mutual');
    const idle = (where: string) => disabledReasonOf('reference', () => where, ARMS.none);
    expect([idle('one-line-python'), idle(environment)]).toEqual([
      'the environment one-line-python has no references but the truth',
      null,
    ]);
  });

  it('have nothing left to teach if they are correct no more often than rollouts', () => {
    const [spec] = resolveRuns(specOf({}, ['cat']));
    const rowsOf = (...deltas: (number | null)[]) =>
      deltas.map((teacherDelta) => ({ student: { n: 8, figures: { teacherDelta } } })) as unknown as StepRow[];
    expect(nothingLeftNote({ spec, rows: rowsOf(0.3, 0.1, -0.1, 0, 0, 0.05) }, 'CaT')).toContain(
      '1.0 points: references have nothing left',
    );
    expect(nothingLeftNote({ spec, rows: rowsOf(0.3, 0.1, -0.1, 0, 0.1, 0.05) }, 'CaT')).toBeNull();
    expect(nothingLeftNote({ spec, rows: rowsOf(0, 0, 0, 0) }, 'CaT')).toBeNull();
    expect(nothingLeftNote({ spec, rows: rowsOf(null, null, null, null, null) }, 'CaT')).toBeNull();
  });

  it('have metrics if they were the reward, equal to values by hand', () => {
    const referred = (value: string | null, reference: string, changes: Partial<ReferredVerdict> = {}) => ({
      task: { kind: 'plain' as const, misconception: null },
      verdict: {
        ...verdict(value),
        reference,
        agrees: value === reference,
        referenceCorrect: reference === '2',
        majority: '3',
        majorityCorrect: false,
        allWrong: false,
        dead: false,
        referenceTokens: 10,
        ...changes,
      },
    });
    const lost = { allWrong: true, dead: true, majority: '4' };
    const { figures } = arithmeticMetrics([
      ...[referred('2', '2'), referred('3', '2'), referred(null, '2'), referred('3', '2')],
      ...[referred('4', '4', lost), referred('4', '4', lost), referred('4', '4', lost), referred('4', '4', lost)],
    ]);
    expect(figures).toMatchObject({
      // Correct references: 4 of 8; correct rollouts: 1 of 8.
      teacherDelta: 3 / 8,
      'teacherDelta:plain': 3 / 8,
      rewardTrue: 1 / 2,
      differs: 1 / 2,
      differsRight: 1,
      differsMajority: 0,
      allWrong: 1 / 2,
      rescued: 0,
      referenceTokens: 10,
    });
    const known = environmentNamed(environment).metrics.map(({ id }) => id);
    for (const id of Object.keys(figures)) if (!id.startsWith('n:')) expect(known).toContain(id);
    const shown = ARITHMETIC_ROLLOUTS.facts({ ...referred('3', '2').verdict });
    expect(shown).toContainEqual(['reference', '2 (right)']);
    expect(ARITHMETIC_ROLLOUTS.facts({ ...verdict('3') })).toHaveLength(2);
  });
});

describe('the registry', () => {
  it('has the environment, its model, and what it measures', async () => {
    expect(ENVIRONMENTS.filter(({ id }) => id === environment)).toHaveLength(1);
    const entry = environmentNamed(environment);
    expect((await pretrainingOf(environment)).model).toBe('tiny-arithmetic');
    expect(EMBEDDED_MODELS).toContain('tiny-arithmetic');
    await expect(pretrainingOf('leetcode')).rejects.toThrow(/no model is pretrained/);
    const figures = arithmeticMetrics([
      { task: { kind: 'fact', misconception: '3' }, verdict: verdict('3') },
      { task: { kind: 'fact', misconception: '3' }, verdict: verdict('2') },
      { task: { kind: 'plain', misconception: null }, verdict: verdict(null) },
    ]);
    expect(figures).toEqual({
      n: 3,
      figures: {
        solve: 1 / 3,
        format: 2 / 3,
        misconception: 1 / 2,
        'n:plain': 1,
        'solve:plain': 0,
        'n:fact': 2,
        'solve:fact': 1 / 2,
      },
    });
    for (const id of ['solve', 'format', 'misconception', 'solve:fact'])
      expect(entry.metrics.map((metric) => metric.id)).toContain(id);
    expect(arithmeticMetrics([])).toEqual({ n: 0, figures: { solve: null, format: null, misconception: null } });
  });
});

/** The correct value is 2, the misconception's 3. */
const verdict = (value: string | null) => ({
  answer: value,
  value,
  expected: '2',
  correct: value === '2',
  formatOk: value !== null,
  misconception: value === '3',
});

describe('a run', () => {
  it('trains on the set in epochs and evaluates both splits alternately', async () => {
    const [run] = resolveRuns(specOf({ problems: 40, evalProblems: 8, finalEvalProblems: 20 }));
    const made = arithmeticMaker.make(run);
    const { value: environment } = await made.next();
    if (!environment) throw new Error('the environment was not made');
    expect(environment.evaluation.final.map(({ unseen }) => unseen)).toEqual(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'templates' : 'params')),
    );
    expect(environment.evaluation.during).toEqual(environment.evaluation.final.slice(0, 8));
    const history = { rewards: () => [], returns: () => [] };
    const epoch = environment.sampler.draw({ seed: 1, step: 0, count: 40, history });
    expect(new Set(epoch.map(({ id }) => id)).size).toBe(40);
    expect(environment.sampler.draw({ seed: 1, step: 0, count: 40, history })).toEqual(epoch);
    expect(environment.sampler.draw({ seed: 2, step: 0, count: 40, history })).not.toEqual(epoch);
    const unseen = new Set(environment.evaluation.final.map(({ task }) => task.id));
    expect(epoch.filter(({ id }) => unseen.has(id))).toEqual([]);
    expect(() => arithmeticMaker.prompts({ ...run, problems: 100_000 })).toThrow(/problems = 100000/);
  }, 60_000);

  it('of CaT asks the untrained model once per step for all groups, and is rewarded for agreement', async () => {
    const lab = await openTinyLab();
    const events: LabEvent[] = [];
    try {
      const overrides = {
        environment,
        model: 'tiny-coder',
        steps: 2,
        problems: 16,
        evalEvery: 0,
        finalEvalProblems: 4,
      };
      const { result } = await runTiny(lab, tinySpec({ arms: ['cat', 'ttrl', 'cat_sft'], overrides }), {}, events);
      const [cat, ttrl, finetuned] = result.runs;
      expect([cat.status, ttrl.status, finetuned.status]).toEqual(['done', 'done', 'done']);
      for (const { models } of [...cat.timings, ...finetuned.timings]) expect(models!.synthesiser.calls).toBe(1);
      expect(ttrl.timings.every(({ models }) => models === undefined)).toBe(true);
      for (const row of [...cat.rows, ...ttrl.rows]) expect(row.student.figures.rewardTrue).not.toBeNull();
      const rollouts = events.flatMap((event): RolloutRecord[] => (event.type === 'step' ? event.rollouts : []));
      for (const { reward, verdict } of rollouts) expect(reward).toBe(verdict.agrees ? 1 : 0);
      for (const { all } of cat.evals) expect(all.figures).not.toHaveProperty('teacherDelta');

      // A run with the environment's own pairs can route, and has their controls.
      const paired = { steps: 1, reference: 'majority', pairSet: 'misconceive', pairs: 4, k: 2 } as const;
      const routing = tinySpec({ arms: ['route-update'], overrides: { ...overrides, ...paired } });
      const [routed] = (await runTiny(lab, routing, {}, [])).result.runs;
      expect(routed.rows[0].cinNull).toBeGreaterThan(0);
      const models = routed.evals.filter(({ kind }) => kind === 'final').map(({ model }) => model);
      expect(models).toEqual(expect.arrayContaining(['deployed', 'random_V', 'nonhack_V', 'placebo_V']));
    } finally {
      await lab.close();
    }
  }, 60_000);

  it('of a few steps ends with metrics of both splits, without a basis', async () => {
    const lab = await openTinyLab();
    const events: LabEvent[] = [];
    try {
      const spec = tinySpec({ overrides: { environment, model: 'tiny-coder', steps: 2, problems: 16 } });
      expect(spec.arms).toEqual(['none']);
      const { result } = await runTiny(lab, spec, {}, events);
      const [record] = result.runs;
      expect(record.status).toBe('done');
      expect(record.rows).toHaveLength(2);
      expect(record.rows.every(({ cin, cout }) => cin === null && cout === null)).toBe(true);
      const final = record.evals.filter(({ kind }) => kind === 'final');
      expect(final.map(({ model }) => model)).not.toContain('steered_base');
      for (const row of final) {
        expect(Object.keys(row.splits)).toEqual(['templates', 'params']);
        expect(row.all.figures).toHaveProperty('misconception');
        expect(row.all.figures).not.toHaveProperty('hack');
      }
    } finally {
      await lab.close();
    }
  }, 60_000);
});
