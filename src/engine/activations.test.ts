// Tests mean activations against a float64 reference forward pass of each sequence alone.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { Engine } from './decoder/engine.ts';
import { randomIds, randomWeights, relativeError, SMALL } from './testing/models.ts';
import { residualStream } from './testing/reference.ts';

describe.each(['qwen3', 'qwen2', 'llama'] as const)('activations of %s', (name) => {
  const config = SMALL[name];
  const weights = randomWeights(config, 7, 1.5);
  const shared = randomIds(config, 1, 6);
  const sequences = [
    { prompt: shared, completion: randomIds(config, 2, 5) },
    { prompt: randomIds(config, 3, 1), completion: randomIds(config, 4, 1) },
    { prompt: shared, completion: randomIds(config, 5, 9) },
  ];

  it('are the mean residual stream of the rows that predict the completion', async () => {
    const model = await Engine.create({ device: await createCpuDevice(), config, weights, adapter: 'none' });
    const streams = sequences.map(({ prompt, completion }) =>
      residualStream(config, weights, [...prompt, ...completion.slice(0, -1)]),
    );
    for (let layer = 0; layer < config.layers; layer++) {
      const found = await model.activations(sequences, layer);
      expect(found).toHaveLength(3);
      for (const [i, { prompt, completion }] of sequences.entries()) {
        const rows = streams[i][layer].slice(prompt.length - 1);
        expect(rows).toHaveLength(completion.length);
        const mean = rows[0].map((_, c) => rows.reduce((sum, row) => sum + row[c], 0) / rows.length);
        expect(relativeError(found[i], mean)).toBeLessThan(2e-6);
      }
    }
    model.free();
  });

  it('do not depend on the batch, include the folded adapter, and do not affect scoring', async () => {
    const model = await Engine.create({ device: await createCpuDevice(), config, weights });
    const whole = await model.activations(sequences, 1);
    expect(await model.activations(sequences, 1)).toEqual(whole);
    expect((await model.activations([sequences[2]], 1))[0]).toEqual(whole[2]);
    const many = Array.from({ length: 70 }, (_, i) => sequences[i % 3]);
    const spread = await model.activations(many, 1);
    expect(spread).toHaveLength(70);
    expect(spread[68]).toEqual(whole[2]);
    const score = async () => {
      const batch = await model.score(
        sequences.map((sequence) => ({ ...sequence, segment: 0 })),
        1,
      );
      const [gradient] = await batch.backward(batch.logprobs.map((row) => row.map(() => 1)));
      batch.free();
      return gradient;
    };
    const before = await score();
    await model.activations(sequences, 0);
    expect(await score()).toEqual(before);
    model.setAdapterParams(model.initialAdapterParams.map(() => 0.1));
    expect((await model.activations(sequences, 1))[0]).not.toEqual(whole[0]);
    model.free();
  });

  it('are refused for a missing layer, and while a batch is open', async () => {
    const model = await Engine.create({ device: await createCpuDevice(), config, weights });
    await expect(model.activations(sequences, config.layers)).rejects.toThrow(`no layer ${config.layers}`);
    await expect(model.activations(sequences, 0.5)).rejects.toThrow('no layer 0.5');
    expect(await model.activations([], 0)).toEqual([]);
    const open = await model.score([{ ...sequences[0], segment: 0 }], 1);
    await expect(model.activations(sequences, 0)).rejects.toThrow('still open');
    open.free();
    model.free();
  });
});
