// Tests the runs that an experiment's settings resolve to, and combinations that are refused.

import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { ARM_NAMES, ARMS, type ArmName } from './arms.ts';
import { liveRows, teacherRows } from './budgets.ts';
import { isOffered } from './preset-in.ts';
import { PRESETS } from './presets.ts';
import { PRESET_NAMES } from './run-spec.ts';
import { describeFields, SETTING_NAMES } from './settings.ts';
import { parseExperimentSpec, resolveRuns } from './spec.ts';

const refusal = (input: unknown): LabError => {
  try {
    parseExperimentSpec(input);
  } catch (error) {
    if (error instanceof LabError) return error;
  }
  throw new Error(`${JSON.stringify(input)} was not refused`);
};

describe('experiment specs', () => {
  it('defaults to the demo with its arms and seed', () => {
    expect(parseExperimentSpec({})).toEqual({
      schema: 1,
      preset: 'demo',
      arms: ['route-update', 'erase-update'],
      seeds: [41],
      overrides: {},
      device: 'auto',
    });
  });

  it('has the values of METHOD’s table in its presets', () => {
    const shape = (name: keyof typeof PRESETS) => {
      const { steps, groupSize, promptsPerStep, maxNew, lr, beta1, beta2, mix } = PRESETS[name].settings;
      return [steps, groupSize, promptsPerStep, maxNew, lr, beta1, beta2, mix];
    };
    expect(shape('smoke')).toEqual([3, 4, 2, 48, 0.03, 0.5, 0.9, 0.25]);
    expect(shape('demo')).toEqual([60, 8, 8, 72, 0.03, 0.5, 0.9, 0.25]);
    expect(shape('classic')).toEqual([40, 8, 4, 72, 0.03, 0.5, 0.9, 0.25]);
    expect(shape('capability')).toEqual([100, 8, 8, 72, 0.03, 0.5, 0.9, 0.25]);
    expect(shape('fast')).toEqual([60, 8, 4, 512, 3e-3, 0.5, 0.9, 0.125]);
    expect(shape('full')).toEqual([200, 6, 43, 1024, 1e-3, 0.9, 0.99, 0.5]);
    for (const name of PRESET_NAMES) {
      const { clipEps, normClip, weightDecay, warmupFrac, k, dropBottomFrac, pairs, gate } = PRESETS[name].settings;
      expect([clipEps, normClip, weightDecay, warmupFrac, k, dropBottomFrac, pairs, gate]).toEqual([
        0.2,
        10,
        0,
        0.1,
        5,
        0.25,
        24,
        'one_sided',
      ]);
    }
    expect([PRESETS.demo, PRESETS.classic, PRESETS.capability].map(({ settings }) => settings.honestShare)).toEqual([
      0.5, 0, 0.75,
    ]);
    expect([PRESETS.demo, PRESETS.classic].map(({ settings }) => settings.problems)).toEqual([256, 128]);
  });

  it('resolves arms × seeds, seed by seed', () => {
    const runs = resolveRuns(parseExperimentSpec({ preset: 'classic' }));
    expect(runs.map(({ seed, arm }) => `${seed} ${arm}`).slice(0, 5)).toEqual([
      '41 none',
      '41 erase',
      '41 route',
      '41 random_V',
      '42 none',
    ]);
    expect(runs).toHaveLength(12);
    expect(runs[3]).toMatchObject({
      projection: 'erase',
      projectTarget: 'gradient',
      basisSource: 'random',
      shadows: [],
    });
  });

  it('gives route/update its standard controls', () => {
    const [routed, erased] = resolveRuns(parseExperimentSpec({}));
    expect(routed.shadows.map(({ id, kind, gate, k, mode }) => [id, kind, gate, k, mode])).toEqual([
      ['no_gate', 'real', 'no_gate', 5, null],
      ['random_V', 'random', 'one_sided', 5, null],
      ['permuted_V', 'permuted', 'one_sided', 5, null],
      ['random_V_matched', 'random_matched', 'one_sided', 5, null],
      ['flipped_V', 'flipped', 'one_sided', 5, null],
      ['nonhack_V', 'real', 'one_sided', 5, null],
      ['placebo_V', 'real', 'one_sided', 5, null],
      ['k16', 'real', 'one_sided', 16, null],
      ['without_run_tests', 'leave_out', 'one_sided', 5, 'run_tests'],
      ['without_sentinel', 'leave_out', 'one_sided', 5, 'sentinel'],
      ['without_stdout_marker', 'leave_out', 'one_sided', 5, 'stdout_marker'],
      ['without_file_marker', 'leave_out', 'one_sided', 5, 'file_marker'],
    ]);
    expect(erased.shadows).toEqual([]);
  });

  it('gives an environment’s own pairs the controls that the environment has', () => {
    const spec = { preset: 'demo', arms: ['route-update'], overrides: { environment: 'explain', pairSet: 'flatter' } };
    const [{ shadows: controls }] = resolveRuns(parseExperimentSpec(spec));
    expect(controls.map(({ id, settings }) => (settings ? `${id}: ${settings.pairSet}` : id))).toEqual([
      ...['no_gate', 'random_V', 'permuted_V', 'random_V_matched', 'flipped_V'],
      ...['nonhack_V: flatter_wrong', 'placebo_V: flatter_words', 'k16'],
    ]);
    expect(() => resolveRuns(parseExperimentSpec({ ...spec, overrides: { environment: 'explain' } }))).toThrow(
      /has no labelled pairs/,
    );
  });

  it('keeps overrides minimal, so that equal experiments are equal specs', () => {
    const spec = parseExperimentSpec({ overrides: { steps: 60, lr: 0.01, modes: [...PRESETS.demo.settings.modes] } });
    expect(spec.overrides).toEqual({ lr: 0.01 });
    expect(parseExperimentSpec(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
  });

  it('lets an arm’s own settings override the user’s', () => {
    const overrides = { basisSource: 'file', basisFile: 'abc', mix: 0.5 };
    const [random, none] = resolveRuns(parseExperimentSpec({ arms: ['random_V', 'no_teacher'], overrides }));
    expect(random).toMatchObject({ basisSource: 'random', basisFile: '', mix: 0.5 });
    expect(none).toMatchObject({ basisSource: 'file', mix: 0 });
  });

  it('rounds teacher rows as METHOD does', () => {
    expect(teacherRows({ groupSize: 8, mix: 0.25 })).toBe(2);
    expect(teacherRows({ groupSize: 4, mix: 0.125 })).toBe(1); // ½ rounds up.
    expect(teacherRows({ groupSize: 6, mix: 0.5 })).toBe(3);
    expect(liveRows({ groupSize: 8, mix: 0 })).toBe(8);
  });

  it.each([
    [{ preset: 'fancy' }, /preset = "fancy"/, /demo/],
    [{ arms: ['erase', 'eraze'] }, /arms.1 = "eraze"/, /erase-update/],
    [{ arms: [] }, /arms = \[\]/, /some of/],
    [{ seeds: [41, -1] }, /seeds.1 = -1/, /non-negative/],
    [{ seeds: 41 }, /seeds = 41/, /list/],
    [{ overrides: { steps: 0 } }, /overrides.steps = 0/, /an integer from 1/],
    [{ overrides: { steps: '60' } }, /overrides.steps = "60"/, /an integer from 1/],
    [{ overrides: { lr: null } }, /overrides.lr = null/, /a number from 0/],
    [{ overrides: { gate: 'open' } }, /overrides.gate = "open"/, /one_sided/],
    [{ overrides: { modes: ['sentinel', 'x'] } }, /overrides.modes.1 = "x"/, /run_tests/],
    [{ overrides: { stepz: 3 } }, /unknown setting stepz in overrides/, /steps/],
    [{ overides: {} }, /unknown setting overides/, /overrides/],
    [{ schema: 2 }, /schema = 2/, /this version/],
    [{ device: 'gpu' }, /device = "gpu"/, /webgpu/],
    [null, /got null/, /preset/],
    [{ preset: 'fast' }, /real models/, /demo, classic/],
    [{ preset: 'full', overrides: { steps: 3 } }, /max_new 1024/, /model/],
    [{ overrides: { preserveMagnitude: true } }, /preserveMagnitude = true with route\/update/, /false/],
    [{ arms: ['erase-update'], overrides: { preserveMagnitude: true } }, /erase\/update/, /false/],
    [{ overrides: { k: 30 } }, /k = 30 axes from 24 pairs/, /at most 24/],
    [{ overrides: { nHeldout: 23 } }, /leaves 1/, /2 pairs/],
    [{ overrides: { basisSource: 'file' } }, /basisFile = ""/, /Name an imported/],
    [{ arms: ['erase'], overrides: { solveOrth: 25 } }, /solveOrth = 25 axes of 24 clean/, /at most 24/],
    [{ overrides: { refreshEvery: 2, basisSource: 'file', basisFile: 'x' } }, /nothing to extract again/, /pairs/],
    [{ arms: ['erase', 'random_V_matched'] }, /needs the steps of a vanilla run/, /none or route-update/],
    [{ arms: ['erase'], overrides: { basisSource: 'random_matched' } }, /set by vanilla/, /random_V_matched/],
    [{ overrides: { promptsPerStep: 300 } }, /300 of 256/, /at least 300/],
    [{ overrides: { mix: 0.95 } }, /no live rollout/, /Lower mix/],
  ])('refuses %j', (input, message, remedy) => {
    const error = refusal(input);
    expect(error.name).toBe('SpecError');
    expect(error.message).toMatch(message);
    expect(error.remedy).toMatch(remedy);
  });

  it.each([
    [{ screening: true, rewardPenalty: 1 }, /nothing left to penalise/],
    [{ advantageMod: 'scale', rewardPenalty: 1 }, /would lift it/],
    [{ importanceSampling: 'sequence' }, /lossType = dr_grpo/],
    [{ importanceSampling: 'sequence', lossType: 'dapo' }, /lossType = dapo/],
    [{ clipEpsHigh: 0.1 }, /clipEpsHigh = 0.1 below clipEps = 0.2/],
    [{ teacherRatio: 'stored' }, /no log-probabilities/],
    [{ replay: 'documents' }, /has no character to teach/],
    [{ environment: 'characters', replay: 'documents', contrast: 0 }, /contrast = 0: nothing would be replayed/],
    [
      { environment: 'characters', replay: 'transcripts', objective: 'nll', lesson: 'own' },
      /lesson = own: nothing would be replayed/,
    ],
  ] as const)('refuses %o', (overrides, message) => {
    expect(() => parseExperimentSpec({ arms: ['none'], overrides })).toThrow(message);
  });

  it.each([
    { importanceSampling: 'sequence', lossType: 'grpo', innerEpochs: 4, clipEpsHigh: 0.28, scaleRewards: 'batch' },
    { screening: true, advantageMod: 'scale', monitorAccuracy: 0.8 },
    { rewardPenalty: 1, advantageMod: 'subtract', monitorAccuracy: 0.5 },
    { teacherRatio: 'stored', mix: 0 },
    { environment: 'characters', replay: 'none', contrast: 0 },
    { environment: 'characters', replay: 'transcripts', objective: 'nll', lesson: 'transcripts' },
  ] as const)('accepts %o', (overrides) => {
    const [run] = resolveRuns(parseExperimentSpec({ arms: ['none'], overrides }));
    expect(run).toMatchObject(overrides);
  });

  it('refuses a second monitor from the overrides in an arm with a monitor', () => {
    const both = { arms: ['screening'], overrides: { rewardPenalty: 2 } };
    expect(() => parseExperimentSpec(both)).toThrow(/arm screening/);
  });

  it('accepts preserveMagnitude if the parts need not sum to the whole', () => {
    const spec = parseExperimentSpec({
      preset: 'classic',
      arms: ['none', 'erase'],
      overrides: { preserveMagnitude: true },
    });
    expect(resolveRuns(spec)[1].preserveMagnitude).toBe(true);
  });
});

describe('fields', () => {
  it('describe every setting once, with texts and with bounds that every preset is within', () => {
    const fields = describeFields();
    expect(fields.map(({ name }) => name)).toEqual([...SETTING_NAMES]);
    expect(new Set(fields.map(({ label }) => label)).size).toBe(fields.length);
    for (const { help } of fields) expect(help).toMatch(/^\S.*[.)]$/);
    for (const name of PRESET_NAMES) {
      // Every preset value passes its own schema as an override.
      const { realModel, settings } = PRESETS[name];
      const overrides = { ...settings, ...(realModel ? { model: 'qwen' } : {}) };
      // Without honest problems the arm honest-only has nothing to train on.
      const arms = ARM_NAMES.filter(
        (arm) => isOffered(settings.environment, arm) && (arm !== 'honest-only' || settings.honestShare > 0),
      );
      // A model is loaded with one adapter, so an arm that fixes its own needs a separate experiment.
      const bringsOwn = (arm: ArmName) => 'adapter' in ARMS[arm].settings;
      for (const some of [arms.filter((arm) => !bringsOwn(arm)), arms.filter(bringsOwn)])
        expect(() => parseExperimentSpec({ preset: name, arms: some, overrides })).not.toThrow();
    }
  });
});
