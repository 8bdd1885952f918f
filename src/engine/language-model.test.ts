// Tests the engine as a language model: it generates with given adapter parameters and then resets the policy.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { keyFor, STREAMS } from '../rng/index.ts';
import type { PromptCodec } from '../text/codec.ts';
import { Engine } from './decoder/engine.ts';
import { EngineLanguageModel } from './language-model.ts';
import { randomWeights, SMALL } from './testing/models.ts';
import type { GenerateRequest } from './types.ts';

const idsOf = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0));
/** Tokens are character codes. */
const codec: PromptCodec = {
  vocabSize: 512,
  endTokens: [510],
  answerEnd: 510,
  padToken: 510,
  encode: idsOf,
  encodeChat: idsOf,
  encodePrompt: idsOf,
  decode: (ids) => String.fromCharCode(...ids),
};
const config = { ...SMALL.qwen3, vocab: 512, maxPositions: 64 };
const request: GenerateRequest = {
  prompts: [codec.encodePrompt('def f(x):')],
  sequences: [0, 0, 0].map((prompt, i) => ({ prompt, key: keyFor(2, STREAMS.test, i) })),
  maxNew: 20,
  temperature: 1,
  endTokens: codec.endTokens,
};

describe('the engine as a language model', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await Engine.create({ device: await createCpuDevice(), config, weights: randomWeights(config, 3) });
  });
  afterAll(() => {
    engine.free();
    engine.device.destroy();
  });

  it('generates with its adapter parameters, and then resets the policy', async () => {
    const adapterParams = Float32Array.from(engine.initialAdapterParams, (_, i) => (i % 5) - 2);
    const untrained = await engine.generate(request);
    const model = new EngineLanguageModel({ id: 'm', policy: engine, adapterParams, codec });
    const { endTokens: _, ...asked } = request;
    const generated = await model.generateTokens(asked);
    expect(await engine.generate(request)).toEqual(untrained);
    expect(generated).not.toEqual(untrained);
    engine.setAdapterParams(adapterParams);
    expect(await engine.generate(request)).toEqual(generated);
    // A model without its own adapter parameters uses the policy's current ones.
    const present = new EngineLanguageModel({ id: 'm', policy: engine, adapterParams: null, codec });
    expect(await present.generateTokens(request)).toEqual(generated);
    engine.setAdapterParams(engine.initialAdapterParams);
    expect(await present.generateTokens(request)).toEqual(untrained);
    for (const { tokens, logprobs } of generated) expect(logprobs).toHaveLength(tokens.length);
  });

  it('stops at its own end tokens unless given others, and omits them from text answers', async () => {
    const [free] = await engine.generate({ ...request, endTokens: [] });
    const end = free.tokens[3];
    const ending = { ...codec, endTokens: [end] };
    const model = new EngineLanguageModel({ id: 'm', policy: engine, adapterParams: null, codec: ending });
    const { endTokens: _, ...asked } = request;
    const [own] = await model.generateTokens(asked);
    expect([own.ended, own.tokens.at(-1)]).toEqual([true, end]);
    expect(own.tokens.length).toBeLessThanOrEqual(4);
    expect((await model.generateTokens({ ...asked, endTokens: [] }))[0]).toEqual(free);
    const options = { maxNew: 20, temperature: 1, seed: 5 };
    const [first, second] = await model.generate(['def f(x):', 'x'], options);
    expect(await model.generate(['def f(x):'], options)).toEqual([first]);
    expect(await model.generate(['def f(x):'], { ...options, seed: 6 })).not.toEqual([first]);
    expect(codec.encode(second)).not.toContain(end);
    const endless = { ...codec, endTokens: [] };
    const [whole] = await new EngineLanguageModel({
      id: 'm',
      policy: engine,
      adapterParams: null,
      codec: endless,
    }).generate(['def f(x):'], options);
    const cut = { ...codec, endTokens: [whole.charCodeAt(3)] };
    const stopped = new EngineLanguageModel({ id: 'm', policy: engine, adapterParams: null, codec: cut });
    expect(await stopped.generate(['def f(x):'], options)).toEqual([whole.slice(0, whole.indexOf(whole[3]))]);
  });

  it('resets the policy after an abort, too', async () => {
    const adapterParams = Float32Array.from(engine.initialAdapterParams, (_, i) => (i % 5) - 2);
    const untrained = await engine.generate(request);
    const stop = new AbortController();
    stop.abort();
    const model = new EngineLanguageModel({ id: 'm', policy: engine, adapterParams, codec });
    const work = model.generate(['def f(x):'], { maxNew: 4, temperature: 0, seed: 0, signal: stop.signal });
    await expect(work).rejects.toThrow(StoppedError);
    expect(await engine.generate(request)).toEqual(untrained);
  });
});
