// Compares decoding on WebGPU with fused kernels and without: a small random model, in interleaved rounds of one process. The outputs are compared.
import { Engine } from '../src/engine/decoder/engine.ts';
import { initialWeights } from '../src/engine/decoder/trainer.ts';
import type { ModelConfig } from '../src/engine/types.ts';
import type { Device } from '../src/kernels/device.ts';
import { createWebGpuDevice } from '../src/kernels/webgpu/device.ts';
import { openNodeGpu } from '../src/lib/gpu.node.ts';
import { keyFor, STREAMS } from '../src/rng/index.ts';
import { type Bench, type BenchTable, figure, median } from './table.ts';

const CONFIG: ModelConfig = {
  architecture: 'qwen3',
  hiddenSize: 128,
  layers: 8,
  heads: 4,
  kvHeads: 2,
  headDim: 32,
  ffn: 384,
  vocab: 512,
  maxPositions: 128,
  rmsEps: 1e-6,
  ropeTheta: 1e4,
  qkNorm: true,
  qkvBias: false,
  tied: true,
};
const SEQUENCES = [1, 8] as const;
const NEW = 24;
const ROUNDS = 7;

/** Wraps a device to count its calls; `fused`: whether it offers the fused kernels. */
function watched(on: Device, fused: boolean): { device: Device; seen: { calls: number } } {
  const seen = { calls: 0 };
  const device = new Proxy(on, {
    get(target, key) {
      if (key === 'fuses' && !fused) return undefined;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (key !== 'run') return value.bind(target);
      return (...args: Parameters<Device['run']>) => {
        seen.calls++;
        target.run(...args);
      };
    },
  });
  return { device, seen };
}

export const callsBench: Bench = {
  name: 'calls',
  async run(log): Promise<BenchTable[]> {
    const gpu = await createWebGpuDevice({ gpu: await openNodeGpu() });
    const weights = initialWeights(CONFIG, 3);
    const ways = await Promise.all(
      [false, true].map(async (fused) => {
        const { device, seen } = watched(gpu, fused);
        return { seen, engine: await Engine.create({ device, config: CONFIG, weights, adapter: 'none' }) };
      }),
    );
    const rows: string[][] = [];
    for (const count of SEQUENCES) {
      const written = (engine: Engine, maxNew: number) =>
        engine.generate({
          prompts: [[1, 2, 3, 4]],
          sequences: Array.from({ length: count }, (_, i) => ({ prompt: 0, key: keyFor(1, STREAMS.rollout, i) })),
          maxNew,
          temperature: 1,
          endTokens: [],
        });
      const times: number[][] = ways.map(() => []);
      const processor: number[][] = ways.map(() => []);
      for (let round = -1; round < ROUNDS; round++) {
        const said: string[] = [];
        for (const [i, { engine }] of ways.entries()) {
          const [start, before] = [performance.now(), process.cpuUsage()];
          const all = await written(engine, NEW);
          const { user, system } = process.cpuUsage(before);
          if (round >= 0) {
            times[i].push(performance.now() - start);
            processor[i].push(user + system);
          }
          said.push(JSON.stringify(all.map(({ tokens, logprobs }) => [[...tokens], [...logprobs]])));
        }
        if (said[0] !== said[1]) throw new Error(`${count} sequences: other tokens or log-probabilities`);
        log(`calls: ${count} sequences, round ${round + 1}`);
      }
      const calls: number[] = [];
      for (const { engine, seen } of ways) {
        const from = seen.calls;
        await written(engine, 4);
        const few = seen.calls - from;
        await written(engine, 5);
        calls.push(seen.calls - from - 2 * few);
      }
      const perSecond = times.map((all) => (count * NEW * 1000) / median(all));
      rows.push([
        String(count),
        ...calls.map(String),
        ...perSecond.map(figure),
        figure(perSecond[1] / perSecond[0]),
        figure(median(processor[0]) / median(processor[1])),
      ]);
    }
    for (const { engine } of ways) engine.free();
    gpu.destroy();
    return [
      {
        title: 'Decoding on WebGPU in fewer calls',
        note: `${gpu.name}, through Dawn in Node. A random model of ${CONFIG.layers} layers of ${CONFIG.hiddenSize}, ${NEW} new tokens, prefill included; medians of ${ROUNDS} interleaved rounds in one process. Tokens and log-probabilities are equal to the bit. The adapter computes on the processor, whose time others that compute on the machine disturb less.`,
        columns: [
          'sequences',
          'calls a token, one by one',
          'calls, fused',
          'tokens/s, one by one',
          'tokens/s, fused',
          'fused / one by one',
          'the same of processor time',
        ],
        rows,
      },
    ];
  },
};
