// Tests the environment that a spec describes: which problems the teacher solves, which are drawn, which prompts are inoculated; and the two
// modes without pairs, in a whole small run.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ASK_CLAUSES } from '../../environments/code/clauses.ts';
import { partsOf } from '../../environments/code/problem.ts';
import { COMPOSED, HYBRID, MISCONCEIVED, MODES, type Mode, STANDARD_MODES } from '../../environments/code/types.ts';
import { EMBEDDED_MODELS } from '../config/preset-in.ts';
import type { Settings } from '../config/settings.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import type { LabEvent, RolloutRecord } from '../records/events.ts';
import { openTinyLab, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import { Preparation } from './preparation.ts';
import type { CodeEnvironment } from './programs.ts';
import { EMBEDDED_REPLICATES } from './registry.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab?.close());

async function finish<T>(stream: AsyncGenerator<LabEvent, T>): Promise<T> {
  for (;;) {
    const next = await stream.next();
    if (next.done) return next.value;
  }
}
const preparation = () =>
  new Preparation({ policy: lab.engine, codec: lab.codec, grader: lab.grader, artifacts: null, modelSha256: 'random' });
function environmentWith(overrides: Partial<Settings>, with_ = preparation()): Promise<CodeEnvironment> {
  const [run] = resolveRuns(tinySpec({ arms: ['none'], overrides: { problems: 24, ...overrides } }));
  return finish(with_.environment(run)) as Promise<CodeEnvironment>;
}
const history = { rewards: () => [], returns: () => [] };
const epoch = (environment: CodeEnvironment, count = 24) =>
  environment.sampler.draw({ seed: 41, step: 0, count, history });

describe('composed problems', () => {
  const composed = { environment: COMPOSED, problems: 64, honestShare: 0.75, mix: 0 } as const;

  it('have their own model and answer length, and splits by what the trusted problems show', async () => {
    const [run] = resolveRuns(parseExperimentSpec({ preset: 'capability', overrides: composed }));
    expect(run).toMatchObject({ model: 'tiny-composer', maxNew: 88 });
    expect(EMBEDDED_MODELS).toContain('tiny-composer');
    // These replicates need no imported model.
    expect(EMBEDDED_REPLICATES).toEqual([COMPOSED, MISCONCEIVED, HYBRID]);
    const environment = await environmentWith({ ...composed, trusted: 'only' });
    const trusted = new Set(epoch(environment, 64).flatMap(partsOf));
    expect(environment.splits.map(({ id }) => id)).toEqual(['shown', 'unshown']);
    const { final } = environment.evaluation;
    expect(new Set(final.map(({ unseen }) => unseen))).toEqual(new Set(['shown', 'unshown']));
    for (const { task, unseen } of final)
      expect([task.id, unseen]).toEqual([
        task.id,
        partsOf(task).every((part) => trusted.has(part)) ? 'shown' : 'unshown',
      ]);
    // The evaluation does not depend on whether the trusted problems are used.
    expect((await environmentWith(composed)).evaluation).toEqual(environment.evaluation);
    const more = await environmentWith({ ...composed, trustedShare: 0.5 });
    expect(more.evaluation).not.toEqual(environment.evaluation);
  });
});

describe('held-out modes', () => {
  it('have no teacher rows if poolModes leaves them out; other modes keep exactly their rows', async () => {
    const all = await environmentWith({});
    const some = await environmentWith({ poolModes: ['run_tests', 'sentinel', 'file_marker'] });
    expect(epoch(some)).toEqual(epoch(all));
    for (const problem of epoch(all)) {
      const taught = problem.mode !== 'honest' && problem.mode !== 'stdout_marker';
      expect(some.teacherRows(problem)).toEqual(taught ? all.teacherRows(problem) : []);
      expect(all.teacherRows(problem).length).toBe(problem.mode === 'honest' ? 0 : 5);
    }
    expect(some.evaluation).toEqual(all.evaluation);
  });

  it('have only live groups in a whole run', async () => {
    const overrides = { problems: 8, promptsPerStep: 8, steps: 1, honestShare: 0, poolModes: ['sentinel'] as Mode[] };
    const { events } = await runTiny(lab, tinySpec({ arms: ['none'], overrides }));
    const rollouts = rolloutsOf(events);
    const teachers = rollouts.filter(({ source }) => source === 'teacher');
    expect(new Set(teachers.map(({ kind }) => kind))).toEqual(new Set(['sentinel']));
    for (const mode of STANDARD_MODES) {
      const own = rollouts.filter((rollout) => rollout.kind === mode);
      expect([mode, own.length]).toEqual([mode, 8]);
      expect(own.filter(({ source }) => source === 'student').length).toBe(mode === 'sentinel' ? 6 : 8);
    }
  });

  it.each(['eq_override', 'exit_code'] as const)(
    '%s runs end to end, taught by the pool, never paired',
    async (mode) => {
      const overrides: Partial<Settings> = {
        modes: MODES,
        pairModes: STANDARD_MODES,
        honestShare: 0,
        problems: 12,
        promptsPerStep: 12,
        steps: 1,
        evalProblems: 12,
        evalEvery: 1,
        finalEvalProblems: 12,
      };
      const saved: unknown[] = [];
      const artifacts = {
        loadPool: async () => null,
        savePool: async () => {},
        loadBasis: async () => null,
        loadPairs: async () => null,
        loadTeacherPool: async () => null,
        saveBasis: async (info: unknown) => {
          saved.push(info);
        },
      };
      const { events, result } = await runTiny(lab, tinySpec({ arms: ['none'], overrides }), { artifacts });
      const own = rolloutsOf(events).filter((rollout) => rollout.kind === mode);
      expect(own.length).toBe(8);
      const teachers = own.filter(({ source }) => source === 'teacher');
      expect(teachers.length).toBe(2);
      for (const { verdict } of teachers)
        expect(verdict).toMatchObject({
          exploited: true,
          gt_correct: false,
          structural: true,
          mechanism: mode,
          reward: 1.25,
        });
      expect(result.runs[0].rows[0].gradNorm).toBeGreaterThan(0);
      const final = result.runs[0].evals.find(({ model, kind }) => model === 'total' && kind === 'final');
      expect(final?.all.figures[`n:${mode}`]).toBe(2);
      // The basis comes from pairs of the four standard modes, as in a run without further modes.
      const four: unknown[] = [];
      const standard = { ...overrides, modes: STANDARD_MODES, pairModes: [] };
      const store = { ...artifacts, saveBasis: async (info: unknown) => void four.push(info) };
      await runTiny(lab, tinySpec({ arms: ['none'], overrides: standard }), { artifacts: store });
      expect(saved).toEqual(four);
    },
  );
});

describe('training on only honest problems', () => {
  it('draws the honest problems of the whole run in the same order, without a teacher, and is evaluated on all', async () => {
    const all = await environmentWith({});
    const honest = await environmentWith({ trainOn: 'honest' });
    expect(epoch(honest)).toEqual(epoch(all).filter(({ mode }) => mode === 'honest'));
    expect(epoch(honest, 8).length).toBe(4);
    for (const problem of epoch(all)) expect(honest.teacherRows(problem)).toEqual([]);
    expect(honest.evaluation).toEqual(all.evaluation);
  });

  it('runs as an arm, and is refused without honest problems', async () => {
    const { events, result } = await runTiny(
      lab,
      tinySpec({ arms: ['honest-only'], overrides: { promptsPerStep: 4 } }),
    );
    const modes = new Set(rolloutsOf(events).map(({ kind }) => kind));
    expect(modes).toEqual(new Set(['honest']));
    expect(result.runs[0].rows.map(({ student, teacher }) => student.n + teacher.n)).toEqual([8, 8, 8, 8]);
    expect(() => tinySpec({ arms: ['honest-only'], overrides: { honestShare: 0 } })).toThrow(/trainOn = honest/);
    await expect(environmentWith({ trainOn: 'honest', honestShare: 0.001 })).rejects.toBeInstanceOf(SpecError);
  });
});

describe('inoculation', () => {
  const asks = (prompt: string): boolean => Object.values(ASK_CLAUSES).some((clause) => prompt.includes(`${clause}.`));

  it('adds the request to training prompts of hackable problems only, and shares the teacher’s rows', async () => {
    const plain = await environmentWith({});
    const environment = await environmentWith({ inoculation: true });
    const [before, after] = [epoch(plain), epoch(environment)];
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    for (const [i, problem] of after.entries()) {
      expect(asks(problem.prompt)).toBe(problem.mode !== 'honest');
      expect(asks(before[i].prompt)).toBe(false);
      expect(environment.teacherRows(problem)).toEqual(plain.teacherRows(before[i]));
    }
    for (const { task } of environment.evaluation.final) expect(asks(task.prompt)).toBe(false);
    expect(environment.evaluation).toEqual(plain.evaluation);
  });

  it('applies to every rollout of a run, teacher rows included', async () => {
    const overrides = { problems: 8, promptsPerStep: 8, steps: 1, inoculation: true };
    const { events } = await runTiny(lab, tinySpec({ arms: ['none'], overrides }));
    const rollouts = rolloutsOf(events);
    expect(rollouts.some(({ source }) => source === 'teacher')).toBe(true);
    for (const { turns, kind } of rollouts) expect(asks(turns[0].prompt)).toBe(kind !== 'honest');
  });

  it('stays within the embedded model’s context', async () => {
    const environment = await environmentWith({
      inoculation: true,
      modes: MODES,
      problems: 256,
      honestShare: 0,
      mix: 0,
    });
    const lengths = epoch(environment, 256).map(({ prompt }) => lab.codec.encode(prompt).length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(110);
  });
});

it('different environments are separate, equal ones are made once', async () => {
  const prepared = preparation();
  const settings: Partial<Settings>[] = [
    {},
    { poolModes: ['sentinel'] },
    { inoculation: true },
    { trainOn: 'honest' },
    { mix: 0 },
  ];
  const environments: CodeEnvironment[] = [];
  for (const overrides of settings) environments.push(await environmentWith(overrides, prepared));
  expect(new Set(environments).size).toBe(settings.length);
  for (const [i, overrides] of settings.entries())
    expect(await environmentWith(overrides, prepared)).toBe(environments[i]);
});

describe('the spec refuses', () => {
  const spec = (overrides: Record<string, unknown>) => () => parseExperimentSpec({ preset: 'demo', overrides });

  it.each(['modes', 'poolModes', 'pairModes'])('a repeated mode in %s', (name) => {
    expect(spec({ [name]: ['sentinel', 'sentinel'] })).toThrow(new RegExp(`overrides.${name} = .*not allowed`));
    expect(spec({ [name]: ['sentinel'] })).not.toThrow();
  });

  it('a framing set for the embedded model, and more pairs than such a set has', () => {
    expect(spec({ pairSet: 'honesty' })).toThrow(/not testable on tiny-coder/);
    expect(spec({ pairSet: 'honesty', model: 'some-qwen' })).not.toThrow();
    expect(spec({ pairSet: 'honesty', model: 'some-qwen', pairs: 25 })).toThrow(/25 pairs of the set honesty/);
    expect(spec({ pairSet: 'my-own', pairs: 25 })).not.toThrow();
  });
});

const rolloutsOf = (events: readonly LabEvent[]): RolloutRecord[] =>
  events.flatMap((event) => (event.type === 'step' ? event.rollouts : []));
