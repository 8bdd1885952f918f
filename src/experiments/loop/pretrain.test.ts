import { describe, expect, test } from 'vitest';
import { initialWeights } from '../../engine/decoder/trainer.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { PRETRAIN_DEFAULTS, pretrain, TINY_CODER } from './pretrain.ts';

const config = { ...TINY_CODER, hiddenSize: 32, layers: 1, heads: 1, kvHeads: 1, ffn: 32, vocab: 8, maxPositions: 16 };
const spec = { ...PRETRAIN_DEFAULTS, steps: 1, batch: 1, lr: 0, warmupSteps: 0, seed: 1 };
const sample = () => ({ prompt: [1], completion: [2, 3], segment: 0 });

async function trained(begin?: ReturnType<typeof initialWeights>) {
  const device = await createCpuDevice();
  for await (const { trainer } of pretrain({ device, config, spec, sample, begin })) {
    const weights = await trainer.weights();
    trainer.free();
    return weights.get('model.layers.0.mlp.up_proj.weight')!.data;
  }
}

describe('the initial weights of a pretraining', () => {
  const given = initialWeights(config, 2);

  test('are the given ones for any seed', async () => {
    expect(await trained(given)).toEqual(given.get('model.layers.0.mlp.up_proj.weight')!.data);
  });

  test('are drawn from the seed if none are given', async () => {
    const drawn = initialWeights(config, 1).get('model.layers.0.mlp.up_proj.weight')!.data;
    expect(await trained()).toEqual(drawn);
    expect(drawn).not.toEqual(given.get('model.layers.0.mlp.up_proj.weight')!.data);
  });
});
