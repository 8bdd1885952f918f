// Tests the reference of every arm of every environment, and what a run must share with its vanilla.
import { describe, expect, it } from 'vitest';
import { ARM_NAMES, ARMS, type Arm, type ArmName, VANILLA_ARMS } from '../config/arms.ts';
import { CAPABILITIES, capabilitiesOf } from '../config/environments.ts';
import { isOffered, presetIn } from '../config/preset-in.ts';
import { SETTING_NAMES, type Settings, settingsOf } from '../config/settings.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import { headlinesOf } from '../environments/registry.ts';
import type { EvalRow, RunRecord } from '../records/events.ts';
import { type MadeRun, runMade } from '../testing/statistics-runs.ts';
import { buildTable } from './table.ts';
import { vanillaOf, vanillaWithin } from './vanilla.ts';

/** An id of the environment that a spec accepts. */
const named = ({ id, example }: { id: string; example: string }) =>
  example === id ? id : example.replace(/<.*$/, 'a'.repeat(64));

/** Finished runs of one seed: the i-th arm ends at i hundredths, and its deployed model ten hundredths higher. */
function finished(arms: readonly ArmName[], overrides: Partial<Settings>): RunRecord[] {
  // An experiment has one adapter; an arm that fixes its own is another experiment, but is compared all the same.
  const bringsOwn = (arm: ArmName) => 'adapter' in ARMS[arm].settings;
  const specs = [arms.filter((arm) => !bringsOwn(arm)), arms.filter(bringsOwn)].flatMap((some) =>
    some.length === 0
      ? []
      : resolveRuns(
          parseExperimentSpec({ preset: 'smoke', arms: some, seeds: [41], overrides: { steps: 1, ...overrides } }),
        ),
  );
  const metrics = headlinesOf(overrides.environment!);
  return specs.map((spec): RunRecord => {
    const value = arms.indexOf(spec.arm) / 100;
    const evaluated = (model: string, x: number) => {
      const figures = Object.fromEntries(metrics.map(({ id }) => [id, x]));
      return { step: 1, kind: 'final', model, all: { n: 1000, figures }, splits: {} } as EvalRow;
    };
    const evals = [evaluated('base', 0.9), evaluated('total', value), evaluated('deployed', value + 0.1)];
    const rows = [{ student: { n: 1, figures: {} }, cinTeacher: null, coutUpdate: null }];
    return { spec, status: 'done', rows, evals } as unknown as RunRecord;
  });
}

it('compares judges with the rubric if explanations were trained without vanilla', () => {
  const table = buildTable(finished(['rubric', 'hasty', 'judge'], { environment: 'explain' }));
  const of = (arm: string) => table.find((row) => row.arm === arm)!;
  expect(of('rubric').verdict).toMatch(/^what the others are compared with/);
  expect(of('hasty').delta.score?.mean).toBeCloseTo(0.01, 12);
  expect(of('judge').delta.score?.mean).toBeCloseTo(0.02, 12);
  expect(of('hasty').verdict).toBe('one seed: no spread to judge by');
  // Other environments have no substitute for vanilla.
  const [, row] = buildTable(finished(['cat'], { environment: 'arithmetic' }));
  expect(row.verdict).toBe('no vanilla run with the same settings: no delta');
});

/** Arms whose reference is not vanilla but a run that differs from them only in the projection. */
const OWN_REFERENCE: Partial<Record<ArmName, ArmName>> = {
  'no_teacher-erase': 'no_teacher',
  'no_teacher-route': 'no_teacher',
  trusted_subspace: 'no_teacher',
  trusted_subspace_random: 'no_teacher',
  trusted_subspace_all: 'no_teacher',
  trusted_subspace_adam: 'no_teacher',
};
const LABELLED_BY_PAIRS: readonly ArmName[] = ['erase', 'route', 'erase-update', 'route-update', 'random_V'];
/** An environment that no embedded model can act in needs an imported one. */
const ownModel = (environment: string): Partial<Settings> =>
  capabilitiesOf(environment)?.needsModel ? { model: 'own' } : {};
const isRoute = (arm: ArmName) => (ARMS[arm] as Arm).projection === 'route';

