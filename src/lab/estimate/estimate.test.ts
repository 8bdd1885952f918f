import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { parseExperimentSpec, resolveExperiment, resolveRuns } from '../../experiments/config/spec.ts';
import { memorySource } from '../../storage/sources.ts';
import type { Equipped } from '../equipment/equipment.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { closeTestLabs, openedLab as lab, memoryWorkers, TEST_MODEL, testModelFolder } from '../testing/lab.ts';
import { Estimator, secondsOf, timeOn } from './estimate.ts';
import { misfitOf, needOf } from './memory.ts';

const small = { maxNew: 24, problems: 8, evalProblems: 2, finalEvalProblems: 4, checkpointEvery: 1, pairs: 8, k: 2 };
const spec = (overrides: Record<string, unknown> = {}) =>
  parseExperimentSpec({ preset: 'smoke', arms: ['none'], device: 'cpu', overrides: { ...small, ...overrides } });
const ended = (event: WorkerEvent) =>
  event.type === 'experiment' && !['waiting', 'running'].includes(event.summary.status);

afterEach(closeTestLabs);

/** Upper bound of estimate over measurement: completions end before their limit and prompts are shorter than the longest. */
const MEMORY_FACTOR = 1.6;

describe('estimate', () => {
  it(`bounds the memory of a run, by less than ${MEMORY_FACTOR}, and corrects its time by its steps`, async () => {
    const { session, equipment, records, until } = await lab();
    await equipment.open('cpu');
    const before = await session.estimate(spec());
    expect(before.misfit).toBeNull();
    expect(before.corrected).toBe(false);
    expect(before.seconds?.total).toBeGreaterThan(3 * before.seconds!.perStep);
    // The pairs' gradients and the untrained model's evaluation come before the first step.
    expect(before.seconds?.preparing).toBeGreaterThan(0);
    expect(before.seconds?.total).toBeGreaterThan(before.seconds!.preparing + 3 * before.seconds!.perStep);

    await session.start('x', spec());
    await until(ended);
    const { peak } = equipment.current!.chosen.device.memory();
    expect(peak).toBeLessThanOrEqual(1.05 * before.memory.total);
    expect(before.memory.total).toBeLessThan(MEMORY_FACTOR * peak);

    const [run] = await records.runs(await records.experiment('x'));
    expect(before.seconds!.perStep).toBeGreaterThan(0);
    const after = await session.estimate(spec());
    expect(after.corrected).toBe(true);
    expect(after.seconds?.preparing).not.toBe(before.seconds!.preparing);
    // The estimate was corrected by three steps, so it is among them.
    const steps = run.timings.map(({ total, phases }) => total - (phases.evaluate ?? 0));
    expect(after.seconds!.perStep).toBeGreaterThanOrEqual(0.99 * Math.min(...steps));
    expect(after.seconds!.perStep).toBeLessThanOrEqual(1.01 * Math.max(...steps));
  });

  it('estimates a step’s time beside another run, and learns it from one', async () => {
    const none = undefined;
    const { session, equipment, records, until } = await lab(none, none, none, none, none, none, none, memoryWorkers());
    await equipment.open('cpu');
    const { device } = equipment.current!.chosen;
    const limits: number[] = [];
    Object.defineProperties(device, {
      threads: { get: () => 2 },
      limitThreads: { value: (count: number) => void limits.push(count) },
    });
    const two = parseExperimentSpec({ preset: 'smoke', arms: ['none', 'erase'], device: 'cpu', overrides: small });
    await session.estimate(two);
    // Each of two workers has one of two cores; the measurement restores the limit.
    expect(limits).toEqual([1, 2]);
    await session.start('x', two);
    expect(await until(ended)).toMatchObject({ summary: { status: 'done', runsDone: 2 } });
    const { perStep } = (await session.estimate(two)).seconds!;
    const steps = (await records.runs(await records.experiment('x'))).flatMap(({ timings }) =>
      timings.map(({ total, phases }) => total - (phases.evaluate ?? 0)),
    );
    // A run's last step may have been alone, on both cores.
    expect(perStep).toBeGreaterThanOrEqual(0.99 * Math.min(...steps));
    expect(perStep).toBeLessThanOrEqual((1.01 * Math.max(...steps)) / timeOn(2));
  });

  it.each([
    ['plain', 1.2, 0.847],
    ['fused', 1.02, 0.689],
  ])('knows what a second thread saves, as recorded in bench/RESULTS.md: %s', (_, one, both) => {
    expect(timeOn(2) * one).toBeGreaterThan(0.95 * both);
    expect(timeOn(2) * one).toBeLessThan(1.05 * both);
    // Two runs side by side for 40 steps, and the longer one alone for 20 more.
    const recorded = 40 * one + 20 * both;
    const said = secondsOf([60 * one, 40 * one], 2, (atWork) => (atWork === 2 ? 1 : timeOn(2)));
    expect(said / recorded).toBeGreaterThan(0.95);
    expect(said / recorded).toBeLessThan(1.05);
  });

  it('estimates a step’s time from the recorded rounds of a busy machine', async () => {
    // Milliseconds of processor time on one thread, tiny-coder on the CPU that does not fuse, beside six other programs on two cores.
    const recorded = {
      prefill: [29.7, 18.4, 25.4, 19.4, 21.3, 23.0, 12.1, 25.9],
      whole: [198.6, 156.9, 174.6, 145.9, 137.0, 194.2, 94.9, 131.7],
      prefillFew: [26.3, 26.6, 30.0, 22.2, 19.5, 11.9, 12.4, 24.7],
      few: [137.0, 140.6, 71.3, 67.3, 56.4, 29.1, 29.2, 50.1],
      score: [295.8, 370.6, 316.7, 289.2, 307.3, 168.4, 295.0, 307.3],
      grade: [1.0, 1.5, 0.6, 0.7, 1.1, 0.6, 1.1, 0.6],
    };
    // The demo's step on one thread of the same machine at rest (bench/RESULTS.md).
    const taken = 1.2;
    let now = 0;
    const rounds = Object.fromEntries(Object.entries(recorded).map(([part, times]) => [part, times.values()]));
    const spend = (part: keyof typeof recorded) => {
      now += rounds[part].next().value ?? 0;
    };
    const { equipment } = await lab();
    await equipment.open('cpu');
    const { current } = equipment;
    let isFirst = true;
    const policy = Object.create(current!.policy, {
      setAdapterParams: { value: () => {} },
      generate: {
        value: async ({ sequences, maxNew }: { sequences: unknown[]; maxNew: number }) => {
          const isFew = sequences.length < 32;
          // The call before the rounds compiles, and is not recorded.
          if (!isFirst) spend(maxNew === 1 ? (isFew ? 'prefillFew' : 'prefill') : isFew ? 'few' : 'whole');
          isFirst = false;
          return sequences.map(() => ({ tokens: new Array(maxNew).fill(0) }));
        },
      },
      score: {
        value: async () => {
          spend('score');
          return { backward: async () => [], free: () => {} };
        },
      },
    });
    const grader = Object.create(current!.grader, { grade: { value: async () => spend('grade') } });
    const recordedLab = { ...current!, policy, grader } as Equipped;
    const demo = resolveExperiment(parseExperimentSpec({ preset: 'demo', arms: ['route-update'], device: 'cpu' }));
    const estimator = new Estimator(() => now);
    await estimator.measure(recordedLab, demo.runs);
    const { perStep } = estimator.estimate(demo, recordedLab).seconds!;
    expect(perStep).toBeGreaterThan(0.7 * taken);
    expect(perStep).toBeLessThan(1.3 * taken);
  });

  it('counts each evaluated model, and that an episode of several turns uses little of its limit', async () => {
    const { session, equipment } = await lab();
    await equipment.open('cpu');
    const of = async (overrides: Record<string, unknown>) => (await session.estimate(spec(overrides))).seconds!;
    const [seldom, often] = [await of({ steps: 8, evalEvery: 0 }), await of({ steps: 8, evalEvery: 1 })];
    const { preparing, total } = seldom;
    // Each evaluation adds 0.03 s to its answers, which count as well.
    expect(often.total - often.preparing - (total - preparing)).toBeGreaterThan(8 * 0.03);
    const [one, four] = [await of({ maxNew: 96 }), await of({ maxNew: 24, maxTurns: 4 })];
    expect(four.perStep).toBeLessThan(one.perStep);
  });

  it('includes the costs of methods: trusted prompts, and a router’s separate passes of each rollout', async () => {
    const { session, equipment } = await lab();
    await equipment.open('cpu');
    const of = async (arm: string) =>
      (await session.estimate(parseExperimentSpec({ preset: 'smoke', arms: [arm], overrides: { ...small, mix: 0 } })))
        .seconds!.perStep;
    // Consensus runs a third program for each answer.
    expect(await of('consensus')).toBeGreaterThan(await of('none'));
    // agem adds four trusted prompts to the step’s two.
    expect((await of('agem')) / (await of('none'))).toBeCloseTo(3, 1);
    const random = await of('blocks_random');
    expect((await of('router')) / random).toBeGreaterThan(2);
    expect((await of('blocks_gradient')) / random).toBeGreaterThan(1.2);
  });

  it('refuses an absurd group before any training, with numbers and a remedy that fits', async () => {
    const { session, equipment, until, records, events } = await lab();
    const absurd = spec({ groupSize: 256, promptsPerStep: 1024, problems: 1024, maxNew: 200 });
    await equipment.open('cpu');
    const { misfit, seconds } = await session.estimate(absurd);
    expect(seconds).toBeNull();
    expect(misfit?.message).toMatch(
      /^does not fit: 1024 prompts × 256 rollouts of up to 200 tokens need [\d.]+ GB of memory, and the device has 4\.29 GB\.$/,
    );
    const most = Number(/prompts per step to at most (\d+)/.exec(misfit?.remedy ?? '')?.[1]);
    expect(most).toBeGreaterThan(0);
    const at = async (promptsPerStep: number) =>
      (await session.estimate(spec({ groupSize: 256, promptsPerStep, problems: 1024, maxNew: 200 }))).misfit;
    expect(await at(most)).toBeNull();
    expect(await at(most + 1)).not.toBeNull();

    await session.start('x', absurd);
    await until(ended);
    const record = await records.experiment('x');
    expect(record).toMatchObject({ status: 'failed', stepsDone: 0, error: misfit });
    expect(events.some((event) => event.type === 'lab')).toBe(false);
  });

  it('refuses completions beyond the model’s positions', async () => {
    const { session } = await lab();
    const { misfit } = await session.estimate(spec({ maxNew: 32_000 }));
    expect(misfit?.message).toMatch(/does not fit: a prompt of \d+ tokens and a completion of 32000 .* 512 positions/);
    const most = Number(/at most (\d+) tokens/.exec(misfit?.remedy ?? '')?.[1]);
    expect((await session.estimate(spec({ maxNew: most }))).misfit).toBeNull();
    expect((await session.estimate(spec({ maxNew: most + 1 }))).misfit).not.toBeNull();
    // Prompt lengths follow the run’s own template.
    const chatTemplate = '{% for i in range(600) %}{{ word }} {% endfor %}{{ messages[0].content }}';
    const long = await session.estimate(spec({ chatTemplate, chatArgs: '{"word":"and"}' }));
    expect(long.misfit?.message).toMatch(/does not fit: a prompt of [6-9]\d\d tokens/);
  });

  it.each([
    ['model', 'qwen', /^model = "qwen", but .* is loaded/],
    ['environment', 'gsm8k', /^environment = "gsm8k"/],
  ])('refuses another %s than it has, before anything is trained', async (name, value, message) => {
    const { session, until, records } = await lab();
    const foreign = spec({ [name]: value });
    const { misfit } = await session.estimate(foreign);
    expect(misfit?.message).toMatch(message);
    await session.start('x', foreign);
    await until(ended);
    expect(await records.experiment('x')).toMatchObject({ status: 'failed', stepsDone: 0, error: misfit });
  });

  it.each([
    ['tiny-chain', true],
    ['of-other-hands', false],
  ])('says the time on %s, which has no adapter yet: %s', async (id, isSoon) => {
    const { session, equipment } = await lab();
    await equipment.open('cpu');
    await equipment.use({ id, source: memorySource(testModelFolder(TEST_MODEL, 2)) });
    expect(equipment.current!.adapter).toBeNull();
    // The gradients of all weights have one segment.
    const { seconds } = await session.estimate(spec({ model: id, environment: 'chain', adapter: 'full' }));
    expect(equipment.current!.model.id).toBe(id);
    expect(equipment.current!.adapter?.adapter).toBe(isSoon ? 'full' : undefined);
    if (isSoon) expect(seconds!.perStep).toBeGreaterThan(0);
    else expect(seconds).toBeNull();
  });

  it('measures nothing while an experiment runs', async () => {
    const { session, until } = await lab();
    await session.start('x', spec({ steps: 1 }));
    await until((event) => event.type === 'lab');
    expect((await session.estimate(spec())).seconds).toBeNull();
    await until(ended);
  });

  it('yields to an experiment, which begins when the measurement has ended', async () => {
    const { session, equipment, until, records } = await lab();
    await equipment.open('cpu');
    const measuring = session.estimate(spec()).then(
      () => 'measured',
      (error: unknown) => error,
    );
    await session.start('x', spec({ steps: 1 }));
    expect(await measuring).toBeInstanceOf(StoppedError);
    expect(await until(ended)).toMatchObject({ summary: { status: 'done' } });
    const [run] = await records.runs(await records.experiment('x'));

    const quiet = await lab();
    await quiet.session.start('x', spec({ steps: 1 }));
    await quiet.until(ended);
    expect(run.rows).toEqual((await quiet.records.runs(await quiet.records.experiment('x')))[0].rows);
  });
});

