// Tests the models that a reward asks: the anchor is the untrained policy and does not affect the run, and every call is counted.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HandledModel, ModelHandles } from '../../environments/types.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { sum } from '../../stats/index.ts';
import type { RunRecord } from '../records/events.ts';
import { type TalkEnvironment, talkEnvironment, talkSpec, trainTalk } from '../testing/talk.ts';
import { openTinyLab, type TinyLab } from '../testing/tiny.node.ts';
import { ModelMeter, modelHandles } from './models.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab?.close());

const given: ModelHandles = { get: () => undefined };
const nonzeroParams = () => Float32Array.from({ length: lab.engine.adapterLayout.total }, (_, i) => 0.3 * Math.sin(i));
const request = () => ({
  prompts: ['say 1', 'say two'].map((text) => lab.codec.encode(text)),
  sequences: [0, 1, 1].map((prompt, i) => ({ prompt, key: keyFor(3, STREAMS.test, i) })),
  maxNew: 7,
  temperature: 1,
});
const endTokens = () => lab.codec.endTokens;
const deterministic = ({ timings: _, ...rest }: RunRecord) => rest;

describe('the anchor', () => {
  it('generates and scores like the untrained model, and does not change the run’s adapter parameters', async () => {
    const { engine, codec } = lab;
    const asked = { ...request(), endTokens: endTokens() };
    engine.setAdapterParams(engine.initialAdapterParams);
    const untrained = await engine.generate(asked);
    const sequences = [{ prompt: asked.prompts[0], completion: [5, 6, 7], mask: [1, 0, 1] }];
    const base = await engine.score([{ ...sequences[0], segment: 0 }], 1);
    base.free();
    const adapterParams = nonzeroParams();
    engine.setAdapterParams(adapterParams);
    const own = await engine.generate(asked);
    expect(own).not.toEqual(untrained);

    const anchor = modelHandles({ policy: engine, codec, adapterParams, given }).get('anchor')!;
    // Calls overlap, but only one set of adapter parameters is active at a time, and each call sees the untrained ones.
    const [first, logprobs, second] = await Promise.all([
      anchor.generateTokens(request()),
      anchor.logprobs!(sequences),
      anchor.generateTokens(request()),
    ]);
    expect(first).toEqual(untrained);
    expect(second).toEqual(untrained);
    expect(logprobs).toEqual(base.logprobs.map((row) => Float32Array.from(row)));
    expect(await engine.generate(asked)).toEqual(own);
    await expect(anchor.logprobs!(sequences, AbortSignal.abort())).rejects.toThrow(StoppedError);
    expect(await engine.generate(asked)).toEqual(own);
    expect(await anchor.generateTokens(request())).toEqual(untrained);
  });

  it('leaves the run’s bytes unchanged if a reward asks it, and its tokens are in the timing', async () => {
    const spec = talkSpec({ steps: 3 });
    const plain = await trainTalk(lab, spec);
    expect(plain.record.timings.every(({ models }) => models === undefined)).toBe(true);
    const { reward } = talkEnvironment();
    let written = 0;
    const asking: TalkEnvironment['reward'] = {
      id: 'asks',
      score: async (groups, models) => {
        const anchor = models.get('anchor')!;
        written = sum((await anchor.generateTokens(request())).map(({ tokens }) => tokens.length));
        await anchor.generate(['and?'], { maxNew: 3, temperature: 0, seed: 1 });
        return reward.score(groups, models);
      },
    };
    const asked = await trainTalk(lab, spec, { environment: talkEnvironment({ reward: asking }) });
    expect(asked.optimizer).toEqual(plain.optimizer);
    expect(deterministic(asked.record)).toEqual(deterministic(plain.record));
    for (const { models } of asked.record.timings) {
      const { anchor } = models!;
      expect(anchor.calls).toBe(2);
      expect(anchor.read).toBe(sum([...request().prompts, lab.codec.encode('and?')].map(({ length }) => length)));
      expect(anchor.written).toBeGreaterThanOrEqual(written);
      expect(Object.keys(models!)).toEqual(['anchor']);
    }
  });
});

it('other roles are the host’s models, with calls counted; missing ones are undefined', async () => {
  const meter = new ModelMeter();
  const judge = {
    id: 'judge',
    codec: lab.codec,
    endTokens: [],
    generate: async (prompts: readonly string[]) => prompts.map(() => 'yes'),
  } as unknown as HandledModel;
  const handles = modelHandles({
    policy: lab.engine,
    codec: lab.codec,
    adapterParams: lab.engine.initialAdapterParams,
    meter,
    given: { get: (role) => (role === 'judge' ? judge : undefined) },
  });
  // Without a synthesiser the anchor writes syntheses.
  expect(handles.get('synthesiser')).toMatchObject({ id: 'anchor', room: lab.engine.config.maxPositions });
  expect(handles.get('judge')!.logprobs).toBeUndefined();
  expect(meter.costs).toEqual({});
  const options = { maxNew: 1, temperature: 0, seed: 0 };
  expect(await handles.get('judge')!.generate(['is it?', 'or not?'], options)).toEqual(['yes', 'yes']);
  const length = (text: string) => lab.codec.encode(text).length;
  expect(meter.costs).toEqual({
    models: { judge: { calls: 1, read: length('is it?') + length('or not?'), written: 2 * length('yes') } },
  });
});