describe.each(CAPABILITIES.map((capabilities) => ({ ...capabilities, environment: named(capabilities) })))(
  '$id',
  ({ environment, pairSets }) => {
    const cases: [string, ArmName[], Partial<Settings>][] = [
      ['its arms', ARM_NAMES.filter((arm) => isOffered(environment, arm)), { environment, ...ownModel(environment) }],
      ...(pairSets ?? []).map((pairSet): [string, ArmName[], Partial<Settings>] => [
        `arms on the pairs ${pairSet}`,
        ['none', ...LABELLED_BY_PAIRS],
        { environment, pairSet, adapter: 'svd', ...ownModel(environment) },
      ]),
    ];

    it.each(cases)('compares %s with vanilla, and vanilla with nothing', (_what, arms, overrides) => {
      expect(arms).toContain('none');
      const table = buildTable(finished(arms, overrides));
      const metrics = headlinesOf(environment);
      expect(metrics.length).toBeGreaterThan(0);
      for (const arm of arms) {
        const row = table.find((one) => one.arm === arm && one.model === (isRoute(arm) ? 'deployed' : 'total'))!;
        const own = arms.indexOf(arm) / 100 + (isRoute(arm) ? 0.1 : 0);
        const from = arms.indexOf(OWN_REFERENCE[arm] ?? 'none') / 100;
        for (const { id } of metrics)
          if (arm === 'none') expect(row.delta[id]).toBeNull();
          else expect(row.delta[id]?.mean, `${arm}, ${id}`).toBeCloseTo(own - from, 12);
        expect(row.verdict, arm).toBe(
          arm === 'none' ? 'what the others are compared with' : 'one seed: no spread to judge by',
        );
      }
    });

    it('has no difference without vanilla, and says so', () => {
      const arms = ARM_NAMES.filter((arm) => isOffered(environment, arm) && ARMS[arm].projection === 'none');
      for (const arm of arms.filter((one) => one !== 'none')) {
        const row = buildTable(finished([arm], { environment, ...ownModel(environment) })).at(-1)!;
        expect(Object.values(row.delta).every((cell) => cell === null)).toBe(true);
        expect(row.verdict).toBe('no vanilla run with the same settings: no delta');
      }
    });
  },
);

it('every setting has one role, and arms fix no logging settings', () => {
  const roles = (['training', 'intervention', 'projection', 'logging'] as const).map((role) => settingsOf(role));
  expect(roles.flat().sort()).toEqual([...SETTING_NAMES].sort());
  const logging = settingsOf('logging');
  for (const arm of ARM_NAMES) for (const name of Object.keys(ARMS[arm].settings)) expect(logging).not.toContain(name);
  expect(VANILLA_ARMS).toEqual(['none', 'route-update']);
});

describe('the vanilla of a run', () => {
  const runs = [
    runMade({ arm: 'none' }),
    runMade({ arm: 'route-update' }),
    runMade({ arm: 'none', overrides: { lr: 0.01 }, seed: 42 }),
    runMade({ arm: 'no_teacher' }),
    runMade({ arm: 'honest-only' }),
  ];
  const of = (made: MadeRun, among = runs) => vanillaOf(runMade(made).spec, among);

  it('has the same training except what the arm fixes, and is `none` rather than route/update', () => {
    for (const arm of [
      'none',
      'route-update',
      'erase',
      'kl',
      'no_teacher',
      'honest-only',
      'penalty',
      'penalty_70',
      'random_V',
    ] as const)
      expect(of({ arm })).toEqual([runs[0]]);
    expect(of({ arm: 'erase' }, [runs[1]])).toEqual([runs[1]]);
    expect(of({ arm: 'erase', overrides: { lr: 0.01 } })).toEqual([runs[2]]);
    expect(of({ arm: 'erase', overrides: { lr: 0.02 } })).toEqual([]);
  });

  it('has the preset’s values if several would fit', () => {
    const dense = runMade({ arm: 'none', overrides: { mix: 0.5 } });
    expect(of({ arm: 'no_teacher' }, [dense, ...runs])).toEqual([runs[0]]);
    expect(of({ arm: 'no_teacher' }, [dense])).toEqual([dense]);
  });

  it('has the same interventions as a projection, if all arms of the experiment share them', () => {
    const overrides = { rewardPenalty: 2 };
    const penalised = runMade({ arm: 'none', overrides });
    expect(of({ arm: 'erase', overrides }, [...runs, penalised])).toEqual([penalised]);
    const [, vanilla] = buildTable([penalised]);
    expect(vanilla.verdict).toBe('what the others are compared with, itself with reward penalty 2');
  });

  it('ignores settings that have no effect in it', () => {
    const environment = 'chain';
    const plain = runMade({ arm: 'none', overrides: { environment } });
    expect(of({ arm: 'exit', overrides: { environment, kappa: 2 } }, [plain])).toEqual([plain]);
    expect(of({ arm: 'exit', overrides: { environment, temperature: 2 } }, [plain])).toEqual([]);
  });

  it('is in the demo preset of every environment whose demo includes it', () => {
    for (const capabilities of CAPABILITIES) {
      const { arms } = presetIn('demo', named(capabilities));
      expect(arms.some((arm) => VANILLA_ARMS.includes(arm))).toBe(capabilities.id !== 'explain');
    }
  });

  it('is part of another arm’s run if it has no own run', () => {
    expect(vanillaWithin(['erase', 'route-update'])).toBe('route-update');
    expect(vanillaWithin(['erase', 'route-update', 'none'])).toBeNull();
    expect(vanillaWithin(['erase', 'cat'])).toBeNull();
  });
});
