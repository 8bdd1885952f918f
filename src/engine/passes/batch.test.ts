// Tests that saving memory or work does not change a scored batch: chunked logits, recomputed activations, and deduplicated rows.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { type DeviceBuffer, readFloats } from '../../kernels/device.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { Arena } from '../arena.ts';
import { randomIds, randomWeights, SMALL } from '../testing/models.ts';
import type { ModelConfig } from '../types.ts';
import { linearsOf, moduleName } from '../weight-names.ts';
import { DeviceWeights } from '../weights/weights.ts';
import { type Budgets, PackedForward } from './batch.ts';
import { deltaPasses } from './delta-passes.ts';
import type { GradientSink } from './layer.ts';
import { type Packed, pack } from './packing.ts';

/** A Qwen3.5 config with only full attention: every layer has an output gate, and none a recurrent state. */
const GATED: ModelConfig = { ...SMALL.qwen35, layerTypes: SMALL.qwen35.layerTypes!.map(() => 'full_attention') };

describe.each(Object.entries({ ...SMALL, 'qwen35 of full attention alone': GATED }))('%s', (_, config) => {
  const prompt = randomIds(config, 1, 7);
  const packed = pack(
    [9, 4, 6].map((length, i) => ({ prompt, completion: randomIds(config, 2 + i, length), segment: 0 })),
    1,
    config.maxPositions,
  );
  const [sampled, other] = [randomIds(config, 5, 9), randomIds(config, 6, 4)];
  // One prompt in both segments and another with a common prefix; completions that share their first 9, 5 and 2 tokens.
  const alike = pack(
    [
      { prompt, completion: sampled, segment: 0 },
      { prompt, completion: [...sampled.slice(0, 5), ...other], segment: 0 },
      { prompt, completion: [...sampled.slice(0, 2), ...other], segment: 1, mask: [1, 1, 0, 1, 0, 1] },
      { prompt, completion: sampled, segment: 1 },
      { prompt: [...prompt.slice(0, 4), prompt[0]], completion: other, segment: 1 },
    ],
    2,
    config.maxPositions,
  );

  /** Returns every Linear's (dy, x), the gradient of the embedded rows, and the stats. */
  async function everything(packed: Packed, budgets?: Budgets) {
    const device = await createCpuDevice();
    let embedded = 0;
    const run = device.run.bind(device);
    device.run = (kernel, buffers, params) => {
      if (kernel === 'gather_rows' && embedded === 0) embedded = (params as { rows: number }).rows;
      run(kernel, buffers, params);
    };
    const weights = DeviceWeights.of(device, config, randomWeights(config, 7, 1.5));
    const pass = new PackedForward(
      { device, config, weights, arena: new Arena(device), delta: await deltaPasses(config) },
      packed,
      { budgets },
    );
    const stats = await pass.forward();
    const rng = new CounterRng(keyFor(5, STREAMS.data));
    const coef = Float32Array.from(packed.targetRows, () => rng.normal());
    const seen: [string, Promise<ArrayLike<number>>][] = [];
    // Layers reuse buffers, so their contents are read at once. After the last layer's mixer, rows that predict nothing have dy = 0,
    // whether computed or skipped, and their x is not used.
    const take = (label: string, buffer: DeviceBuffer, width: number, some?: number) =>
      seen.push([label, readFloats(device, buffer, 0, (some ?? packed.rows) * width)]);
    const last = config.layers - 1;
    const ended = linearsOf(config, last)
      .filter((role) => /^(o|out|gate|up|down)_proj$/.test(role))
      .map((role) => moduleName(last, role));
    const atTargets = (all: ArrayLike<number>, width: number, label: string) => {
      const at = new Set(packed.targetRows);
      return Float32Array.from(
        Array.from({ length: packed.rows }, (_, row) => row).flatMap((row) => {
          const values = Array.from({ length: width }, (_, c) => all[row * width + c]);
          if (at.has(row)) return values;
          if (label.endsWith('dy')) expect(values.every((value) => value === 0)).toBe(true);
          return [];
        }),
      );
    };
    const sink: GradientSink = {
      stopsAtFirstLayer: false,
      small: () => null,
      linear(module, dy, x, dOut, dIn, of) {
        expect(of === undefined || ended.some((name) => module.endsWith(name))).toBe(true);
        for (const [label, buffer, width] of [
          [`${module} dy`, dy, dOut],
          [`${module} x`, x, dIn],
        ] as const) {
          take(label, buffer, width, of?.rows);
          if (!of && ended.some((name) => module.endsWith(name))) {
            const [, all] = seen.pop()!;
            seen.push([label, all.then((values) => atTargets(values, width, label))]);
          }
        }
      },
    };
    take('dx', pass.backward(coef, sink), config.hiddenSize);
    const gradients = await Promise.all(seen.map(async ([label, data]) => [label, await data] as const));
    device.destroy();
    return { stats, gradients, embedded, chunkRows: pass.chunkRows };
  }

  it('gives the same bytes with chunked logits and recomputed layers', async () => {
    const whole = await everything(packed);
    const frugal = await everything(packed, { logits: 3 * config.vocab, activations: 0 });
    expect(whole.chunkRows).toBe(19);
    expect(frugal.chunkRows).toBe(3);
    expect(frugal.stats).toEqual(whole.stats);
    const linears = Array.from({ length: config.layers }, (_, layer) => linearsOf(config, layer).length);
    expect(whole.gradients).toHaveLength(2 * linears.reduce((sum, count) => sum + count, 0) + 1);
    for (const [i, [label, data]] of whole.gradients.entries()) {
      expect(frugal.gradients[i][0]).toBe(label);
      expect(frugal.gradients[i][1], label).toEqual(data);
    }
    expect(whole.embedded).toBe(packed.rows);
  });

  it('gives the same bytes when equal rows are computed once', async () => {
    const once = await everything(alike);
    const each = await everything(alike, { logits: 1 << 20, activations: 0 });
    expect(each.embedded).toBe(alike.rows);
    // Expected: the first prompt without its last token, then each sequence's rows that are new. A Qwen3.5 computes all rows.
    expect(once.embedded).toBe(config.layerTypes ? alike.rows : 6 + 9 + (9 - 6) + (6 - 3) + 0 + 4);
    expect(once.stats).toEqual(each.stats);
    expect(once.gradients).toEqual(each.gradients);
  });
});
