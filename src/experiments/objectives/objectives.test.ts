// Tests nll and distill in the loop, and runs of several stages, on the real engine with a small random model.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DistillPair, Policy } from '../../engine/types.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { stagesOf } from '../config/stages.ts';
import type { TrainPorts } from '../loop/train.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { LabEvent, RunRecord } from '../records/events.ts';
import type { EnvironmentDocument } from '../step/environment.ts';
import { SamplerMemory } from '../step/history.ts';
import { ModelMeter } from '../step/models.ts';
import { PhaseClock } from '../step/phases.ts';
import { gradeOf, type Talk, type TalkEnvironment, talkEnvironment, talkSpec, trainTalk } from '../testing/talk.ts';
import { openTinyLab, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import { distill } from './distill.ts';
import { drawDocuments } from './nll.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab?.close());

const ask = (text: string) => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;
/** Transcripts whose question is context, and one text that is trained whole. */
const documents: EnvironmentDocument[] = [
  ...['return a + b', 'return a * b', 'return len(a)', 'return sum(a)', 'return a[0]'].map((answer, i) => ({
    id: `transcript ${i}`,
    parts: [
      { text: ask(`say ${i}`), isTrained: false },
      { text: `${answer}<|im_end|>`, isTrained: true },
    ],
  })),
  { id: 'text', parts: [{ text: 'def f(a, b):\n    return a - b\n', isTrained: true }] },
];
const taught = (changes: Partial<TalkEnvironment> = {}): TalkEnvironment =>
  talkEnvironment({ documents, demonstrations: (task) => [ask(`say ${task}, as in: aaa bbb`)], ...changes });
const deterministic = ({ timings: _, ...rest }: RunRecord) => rest;
const checkpointSteps = (kept: Map<string, Checkpoint[]>) => kept.get('test/none/41')!.map(({ step }) => step);

describe('nll', () => {
  it('lowers the loss, which starts at the untrained model’s, and samples nothing', async () => {
    const spec = talkSpec({ objective: 'nll', steps: 8, lr: 0.1, promptsPerStep: 3, groupSize: 2 });
    const { record, events } = await trainTalk(lab, spec, { environment: taught() });
    const { rows } = record;
    lab.engine.setAdapterParams(lab.engine.initialAdapterParams);
    let [nats, tokens] = [0, 0];
    for (const { parts } of documents) {
      const ids = parts.map(({ text }) => lab.codec.encode(text));
      const [prompt, completion] = parts.length > 1 ? ids : [ids[0].slice(0, 1), ids[0].slice(1)];
      const scored = await lab.engine.score([{ prompt, completion, segment: 0 }], 1);
      scored.free();
      nats -= scored.logprobs[0].reduce((sum, x) => sum + x, 0);
      tokens += completion.length;
    }
    expect(rows[0]).toMatchObject({ objective: 'nll', documents: { n: 6, tokens }, reward: null, rolloutTokens: 0 });
    expect(rows[0].loss).toBeCloseTo(nats / tokens, 4);
    expect(rows[7].loss).toBeLessThan(0.8 * rows[0].loss);
    for (const { gradNorm, entropy, fracRewardZeroStd, student } of rows) {
      expect(gradNorm).toBeGreaterThan(0);
      expect(entropy).toBeGreaterThan(0);
      expect([fracRewardZeroStd, student.n]).toEqual([0, 0]);
    }
    for (const event of events) if (event.type === 'step') expect(event.rollouts).toEqual([]);
  });

  it('trains on each group’s reference if the environment has references and no documents', async () => {
    const spec = talkSpec({ objective: 'nll', steps: 6, lr: 0.1, promptsPerStep: 3, groupSize: 2 });
    const documentOf = (task: number) => documents[task % 5];
    const { record, events } = await trainTalk(lab, spec, { environment: talkEnvironment({ documentOf }) });
    const { rows } = record;
    expect(rows[0]).toMatchObject({ objective: 'nll', documents: { n: 3 }, student: { n: 6 } });
    expect(rows[5].loss).toBeLessThan(0.9 * rows[0].loss);
    for (const event of events) if (event.type === 'step') expect(event.rollouts).toHaveLength(6);
    // If no group has a reference text, the step trains nothing and reports that.
    const { record: silent } = await trainTalk(
      lab,
      { ...spec, steps: 1 },
      { environment: talkEnvironment({ documentOf: () => null }) },
    );
    expect(silent.rows[0]).toMatchObject({ documents: { n: 0, tokens: 0 }, loss: 0, gradNorm: 0 });
  });

  it('cuts documents longer than the model’s positions, and trains every token', async () => {
    const text = Array.from({ length: 300 }, (_, i) => `x${i % 10}`).join(' ');
    const long = [{ id: 'long', parts: [{ text, isTrained: true }] }];
    const length = lab.codec.encode(text).length;
    expect(length).toBeGreaterThan(lab.engine.config.maxPositions);
    const spec = talkSpec({ objective: 'nll', steps: 1, promptsPerStep: 1, groupSize: 2 });
    const { record } = await trainTalk(lab, spec, { environment: taught({ documents: long }) });
    expect(record.rows[0].documents).toEqual({ n: 2, tokens: 2 * (length - 1) });
  });

  it('draws every document once an epoch, in an order that depends only on seed and epoch', () => {
    const items = Array.from({ length: 7 }, (_, i) => i);
    const at = (step: number) => drawDocuments(items, { seed: 41, step, count: 3 });
    const all = Array.from({ length: 7 }, (_, step) => at(step)).flat();
    for (const epoch of [0, 1, 2]) expect(all.slice(7 * epoch, 7 * epoch + 7).toSorted()).toEqual(items);
    expect(all.slice(0, 7)).not.toEqual(all.slice(7, 14));
    expect(drawDocuments(items, { seed: 42, step: 0, count: 7 })).not.toEqual(all.slice(0, 7));
  });
});

describe('replay beside RL', () => {
  const spec = talkSpec({ steps: 1, lr: 0.1, promptsPerStep: 3, groupSize: 2, contrast: 0.5 });
  const first = async (environment: TalkEnvironment, changes: Partial<RunSpec> = {}) => {
    const { record, optimizer } = await trainTalk(lab, { ...spec, ...changes }, { environment });
    return { row: record.rows[0], m: optimizer.moments.m };
  };

  it('weighs RL’s gradient by 1 − contrast and the texts’ by contrast, and counts the texts', async () => {
    const paid = talkEnvironment({});
    const [rl, both, texts] = [
      await first(paid),
      await first(talkEnvironment({ replay: documents })),
      await first(talkEnvironment({ documents }), { objective: 'nll', promptsPerStep: 3, groupSize: 1 }),
    ];
    expect(both.row).toMatchObject({ documents: { n: 3 }, reward: rl.row.reward, rolloutTokens: rl.row.rolloutTokens });
    expect(both.row.documents!.tokens).toBe(texts.row.documents!.tokens);
    for (const { m } of [rl, texts]) expect(Math.max(...m.map(Math.abs))).toBeGreaterThan(1e-3);
    for (const i of both.m.keys()) expect(both.m[i]).toBeCloseTo(0.5 * rl.m[i] + 0.5 * texts.m[i], 6);
    // If every group is flat, only the texts are trained on, with their weight.
    const flat = {
      id: 'flat',
      score: async (groups: readonly { rollouts: readonly unknown[] }[]) =>
        groups.map(({ rollouts }) => rollouts.map(() => ({ reward: 1, verdict: gradeOf(1) }))),
    };
    const alone = await first(talkEnvironment({ replay: documents, reward: flat }));
    expect(alone.row).toMatchObject({ fracRewardZeroStd: 1, loss: 0, documents: { n: 3 } });
    for (const i of alone.m.keys()) expect(alone.m[i]).toBeCloseTo(0.5 * texts.m[i], 6);
  });

  it('resumes to the same bytes with several inner epochs after a stage of documents', async () => {
    const staged = talkSpec({ stages: 'nll 2; grpo 2', checkpointEvery: 1, innerEpochs: 2, lr: 0.1, contrast: 0.5 });
    const environment = talkEnvironment({ documents, replay: documents });
    const whole = await trainTalk(lab, staged, { environment });
    const kept = new Map([...whole.kept].map(([id, all]) => [id, all.filter(({ step }) => step <= 3)]));
    const later = await trainTalk(lab, staged, { environment }, kept);
    expect(deterministic(later.record)).toEqual(deterministic(whole.record));
    expect(later.optimizer.total).toEqual(whole.optimizer.total);
  });
});

describe('distill', () => {
  async function batchOf(environment: TalkEnvironment) {
    const { engine, codec } = lab;
    const adapterParams = engine.initialAdapterParams.map((_, i) => 0.2 * Math.sin(i));
    engine.setAdapterParams(adapterParams);
    const spec = talkSpec({ objective: 'distill' });
    const memory = new SamplerMemory(environment.sampler, null);
    const clock = new PhaseClock(() => 0, 'r', 1);
    // Records the pairs of the engine's distil calls.
    const seen: DistillPair[] = [];
    const listening: Policy['distill'] = (pairs, segments, options) => {
      seen.splice(0, seen.length, ...pairs);
      return engine.distill(pairs, segments, options);
    };
    const policy = new Proxy<Policy>(engine, {
      get: (_, name) => {
        const own = engine[name as keyof typeof engine];
        return name === 'distill' ? listening : typeof own === 'function' ? own.bind(engine) : own;
      },
    });
    const acting = {
      spec,
      stage: stagesOf(spec)[0],
      step: 0,
      adapterParams,
      policy,
      codec,
      environment,
      memory,
      clock,
    };
    const batch = await last(distill({ ...acting, concept: null, method: null, meter: new ModelMeter() }));
    return { batch, adapterParams, seen };
  }
  async function last<T>(stream: AsyncGenerator<LabEvent, T>): Promise<T> {
    for (;;) {
      const next = await stream.next();
      if (next.done) return next.value;
    }
  }

  it('pulls towards the model’s distribution after a demonstration; without one the loss is 0', async () => {
    const { batch, adapterParams, seen } = await batchOf(taught());
    const first = (await last(batch.gradient(adapterParams)))!;
    const norm = Math.sqrt(first.student.reduce((sum, x) => sum + x * x, 0));
    expect(first.loss).toBeGreaterThan(0);
    // Each group has one demonstration, and the student's episodes are masked.
    expect(seen).toHaveLength(8);
    expect(new Set(seen.map(({ teacher }) => teacher.prompt.join())).size).toBe(2);
    expect(seen.some(({ student }) => student.mask)).toBe(true);
    const lossAt = async (by: number) => {
      const student = adapterParams.map((x, i) => x + (by / norm) * first.student[i]);
      const { kl, free } = await lab.engine.distill(seen, 1, { adapterParams: { teacher: adapterParams, student } });
      free();
      const all = kl.flatMap((row) => Array.from(row));
      return all.reduce((a, b) => a + b) / all.length;
    };
    const h = 0.05;
    expect(((await lossAt(h)) - (await lossAt(-h))) / (2 * h) / norm).toBeCloseTo(1, 1);
    expect(first.teacher.every((x) => x === 0)).toBe(true);

    const own = await batchOf(taught({ demonstrations: (task) => [ask(`say ${task}`)] }));
    const none = (await last(own.batch.gradient(own.adapterParams)))!;
    expect(Math.abs(none.loss)).toBeLessThan(1e-6);
    expect(Math.max(...none.student.map(Math.abs))).toBeLessThan(1e-5);
    const bare = await batchOf(taught({ demonstrations: () => [] }));
    expect(await last(bare.batch.gradient(bare.adapterParams))).toBeNull();
  });

  it('trains on the student’s own samples, which are judged for the record', async () => {
    const { record, events } = await trainTalk(lab, talkSpec({ objective: 'distill', steps: 2 }), {
      environment: taught(),
    });
    for (const { objective, gradNorm, student, reward, episodes } of record.rows) {
      expect(objective).toBe('distill');
      expect(gradNorm).toBeGreaterThan(0);
      expect(student.n).toBe(8);
      expect(reward).toBeGreaterThan(0);
      expect(episodes!.turns).toBeGreaterThan(1);
    }
    const rollouts = events.flatMap((event) => (event.type === 'step' ? event.rollouts : []));
    expect(new Set(rollouts.map(({ advantage, source }) => `${advantage} ${source}`))).toEqual(new Set(['0 student']));
  });
});

describe('a run of two stages', () => {
  const staged = (changes: Partial<RunSpec> = {}) =>
    talkSpec({ stages: 'nll 3 0.02; grpo 3', steps: 6, checkpointEvery: 100, ...changes });
  type Ports = Partial<TrainPorts<number, Talk, never>>;

  it('has a schedule per stage and a checkpoint at each end; its first stage equals a run of only that stage', async () => {
    const { record, kept } = await trainTalk(lab, staged(), { environment: taught() });
    expect(checkpointSteps(kept)).toEqual([3, 6]);
    expect(record.rows.map(({ objective }) => objective ?? 'grpo')).toEqual([
      ...['nll', 'nll', 'nll', 'grpo', 'grpo', 'grpo'],
    ]);
    const cosine = (step: number) => 0.5 * (1 + Math.cos((Math.PI * step) / 3));
    const rates = [0, 1, 2]
      .flatMap((step) => [0.02 * cosine(step)])
      .concat([0, 1, 2].map((step) => 0.03 * cosine(step)));
    for (const [i, { lr }] of record.rows.entries()) expect(lr).toBeCloseTo(rates[i], 12);
    const alone = await trainTalk(lab, talkSpec({ objective: 'nll', lr: 0.02, steps: 3 }), { environment: taught() });
    expect(record.rows.slice(0, 3)).toEqual(alone.record.rows);
    expect(kept.get('test/none/41')![0].optimizer).toEqual(alone.optimizer);
  });

  it.each([
    ['in the first', 2],
    ['at its boundary', 3],
    ['in the second', 5],
  ])('stopped %s and resumed: the same bytes', async (_, stopAfter) => {
    const spec = staged({ checkpointEvery: 2 });
    const whole = await trainTalk(lab, spec, { environment: taught() });
    const kept = new Map<string, Checkpoint[]>();
    const stop = new AbortController();
    const environment = taught();
    // Stops the run during the next step.
    let clock = 0;
    const now = () => {
      const rows = kept.get('test/none/41')?.at(-1)?.step ?? 0;
      if (rows >= Math.min(stopAfter, 4)) stop.abort();
      return clock++;
    };
    await expect(trainTalk(lab, spec, { environment, now, signal: stop.signal } as Ports, kept)).rejects.toThrow(
      StoppedError,
    );
    const [at] = checkpointSteps(kept).slice(-1);
    expect(at).toBeLessThan(6);
    const resumed = await trainTalk(lab, spec, { environment: taught() }, kept);
    expect(deterministic(resumed.record)).toEqual(deterministic(whole.record));
    expect(resumed.optimizer).toEqual(whole.optimizer);
  });

  it('in two environments: each has its own sampler memory, also where the run is resumed at the boundary', async () => {
    /** Draws the tasks 0, 1, 2, … */
    const counting = () => {
      let next = 0;
      return {
        draw: ({ count }: { count: number }) => Array.from({ length: count }, () => next++),
        save: () => next,
        restore: (saved: unknown) => {
          next = (saved as number | null) ?? 0;
        },
      };
    };
    const spec = talkSpec({ environment: 'here', stages: 'grpo 2 0.03 there; grpo 2', steps: 4, checkpointEvery: 100 });
    const ports = () => ({
      environment: talkEnvironment({ sampler: counting() }),
      environments: new Map([['there', talkEnvironment({ sampler: counting() })]]),
    });
    const tasksOf = (events: readonly LabEvent[]) =>
      events.flatMap((event) => (event.type === 'step' ? [event.rollouts.map(({ taskId }) => taskId)] : []));
    const whole = await trainTalk(lab, spec, ports());
    expect(tasksOf(whole.events).map((tasks) => [...new Set(tasks)].join())).toEqual(['0,1', '2,3', '0,1', '2,3']);
    const boundary = whole.kept.get('test/none/41')![0];
    const resumed = await trainTalk(lab, spec, ports(), new Map([['test/none/41', [boundary]]]));
    expect(deterministic(resumed.record)).toEqual(deterministic(whole.record));
  });
});

describe('an environment that has no', () => {
  it.each([
    ['documents', 'nll'],
    ['demonstrations', 'distill'],
  ] as const)('%s refuses %s by name, in the loop and before a run of it is made', async (what, objective) => {
    const none = trainTalk(lab, talkSpec({ objective, steps: 1 }), { environment: talkEnvironment() });
    await expect(none).rejects.toThrow(
      `objective = ${objective}, and the environment one-line-python offers no ${what}`,
    );
    const second = tinySpec({ arms: ['none'], overrides: { steps: 2, stages: `grpo 1; ${objective} 1` } });
    const events: LabEvent[] = [];
    await expect(runTiny(lab, second, {}, events)).rejects.toThrow(SpecError);
    expect(events.filter(({ type }) => type === 'step')).toEqual([]);
  });
});