describe('misfitOf', () => {
  it('plans for every turn of an episode, and for the stages of another objective', () => {
    // On a GPU, a rollout of one turn stores nothing for its score.
    const need = (overrides: Record<string, unknown>) =>
      needOf(resolveRuns(spec(overrides)), TEST_MODEL, 100, 'webgpu');
    const [one, three] = [need({}), need({ maxTurns: 3 })];
    expect(three.keyValues).toBeGreaterThan(one.keyValues);
    expect(three.activations).toBeGreaterThan(one.activations);
    expect(need({ maxTurns: 1, maxTokens: 100 })).toEqual(one);
    for (const objective of ['nll', 'distill'])
      expect(need({ objective }).activations).toBeGreaterThan(one.activations);

    const limits = { maxBindingBytes: Number.POSITIVE_INFINITY, maxTotalBytes: Number.POSITIVE_INFINITY };
    const most = TEST_MODEL.maxPositions - 100;
    const long = (maxTokens: number) =>
      misfitOf(resolveExperiment(spec({ maxTurns: 3, maxTokens })), TEST_MODEL, 100, 'cpu', limits);
    expect(long(most)).toBeNull();
    expect(long(most + 1)?.message).toContain(`an episode of ${most + 1}`);
    expect(long(most + 1)?.remedy).toBe(`Set the max episode length to at most ${most} tokens.`);
  });

  it('reports what a GPU cannot bind', () => {
    const big = spec({ groupSize: 64, promptsPerStep: 64, problems: 64 });
    const need = needOf(resolveRuns(big), TEST_MODEL, 100, 'webgpu');
    const limits = { maxBindingBytes: need.largest, maxTotalBytes: Number.POSITIVE_INFINITY };
    expect(misfitOf(resolveExperiment(big), TEST_MODEL, 100, 'webgpu', limits)).toBeNull();
    // Rollouts can be sampled in smaller parts; a batch that is scored together is never split.
    const smaller = { ...limits, maxBindingBytes: Math.floor(need.largest / 8) };
    const misfit = misfitOf(resolveExperiment(big), TEST_MODEL, 100, 'webgpu', smaller);
    expect(misfit?.message).toMatch(/one buffer of [\d.]+ MB, and the device binds at most [\d.]+ MB/);
    expect(misfit?.remedy).toMatch(/at most \d+, or choose the CPU device/);
    expect(() => {
      throw new SpecError(misfit!.message, misfit!.remedy);
    }).toThrow(/does not fit/);
  });
});
