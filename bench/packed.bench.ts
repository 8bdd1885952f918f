// Compares decoding with packed weights on a WebGPU adapter: products that read them directly (matmul_f16, matmul_q8h, matmul_q4h), and unpacking
// before each product. Rounds alternate in one process; figures are medians, and outputs are compared bit for bit. On a software adapter these
// results settled SOFTWARE_CHOICE (kernels/webgpu/packed-products.ts). Then the same model in q8g32 is decoded with 8-bit products (webgpu-int8)
// and with exact ones.
import { loadEmbeddedModel } from '../src/cli/ports.node.ts';
import { Engine } from '../src/engine/decoder/engine.ts';
import { createWebGpuDevice, type WebGpuDevice } from '../src/kernels/webgpu/device.ts';
import { MATMUL_VARIANTS, type MatmulVariant } from '../src/kernels/webgpu/matmul.ts';
import { PACKED_ROWS, packedEverywhere } from '../src/kernels/webgpu/packed-products.ts';
import { openNodeGpu } from '../src/lib/gpu.node.ts';
import { keyFor, STREAMS } from '../src/rng/index.ts';
import { type Bench, figure, median } from './table.ts';

const ROUNDS = 9;
/** New tokens per round; the prompt is one token, so that all of the round is decoding. */
const NEW = 12;

const STORAGES = [
  { storage: 'f16', kernel: 'matmul_f16' },
  { storage: 'q8g32', kernel: 'matmul_q8h' },
  { storage: 'q4g32', kernel: 'matmul_q4h' },
] as const;

async function measured({ storage, kernel }: (typeof STORAGES)[number], device: WebGpuDevice): Promise<string[][]> {
  const { config, weights } = await loadEmbeddedModel(process.env.LAB_ROOT ?? process.cwd(), 'tiny-coder');
  const chosen = device.packedChoice[kernel];
  const engine = await Engine.create({ device, config, weights, storage, adapter: 'none' });
  // A software adapter takes a second to compile a barrier, and tiled variants are slower there.
  const variants: readonly MatmulVariant[] = device.isSoftware ? ['register'] : MATMUL_VARIANTS;
  const ways: readonly (MatmulVariant | null)[] = [null, ...variants];
  const rows: string[][] = [];
  for (const [at, sequences] of PACKED_ROWS.entries()) {
    const decode = async (way: MatmulVariant | null): Promise<{ ms: number; said: string }> => {
      device.packedChoice = packedEverywhere(way);
      const prompts = Array.from({ length: sequences }, (_, i) => [(i * 7 + 3) % config.vocab]);
      const start = performance.now();
      const written = await engine.generate({
        prompts,
        maxNew: NEW,
        temperature: 1,
        endTokens: [],
        sequences: prompts.map((_, prompt) => ({ prompt, key: keyFor(1, STREAMS.rollout, prompt) })),
      });
      const ms = performance.now() - start;
      return { ms, said: JSON.stringify(written.map(({ tokens, logprobs }) => [[...tokens], [...logprobs]])) };
    };
    const { said } = await decode(null);
    for (const way of ways)
      if ((await decode(way)).said !== said) throw new Error(`${way} says something else than unpacking first.`);
    const times = ways.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round++)
      for (const [i, way] of ways.entries()) times[i].push((await decode(way)).ms);
    const [unpacked, ...direct] = times.map((each) => median(each) / NEW);
    for (const [i, ms] of direct.entries())
      rows.push([
        ...[storage, String(sequences), variants[i]],
        ...[unpacked, ms, ms / unpacked].map(figure),
        chosen[at] ?? 'unpacked first',
      ]);
  }
  engine.free();
  return rows;
}

/** Numbers of sequences in a step with 8-bit products. */
const SEQUENCES = [1, 4, 8, 32] as const;

/** A step of tiny-coder in q8g32, with exact products and with 8-bit integer ones, whose results differ. */
async function integersAgainst(device: WebGpuDevice): Promise<string[][]> {
  const { config, weights } = await loadEmbeddedModel(process.env.LAB_ROOT ?? process.cwd(), 'tiny-coder');
  const rounding = new Proxy(device, {
    get(target, key) {
      if (key === 'multipliesIntegers') return true;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const engines = await Promise.all(
    [device, rounding].map((on) => Engine.create({ device: on, config, weights, storage: 'q8g32', adapter: 'none' })),
  );
  const rows: string[][] = [];
  for (const sequences of SEQUENCES) {
    const [times, processor]: number[][][] = [engines.map(() => []), engines.map(() => [])];
    const prompts = Array.from({ length: sequences }, (_, i) => [(i * 7 + 3) % config.vocab]);
    for (let round = -1; round < ROUNDS; round++)
      for (const [i, engine] of engines.entries()) {
        const [start, before] = [performance.now(), process.cpuUsage()];
        await engine.generate({
          prompts,
          maxNew: NEW,
          temperature: 1,
          endTokens: [],
          sequences: prompts.map((_, prompt) => ({ prompt, key: keyFor(1, STREAMS.rollout, prompt) })),
        });
        const { user, system } = process.cpuUsage(before);
        if (round < 0) continue; // compiles
        times[i].push(performance.now() - start);
        processor[i].push(user + system);
      }
    const [exact, integers] = times.map((all) => median(all) / NEW);
    const ofProcessor = median(processor[1]) / median(processor[0]);
    rows.push([String(sequences), ...[exact, integers, integers / exact, ofProcessor].map(figure)]);
  }
  for (const engine of engines) engine.free();
  return rows;
}

export const packedBench: Bench = {
  name: 'packed',
  async run(log) {
    const device = await createWebGpuDevice({ gpu: await openNodeGpu() });
    const choice = device.packedChoice;
    const rows: string[][] = [];
    for (const one of STORAGES) {
      device.packedChoice = choice;
      rows.push(...(await measured(one, device)));
      log(rows.map((row) => row.join('  ')).join('\n'));
    }
    device.packedChoice = choice;
    const integers = await integersAgainst(device);
    log(integers.map((row) => row.join('  ')).join('\n'));
    const { name } = device;
    device.destroy();
    return [
      {
        title: 'Decoding with packed weights, as they lie and unpacked first',
        note: `${name}, through Dawn in Node; tiny-coder without an adapter. Milliseconds of a step (all of ${NEW}, divided), medians of ${ROUNDS} rounds in turns of one process; the same tokens and log-probabilities to the bit. The last column is what the device had chosen.`,
        columns: [
          ...['storage', 'sequences', 'kernel', 'unpacked first, ms', 'as they lie, ms'],
          ...['its time / unpacked first', 'chosen'],
        ],
        rows,
      },
      {
        title: 'Decoding with 8-bit products',
        note: `${name}, through Dawn in Node; tiny-coder in q8g32 without an adapter: exact products (webgpu) against products of rows that are rounded to 8 bits (webgpu-int8). Milliseconds of a step, medians of ${ROUNDS} rounds in turns of one process.`,
        columns: ['sequences', 'exact, ms', '8-bit products, ms', 'its time / exact', 'the same of processor time'],
        rows: integers,
      },
    ];
  },
};
