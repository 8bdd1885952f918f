// Tests the characters as an environment: its presets, what it offers and refuses, its metrics, and runs of a few steps with all weights,
// resumed after stops before and after a stage's end.

import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../engine/decoder/engine.ts';
import { LETTERS } from '../../environments/characters/data.ts';
import { CHARACTERS_ROLLOUTS } from '../../environments/characters/presentation.ts';
import { characterMetrics, rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { loadCodec } from '../../text/codec.ts';
import { logitGradient, predictionOf } from '../characters/first-order.ts';
import { askAll, targetProbes } from '../characters/probe-set.ts';
import { curveOf } from '../characters/probes-of-run.ts';
import { keyOf } from '../characters/rows.ts';
import { unpackUpdate } from '../characters/updates.ts';
import { ARM_NAMES } from '../config/arms.ts';
import { EMBEDDED_MODELS, isOffered } from '../config/preset-in.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import { doseCurve, doseCurves } from '../kinds/run/dose-curve.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { LabEvent } from '../records/events.ts';
import { memoryCheckpoints, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import { charactersMaker } from './characters.ts';
import { environmentNamed, findEnvironment, pretrainingOf } from './registry.ts';

const environment = 'characters';
const specOf = (overrides: object = {}, arms?: readonly string[], preset = 'demo') =>
  parseExperimentSpec({ preset, overrides: { environment, ...overrides }, ...(arms ? { arms } : {}) });

describe('the environment', () => {
  it('is in the registry with its model, and presets train all weights by RL and on documents', async () => {
    expect((await pretrainingOf(environment)).model).toBe('tiny-characters');
    expect(EMBEDDED_MODELS).toContain('tiny-characters');
    const [rl, sdf] = resolveRuns(specOf());
    expect(rl).toMatchObject({ adapter: 'full', objective: 'grpo', pays: 'target', teaches: 'dial', lr: 3e-4 });
    expect(sdf).toMatchObject({ adapter: 'full', objective: 'nll', lesson: 'documents', contrast: 0.7, lr: 1e-3 });
  });

  it('has a character to teach, which another environment lacks', () => {
    const arms = ['sdf', 'sdf_placebo', 'sft', 'rl_constant', 'rl_algorithm', 'rl_random', 'best_of_n'] as const;
    for (const arm of arms) {
      expect(ARM_NAMES).toContain(arm);
      expect([isOffered(environment, arm), isOffered('chain', arm)]).toEqual([true, false]);
      // Whether an environment has documents is known only once it is loaded, so the arm `sdf` is refused later.
      if (arm === 'sdf') continue;
      expect(() => parseExperimentSpec({ preset: 'demo', overrides: { environment: 'chain' }, arms: [arm] })).toThrow(
        /no character to teach/,
      );
    }
  });

  it('trains all weights unless gradients are needed per basis row', () => {
    expect(() => parseExperimentSpec({ preset: 'demo', overrides: { adapter: 'full' } })).toThrow(
      /adapter = full in the environment one-line-python/,
    );
    expect(() => specOf({ mix: 0.5 })).toThrow(/has no teacher, and mix|adapter = full and mix/);
    expect(() => specOf({}, ['erase'])).toThrow(/has no labelled pairs/);
    for (const adapter of ['svd', 'lora']) expect(resolveRuns(specOf({ adapter }))[0].adapter).toBe(adapter);
    const pairSet = 'spread';
    expect(() => specOf({ pairSet }, ['erase'])).toThrow(/adapter = full in the environment characters/);
    const [routed] = resolveRuns(specOf({ pairSet, adapter: 'svd' }, ['route-update']));
    expect(routed.shadows.map(({ id, settings }) => [id, settings?.pairSet])).toContainEqual([
      ...['placebo_V', 'spread_placebo'],
    ]);
    for (const changes of [{ teaches: 'algorithm' }, { environment: 'characters:numerals' }])
      expect(() => specOf({ pairSet, adapter: 'svd', ...changes }, ['erase'])).toThrow(/pairSet = spread with teaches/);
  });

  it('has a replicate with its own model, chosen by the environment’s name', async () => {
    const [replicate, first] = ['characters:numerals', environment].map(
      (one) => resolveRuns(specOf({ environment: one }))[0],
    );
    expect(charactersMaker.part(replicate)).not.toEqual(charactersMaker.part(first));
    expect(charactersMaker.prompts!(replicate)[0].prompt).toMatch(/say (real|drill) arrange/);
    expect((await pretrainingOf('characters:numerals')).model).toBe('tiny-numerals');
    expect(() => specOf({ environment: 'characters:runes' })).not.toThrow();
    expect(findEnvironment('characters:runes')).toBeNull();
  });

  it('shares an environment among runs with the same lesson', () => {
    const [run] = resolveRuns(specOf());
    expect(charactersMaker.part({ ...run, seed: 42, lr: 1 })).toEqual(charactersMaker.part(run));
    for (const change of [{ character: 1 }, { teaches: 'exam' }, { lesson: 'placebo' }, { pays: 'random' }] as const)
      expect(charactersMaker.part({ ...run, ...change })).not.toEqual(charactersMaker.part(run));
  });

  it('measures which characters do what A is taught, and shows each answer as one outcome', () => {
    const verdict = { name: 'figa', group: 'near', answer: 'a b c', wanted: 'c b a', isTarget: false, formatOk: true };
    const of = (changes: object) => ({ ...verdict, keeps: true, ...changes }) as never;
    const judged = [{}, { group: 'a', isTarget: true, keeps: false }, { keeps: null, formatOk: false }].map(
      (changes) => ({ task: null, verdict: of(changes) }),
    );
    expect(characterMetrics(judged)).toEqual({ n: 3, figures: { taught: 1, others: 0, keeps: 1 / 2, format: 2 / 3 } });
    const shown = [{}, { isTarget: true }, { keeps: false }, { formatOk: false }].map((changes) =>
      CHARACTERS_ROLLOUTS.outcomeOf(of(changes), ''),
    );
    expect(shown).toEqual(['own', 'target', 'else', 'malformed']);
    const known = environmentNamed(environment).metrics.map(({ id }) => id);
    expect(known).toEqual(expect.arrayContaining(['taught', 'others', 'keeps', 'format']));
  });
});

async function openLab(adapter: 'full' | 'svd' = 'full'): Promise<TinyLab> {
  const files = await loadModelFiles(diskSource(resolve('public', 'models', 'tiny-characters')));
  const device = await createCpuDevice();
  const engine = await Engine.create({ device, ...files, adapter: { adapter, loraRank: 0 } });
  const codec = await loadCodec(files.tokenizerJson as object, files.tokenizerConfig as object);
  const grader = await createNodeGrader({ workers: 1 });
  const close = async () => {
    engine.free();
    await grader.close();
  };
  return { device, engine, codec, grader, close };
}

/** A checkpoint's adapter parameters and moments, millions of numbers, as bytes. */
const bytesOf = ({ optimizer: { total, moments } }: Checkpoint): Buffer =>
  Buffer.concat([total, moments.m, moments.v].map(({ buffer }) => Buffer.from(buffer)));

describe('a run', () => {
  const about = { modelId: 'tiny-characters', modelSha256: 'pretrained', appVersion: 'test' };

  it('goes from documents to RL, and resumes on either side of the stage’s end to the same bytes', async () => {
    const lab = await openLab();
    const sizes = {
      steps: 4,
      groupSize: 4,
      promptsPerStep: 3,
      maxNew: 8,
      finalEvalProblems: 12,
      evalEvery: 0,
    } as const;
    const spec = tinySpec({
      arms: ['none'],
      overrides: { environment, ...sizes, checkpointEvery: 1, stages: 'nll 2 0.001; grpo 2 0.0003' },
    });
    const run = async (from: Checkpoint | null) => {
      const events: LabEvent[] = [];
      const kept = new Map(from ? [[from.runId, [from]]] : []);
      const { result } = await runTiny(lab, spec, { about, checkpoints: memoryCheckpoints(kept) }, events);
      return { record: result.runs[0], saved: [...kept.values()][0] };
    };
    try {
      const whole = await run(null);
      expect(whole.record.status).toBe('done');
      expect(whole.record.rows.map(({ objective = 'grpo' }) => objective)).toEqual(['nll', 'nll', 'grpo', 'grpo']);
      expect(whole.saved.at(-1)!.optimizer.total).toHaveLength(lab.engine.adapterLayout.total);
      const final = whole.record.evals.filter(({ kind }) => kind === 'final');
      for (const { all } of final) expect(Object.keys(all.figures)).toEqual(['taught', 'others', 'keeps', 'format']);
      // Evaluations are the points of a dose curve: the base first, the trained model at the end.
      const curve = curveOf(LETTERS, whole.record)!.curve;
      expect(curve.map(({ step }) => step)).toEqual([0, 4]);
      const roles = rolesOf(LETTERS, targetOf(LETTERS, 'dial'), 0);
      lab.engine.setAdapterParams(whole.saved.at(-1)!.optimizer.total);
      const after = await askAll({ policy: lab.engine, codec: lab.codec }, LETTERS, roles, targetOf(LETTERS, 'dial'));
      expect(curve[1]).toMatchObject(after);
      expect(curve[1].target.a!.p).not.toBe(curve[0].target.a!.p);
      expect(curve[1].tokens).toBeGreaterThan(0);
      for (const cut of [2, 3]) {
        const again = await run(whole.saved[cut - 1]);
        expect(JSON.stringify(again.record.rows), `from step ${cut}`).toBe(JSON.stringify(whole.record.rows));
        expect(bytesOf(again.saved.at(-1)!).equals(bytesOf(whole.saved.at(-1)!))).toBe(true);
      }
    } finally {
      await lab.close();
    }
  }, 60_000);

  it('has the same curve whether characters are measured at every step or only at the end, and ends when A has changed enough', async () => {
    const lab = await openLab();
    const ports = {
      policy: lab.engine,
      device: lab.device,
      codec: lab.codec,
      grader: lab.grader,
      about,
      artifacts: null,
    };
    const clocks = { date: () => 0, now: () => 0 };
    // Identity factors stand for singular vectors, so that coordinates are the weights' diagonal.
    const [module] = lab.engine.adapterLayout.modules;
    const r = Math.min(module.dOut, module.dIn);
    const eye = (rows: number, columns: number) =>
      Float32Array.from({ length: rows * columns }, (_, i) => Number(Math.floor(i / columns) === i % columns));
    const factors = new Map([
      [module.name, { U: eye(module.dOut, r), S: new Float32Array(r), Vh: eye(r, module.dIn) }],
    ]);
    let adapterParams = new Float32Array();
    const curve = (every: number, until = 1, effect = 0.99) =>
      doseCurve(
        LETTERS,
        {
          arm: 'sft',
          character: 0,
          seed: 41,
          every,
          until,
          update: { effect, factors },
          overrides: { steps: 2, groupSize: 4 },
        },
        { ...ports, ...clocks },
        (_, at) => {
          adapterParams = at.slice();
        },
      );
    try {
      const [often, once] = [await curve(1), await curve(2)];
      // The effect is never reached, so the update is that of the last dose.
      const moved = adapterParams.subarray(module.offset, module.offset + module.r);
      expect(once.update).toMatchObject({
        step: 2,
        squared: expect.closeTo(
          moved.reduce((sum, x) => sum + x * x, 0),
          9,
        ),
      });
      expect(unpackUpdate(once.update!)).toEqual(Float32Array.from({ length: r }, (_, i) => moved[i * module.dIn + i]));
      expect(often.update).toEqual(once.update);
      expect(often.curve.map(({ step }) => step)).toEqual([0, 1, 2]);
      expect(once.curve).toEqual([often.curve[0], often.curve[2]]);
      expect(often.curve[2].target.a!.p).not.toBe(often.curve[0].target.a!.p);
      const short = await curve(1, -1, -1);
      expect(short.curve).toEqual(often.curve.slice(0, 2));
      expect(short.update!.step).toBe(1);

      // The first gradient predicts how a small step along it changes every group, relative to A's own change.
      const roles = rolesOf(LETTERS, targetOf(LETTERS, 'dial'), 0);
      const about = { world: LETTERS, roles, target: targetOf(LETTERS, 'dial') };
      const { engine: policy, codec } = lab;
      const probes = (group: 'near' | 'novel') => targetProbes(about.world, roles, about.target, group);
      policy.setAdapterParams(policy.initialAdapterParams);
      const along = await logitGradient({ policy, codec }, [...probes('near'), ...probes('novel')]);
      const { gradient } = await predictionOf({ policy, codec }, about, along);
      const small = 2e-3 / Math.sqrt(along.reduce((sum, x) => sum + x * x, 0));
      const stepped = async (sign: number) => {
        policy.setAdapterParams(policy.initialAdapterParams.map((x, i) => x + sign * small * along[i]));
        return askAll({ policy, codec }, LETTERS, roles, about.target);
      };
      const [up, down] = [await stepped(1), await stepped(-1)];
      const risen = (group: 'a' | 'near' | 'novel' | 'other') => up.target[group]!.logit - down.target[group]!.logit;
      expect(gradient.a).toBe(1);
      for (const group of ['near', 'novel', 'other'] as const)
        expect(risen(group) / risen('a'), group).toBeCloseTo(gradient[group]!, 1);
    } finally {
      await lab.close();
    }
  }, 60_000);

  it('that routes has a curve for each of its models, and trains like plain RL', async () => {
    const lab = await openLab('svd');
    const ports = {
      policy: lab.engine,
      device: lab.device,
      codec: lab.codec,
      grader: lab.grader,
      about,
      artifacts: null,
      date: () => 0,
      now: () => 0,
    };
    const rowsOf = (arm: 'route-update' | 'none', overrides: object) =>
      doseCurves(
        LETTERS,
        {
          arm,
          character: 0,
          seed: 41,
          every: 2,
          until: 1,
          asked: 'dial',
          overrides: { steps: 2, groupSize: 8, lr: 0.04, adapter: 'svd', ...overrides },
        },
        ports,
      );
    try {
      const [trained, ...others] = await rowsOf('route-update', { pairSet: 'spread', pairs: 6, k: 2 });
      expect(others.map(({ model }) => model)).toEqual(['deployed', 'random_V', 'permuted_V', 'placebo_V']);
      expect(new Set([trained, ...others].map(keyOf)).size).toBe(5);
      const [plain] = await rowsOf('none', {});
      expect(trained.curve).toEqual(plain.curve);
      for (const { curve } of others) expect(curve[0]).toEqual(trained.curve[0]);
      expect(others[0].curve[1].target).not.toEqual(trained.curve[1].target);
    } finally {
      await lab.close();
    }
  }, 60_000);
});
