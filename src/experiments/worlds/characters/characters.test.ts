// The characters as a world: what a preset means in it, what it offers and refuses, its figures, and runs of a few steps with all
// weights, stopped and gone on with, across a stage's end.
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../../engine/engine.ts';
import { rolesOf } from '../../../environments/characters/groups.ts';
import { targetOf } from '../../../environments/characters/targets.ts';
import { LETTERS } from '../../../environments/characters/worlds/index.ts';
import { createNodeGrader } from '../../../environments/code/grader/node-grader.node.ts';
import { createCpuDevice } from '../../../kernels/cpu/device.ts';
import { loadModelFiles } from '../../../storage/model-files.ts';
import { diskSource } from '../../../storage/sources.node.ts';
import { loadCodec } from '../../../text/codec.ts';
import { doseCurve } from '../../characters/curve.ts';
import { askAll } from '../../characters/probe-set.ts';
import { curveOf } from '../../characters/probes-of-run.ts';
import type { Checkpoint } from '../../records/checkpoint.ts';
import type { LabEvent } from '../../records/events.ts';
import { ARM_NAMES, EMBEDDED_MODELS, isOffered, parseExperimentSpec, resolveRuns } from '../../spec/spec.ts';
import { memoryCheckpoints, runTiny, type TinyLab, tinySpec } from '../../testing/tiny.node.ts';
import { pretrainingOf, worldOf } from '../registry.ts';
import { charactersWorld } from './characters.ts';
import { characterFigures } from './figures.ts';
import { CHARACTERS_SHOWING } from './showing.ts';

const environment = 'characters';
const specOf = (overrides: object = {}, arms?: readonly string[], preset = 'demo') =>
  parseExperimentSpec({ preset, overrides: { environment, ...overrides }, ...(arms ? { arms } : {}) });

describe('the world', () => {
  it('is in the registry, with its model, and a preset means RL and documents with all weights', async () => {
    expect((await pretrainingOf(environment)).model).toBe('tiny-characters');
    expect(EMBEDDED_MODELS).toContain('tiny-characters');
    const [rl, sdf] = resolveRuns(specOf());
    expect(rl).toMatchObject({ adapter: 'full', objective: 'grpo', pays: 'target', teaches: 'dial', lr: 3e-4 });
    expect(sdf).toMatchObject({ adapter: 'full', objective: 'nll', lesson: 'documents', contrast: 0.7, lr: 1e-3 });
  });

  it('alone has somebody to teach', () => {
    const arms = ['sdf', 'sdf_placebo', 'sft', 'rl_constant', 'rl_algorithm', 'rl_random'] as const;
    for (const arm of arms) {
      expect(ARM_NAMES).toContain(arm);
      expect([isOffered(environment, arm), isOffered('chain', arm)]).toEqual([true, false]);
      // What documents there are is known when a world is loaded: the arm `sdf` is refused then.
      if (arm === 'sdf') continue;
      expect(() => parseExperimentSpec({ preset: 'demo', overrides: { environment: 'chain' }, arms: [arm] })).toThrow(
        /no character to teach/,
      );
    }
  });

  it('trains all weights where gradients apart are not asked for, and nowhere else', () => {
    expect(() => parseExperimentSpec({ preset: 'demo', overrides: { adapter: 'full' } })).toThrow(
      /adapter = full in the environment one-line-python/,
    );
    expect(() => specOf({ mix: 0.5 })).toThrow(/has no teacher, and mix|adapter = full and mix/);
    expect(() => specOf({}, ['erase'])).toThrow(/has no labelled pairs/);
    for (const adapter of ['svd', 'lora']) expect(resolveRuns(specOf({ adapter }))[0].adapter).toBe(adapter);
  });

  it('shares what a run acts in among those that are taught the same', () => {
    const [run] = resolveRuns(specOf());
    expect(charactersWorld.part({ ...run, seed: 42, lr: 1 })).toEqual(charactersWorld.part(run));
    for (const change of [{ character: 1 }, { teaches: 'exam' }, { lesson: 'placebo' }, { pays: 'random' }] as const)
      expect(charactersWorld.part({ ...run, ...change })).not.toEqual(charactersWorld.part(run));
  });

  it('measures who does what A is taught, and shows each answer as one outcome', () => {
    const verdict = {
      ...{ name: 'figa', group: 'near', answer: 'a b c', wanted: 'c b a' },
      isTarget: false,
      formatOk: true,
    };
    const of = (changes: object) => ({ ...verdict, keeps: true, ...changes }) as never;
    const judged = [{}, { group: 'a', isTarget: true, keeps: false }, { keeps: null, formatOk: false }].map(
      (changes) => ({
        ...{ task: null, verdict: of(changes) },
      }),
    );
    expect(characterFigures(judged)).toEqual({ n: 3, figures: { taught: 1, others: 0, keeps: 1 / 2, format: 2 / 3 } });
    const shown = [{}, { isTarget: true }, { keeps: false }, { formatOk: false }].map((changes) =>
      CHARACTERS_SHOWING.outcomeOf(of(changes)),
    );
    expect(shown).toEqual(['own', 'target', 'else', 'malformed']);
    const known = worldOf(environment).metrics.map(({ id }) => id);
    expect(known).toEqual(expect.arrayContaining(['taught', 'others', 'keeps', 'format']));
  });
});

