// Budgets of a scored batch: logits in chunks and activations made again must leave no trace in the result.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { type DeviceBuffer, readFloats } from '../kernels/device.ts';
import { CounterRng, keyFor, STREAMS } from '../rng/index.ts';
import { type Budgets, PackedForward } from './batch.ts';
import type { GradientSink } from './layer.ts';
import { Arena } from './memory/arena.ts';
import { pack } from './packing.ts';
import { randomIds, randomWeights, SMALL } from './testing/models.ts';
import { DeviceWeights } from './weights/weights.ts';

describe.each(['qwen3', 'qwen2', 'llama'] as const)('%s', (name) => {
  const config = SMALL[name];
  const prompt = randomIds(config, 1, 7);
  const packed = pack(
    [9, 4, 6].map((length, i) => ({ prompt, completion: randomIds(config, 2 + i, length), segment: 0 })),
    1,
    config.maxPositions,
  );

  /** Every Linear's (dy, x), the gradient of the embeddings' rows, and the stats. */
  async function everything(budgets?: Budgets) {
    const device = await createCpuDevice();
    const weights = DeviceWeights.of(device, config, randomWeights(config, 7, 1.5));
    const pass = new PackedForward({ device, config, weights, arena: new Arena(device) }, packed, budgets);
    const stats = await pass.forward();
    const rng = new CounterRng(keyFor(5, STREAMS.data));
    const coef = Float32Array.from(packed.targetRows, () => rng.normal());
    const seen: [string, Promise<ArrayLike<number>>][] = [];
    // Buffers are reused from layer to layer: what they hold is taken at once.
    const take = (label: string, buffer: DeviceBuffer, width: number) =>
      seen.push([label, readFloats(device, buffer, 0, packed.rows * width)]);
    const sink: GradientSink = {
      stopsAtFirstLayer: false,
      small: () => null,
      linear(module, dy, x, dOut, dIn) {
        take(`${module} dy`, dy, dOut);
        take(`${module} x`, x, dIn);
      },
    };
    take('dx', pass.backward(coef, sink), config.hiddenSize);
    const gradients = await Promise.all(seen.map(async ([label, data]) => [label, await data] as const));
    device.destroy();
    return { stats, gradients, chunkRows: pass.chunkRows };
  }

  it('gives the same bytes when logits come in chunks and layers are run again', async () => {
    const whole = await everything();
    const frugal = await everything({ logits: 3 * config.vocab, activations: 0 });
    expect(whole.chunkRows).toBe(19);
    expect(frugal.chunkRows).toBe(3);
    expect(frugal.stats).toEqual(whole.stats);
    expect(whole.gradients).toHaveLength(config.layers * 14 + 1);
    for (const [i, [label, data]] of whole.gradients.entries()) {
      expect(frugal.gradients[i][0]).toBe(label);
      expect(frugal.gradients[i][1], label).toEqual(data);
    }
  });
});