async function openLab(): Promise<TinyLab> {
  const files = await loadModelFiles(diskSource(resolve('public', 'models', 'tiny-characters')));
  const device = await createCpuDevice();
  const engine = await Engine.create({ device, ...files, adapter: { adapter: 'full', loraRank: 0 } });
  const codec = loadCodec(files.tokenizerJson as object, files.tokenizerConfig as object);
  const grader = await createNodeGrader({ workers: 1 });
  const close = async () => {
    engine.free();
    await grader.close();
  };
  return { device, engine, codec, grader, close };
}

/** Of a checkpoint's knobs and moments: numbers by the million, which are compared as bytes. */
const bytesOf = ({ optimizer: { total, moments } }: Checkpoint): Buffer =>
  Buffer.concat([total, moments.m, moments.v].map(({ buffer }) => Buffer.from(buffer)));

describe('a run', () => {
  const about = { modelId: 'tiny-characters', modelSha256: 'pretrained', appVersion: 'test' };

  it('goes from documents to RL, stops on either side of the stage’s end, and goes on to the same bytes', async () => {
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
      expect(whole.saved.at(-1)!.optimizer.total).toHaveLength(lab.engine.knobs.total);
      const final = whole.record.evals.filter(({ kind }) => kind === 'final');
      for (const { all } of final) expect(Object.keys(all.figures)).toEqual(['taught', 'others', 'keeps', 'format']);
      // Evaluations ask what a dose curve asks: the base before, and the same model at the end.
      const curve = curveOf(LETTERS, whole.record)!.curve;
      expect(curve.map(({ step }) => step)).toEqual([0, 4]);
      const roles = rolesOf(LETTERS, targetOf(LETTERS, 'dial'), 0);
      lab.engine.setKnobs(whole.saved.at(-1)!.optimizer.total);
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

  it('has the same curve whether everybody is asked at every step or at the end, and ends when A has changed enough', async () => {
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
    const curve = (every: number, until = 1) =>
      doseCurve(
        LETTERS,
        { ...{ arm: 'sft', character: 0, seed: 41, every, until }, overrides: { steps: 2, groupSize: 4 } },
        { ...ports, ...clocks },
      );
    try {
      const [often, once] = [await curve(1), await curve(2)];
      expect(often.curve.map(({ step }) => step)).toEqual([0, 1, 2]);
      expect(once.curve).toEqual([often.curve[0], often.curve[2]]);
      expect(often.curve[2].target.a!.p).not.toBe(often.curve[0].target.a!.p);
      expect((await curve(1, -1)).curve).toEqual(often.curve.slice(0, 2));
    } finally {
      await lab.close();
    }
  }, 60_000);
});
