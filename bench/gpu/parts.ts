// The parts of `npm run gpu`. Each runs in its own process (main.ts), so that one that hangs or fails does not stop the others.
import { Engine } from '../../src/engine/decoder/engine.ts';
import { memoryNeed, type PlannedWork } from '../../src/engine/memory/memory.ts';
import { planLimits, planStorage } from '../../src/engine/memory/plan.ts';
import { standIns } from '../../src/engine/testing/stand-ins.ts';
import { linearShape, linearsOf } from '../../src/engine/weight-names.ts';
import { grpoStep } from '../../src/experiments/testing/grpo-step.ts';
import { createCpuDevice } from '../../src/kernels/cpu/device.ts';
import { put } from '../../src/kernels/device.ts';
import { svd } from '../../src/kernels/svd.ts';
import { kernelCases, relativeError, runCase } from '../../src/kernels/testing/cases.ts';
import { randomMatrix } from '../../src/kernels/testing/svd-checks.ts';
import { createWebGpuDevice } from '../../src/kernels/webgpu/device.ts';
import { MATMUL_VARIANTS, matmulEverywhere, matmulParams } from '../../src/kernels/webgpu/matmul.ts';
import { PACKED_ROWS } from '../../src/kernels/webgpu/packed-products.ts';
import { openNodeGpu } from '../../src/lib/gpu.node.ts';
import { keyFor, STREAMS } from '../../src/rng/index.ts';
import { type BenchTable, figure, median } from '../table.ts';
import { apartTable, callsOf, timeOf, without } from './apart.ts';
import { gpuCeiling } from './ceiling.ts';
import { randomWeights, shapeOf } from './model.ts';
import { torchProducts } from './torch.ts';

export interface Part {
  readonly name: string;
  /** Seconds after which the part is ended; the limits sum to at most eight minutes. */
  readonly limit: number;
  run(isTiny: boolean, log: (line: string) => void): Promise<BenchTable[]>;
}

/** Error above which a kernel is wrong rather than summing in another order. */
const WRONG = 1e-4;
const GROUP = 8;

const open = async () => createWebGpuDevice({ gpu: await openNodeGpu() });
const mb = (bytes: number) => figure(bytes / 1e6);

const adapter: Part = {
  name: 'adapter',
  limit: 30,
  async run() {
    const gpu = await openNodeGpu();
    const found = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (!found) throw new Error('WebGPU offers no adapter');
    const { vendor, architecture, device, description } = found.info;
    const limits: string[][] = [];
    for (const name in found.limits) {
      const value = (found.limits as unknown as Record<string, unknown>)[name];
      if (typeof value === 'number') limits.push([name, String(value)]);
    }
    const lab = await open();
    const chosen = Object.entries(lab.matmulChoice).map(([shape, variant]) => [`products of ${shape} rows`, variant]);
    const rows = [
      ...Object.entries({ vendor, architecture, device, description }),
      ...unitsOf(gpu, found),
      ['taken for software', String(lab.isSoftware)],
      ['subgroups in sums', String(lab.subgroup)],
      ...chosen,
      ...Object.entries(lab.packedChoice).map(([kernel, ways]) => [
        `${kernel} of ${PACKED_ROWS.map((rows) => `up to ${rows}`).join(', ')} rows`,
        ways.map((way) => way ?? 'unpacked first').join(', '),
      ]),
      ['operations of a submit', `${figure(lab.workPerSubmit / 1e9)} · 10⁹`],
      ['an operation of attention, in products’', figure(lab.attentionCost)],
    ];
    lab.destroy();
    return [
      { title: 'Adapter', note: 'As WebGPU names it, and what the lab chose by measuring.', columns: ['', ''], rows },
      { title: 'Limits', note: 'Of the adapter.', columns: ['limit', 'value'], rows: limits },
    ];
  },
};

/** Dawn's switches without which Node hides 16-bit floats and matrix units of an NVIDIA driver. The lab enables none of them. */
const SWITCHES = ['allow_unsafe_apis', 'vulkan_enable_f16_on_nvidia', 'use_vulkan_memory_model'];

interface MatrixConfig {
  componentType: string;
  resultComponentType: string;
  M: number;
  N: number;
  K: number;
}

/** Lists features of the adapter and of the shader language; subgroup matrices as C [M, N] += A [M, K] B [K, N]. */
function unitsOf(gpu: GPU, { features, info }: GPUAdapter): [string, string][] {
  const { subgroupMatrixConfigs = [] } = info as { subgroupMatrixConfigs?: readonly MatrixConfig[] };
  const matrices = [...subgroupMatrixConfigs].map(
    ({ componentType, resultComponentType, M, N, K }) => `${M}×${N}×${K} ${componentType} → ${resultComponentType}`,
  );
  return [
    ['features', [...features].sort().join(', ')],
    ['language', [...gpu.wgslLanguageFeatures].sort().join(', ')],
    ['subgroup matrices', matrices.join(', ') || 'none'],
  ];
}

const switches: Part = {
  name: 'switches',
  limit: 30,
  async run(_, log) {
    const gpu = await openNodeGpu(SWITCHES);
    const found = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (!found) throw new Error('WebGPU offers no adapter');
    const rows = unitsOf(gpu, found);
    log(`subgroup matrices: ${rows.at(-1)![1]}`);
    return [
      {
        title: 'Adapter, with switches',
        note: `The same with ${SWITCHES.join(', ')}, which browsers have off too.`,
        columns: ['', ''],
        rows,
      },
    ];
  },
};

const kernels: Part = {
  name: 'kernels',
  limit: 100,
  async run(_, log) {
    const device = await open();
    const [exact, plain] = [await createCpuDevice({ precision: 'f64' }), await createCpuDevice({})];
    const found = new Map<string, { cases: number; equal: number; worst: number }>();
    for (const one of kernelCases()) {
      const row = found.get(one.kernel) ?? { cases: 0, equal: 0, worst: 0 };
      found.set(one.kernel, row);
      const [ours, wanted, bits] = [await runCase(device, one), await runCase(exact, one), await runCase(plain, one)];
      const words = (data: ArrayBufferView) => new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);
      row.cases++;
      if ([...ours].every(([name, data]) => words(data).every((word, i) => word === words(bits.get(name)!)[i])))
        row.equal++;
      for (const [name, data] of ours) {
        const error = relativeError(data, wanted.get(name)!);
        if (!(error <= row.worst)) row.worst = error;
      }
    }
    device.destroy();
    const wrong = [...found].filter(([, { worst }]) => !(worst <= WRONG)).map(([kernel]) => kernel);
    log(wrong.length ? `wrong: ${wrong.join(', ')}` : `${found.size} kernels agree with the CPU`);
    return [
      {
        title: 'Every kernel against the CPU',
        note: `${wrong.length ? `**Wrong: ${wrong.join(', ')}.**` : `All ${found.size} are within ${WRONG}.`} Largest difference to double precision, relative to the largest number of the buffer; and cases whose every bit is the plain CPU device’s.`,
        columns: ['kernel', 'cases', 'equal to the bit', 'largest difference'],
        rows: [...found].map(([kernel, { cases, equal, worst }]) => [
          kernel,
          String(cases),
          String(equal),
          worst.toExponential(1),
        ]),
      },
    ];
  },
};

const calls: Part = {
  name: 'calls',
  limit: 30,
  async run(_, log) {
    const device = await open();
    const [a, b] = [put(device, randomMatrix(8, 64, 1), 'a'), device.alloc(512, 'f32', 'b')];
    const call = () => device.run('copy', [a, b], { n: 512, srcOff: 0, dstOff: 0 });
    const waits = async (wait: () => Promise<unknown>) => {
      const times: number[] = [];
      for (let i = 0; i < 30; i++) {
        const begun = performance.now();
        call();
        await wait();
        times.push(performance.now() - begun);
      }
      return median(times);
    };
    const wait = await waits(() => device.sync());
    const read = await waits(() => device.read(b, 0, 1));
    const one = await timeOf(device, call);
    log(`a wait ${figure(wait)} ms, a read ${figure(read)} ms, a call ${figure(1000 * one.whole)} µs`);
    device.destroy();
    return [
      {
        title: 'What a call costs',
        note: 'A kernel that does next to nothing: 512 numbers are copied. Median of 30, and of calls by the thousand.',
        columns: ['what', 'µs'],
        rows: [
          ['one call, and waiting for it', figure(1000 * wait)],
          ['one call, and reading a number', figure(1000 * read)],
          ['one call among thousands', figure(1000 * one.whole)],
          ['of it, what the host does', figure(1000 * one.host)],
        ],
      },
    ];
  },
};

const products: Part = {
  name: 'products',
  limit: 70,
  async run(isTiny, log) {
    const ceiling = await gpuCeiling(await openNodeGpu(), isTiny);
    log(`ceiling: ${figure(ceiling.f32)} GFLOP/s`);
    const device = await open();
    const shapes = isTiny
      ? [[64, 64, 64]]
      : [
          [512, 512, 512],
          [4096, 4096, 4096],
          [2048, 3072, 1024],
          [8, 3072, 1024],
          [64, 3072, 1024],
        ];
    const rows: string[][] = [];
    for (const [m, n, k] of device.isSoftware ? shapes.slice(0, 1) : shapes) {
      for (const kernel of ['matmul', 'matmul_f16'] as const) {
        const weights = kernel === 'matmul' ? randomMatrix(n, k, 2) : new Uint32Array((n * k) / 2).fill(0x3c003c00);
        const buffers = [
          put(device, randomMatrix(m, k, 1), 'a'),
          put(device, weights, 'b'),
          device.alloc(m * n, 'f32', 'c'),
        ];
        const { ta: _, tb: __, ...half } = matmulParams(m, n, k, 0, 1);
        const go = () =>
          kernel === 'matmul'
            ? device.run('matmul', buffers, matmulParams(m, n, k, 0, 1))
            : device.run('matmul_f16', buffers, half);
        const { whole: ms } = await timeOf(device, go);
        for (const buffer of buffers) buffer.free();
        const gflops = (2 * m * n * k) / ms / 1e6;
        rows.push([`${m} × ${n} × ${k}`, kernel, figure(ms), figure(gflops), figure(gflops / ceiling.f32)]);
        log(rows[rows.length - 1].join('  '));
      }
    }
    const byVariant: string[][] = [];
    const { matmulChoice } = device;
    for (const [m, n, k] of device.isSoftware ? [] : shapes.slice(1)) {
      const buffers = [
        put(device, randomMatrix(m, k, 1), 'a'),
        put(device, randomMatrix(n, k, 2), 'b'),
        device.alloc(m * n, 'f32', 'c'),
      ];
      const cells: string[] = [];
      for (const variant of MATMUL_VARIANTS) {
        device.matmulChoice = matmulEverywhere(variant);
        const { whole } = await timeOf(device, () => device.run('matmul', buffers, matmulParams(m, n, k, 0, 1)));
        cells.push(figure((2 * m * n * k) / whole / 1e6));
      }
      for (const buffer of buffers) buffer.free();
      byVariant.push([`${m} × ${n} × ${k}`, ...cells]);
      log(byVariant[byVariant.length - 1].join('  '));
    }
    device.matmulChoice = matmulChoice;
    const chosen = Object.entries(matmulChoice)
      .map(([rows, variant]) => `${variant} for ${rows} rows`)
      .join(', ');
    device.destroy();
    return [
      {
        title: 'Products',
        note: `Chosen here: ${chosen}. The adapter gives ${figure(ceiling.f32)} GFLOP/s of fused multiply-adds in registers in f32, and ${ceiling.f16 === null ? 'has no f16' : `${figure(ceiling.f16)} in f16`}. matmul_f16 keeps its weights in 16 bits and computes in f32.`,
        columns: ['shape', 'kernel', 'ms', 'GFLOP/s', 'share of the f32 ceiling'],
        rows,
      },
      {
        title: 'Variants of a product',
        note: 'GFLOP/s of matmul, each variant for every shape; all give the same bits. The lab chooses one for a class of shapes (above).',
        columns: ['shape', ...MATMUL_VARIANTS],
        rows: byVariant,
      },
    ];
  },
};

/** Storage that the memory plan chooses for a step on this device. */
function planned(device: Awaited<ReturnType<typeof open>>, isTiny: boolean, promptTokens: number, maxNew: number) {
  const config = shapeOf(isTiny);
  const size = { prompts: 1, sequences: GROUP, promptTokens };
  const work: PlannedWork = {
    kind: 'webgpu',
    rollouts: [{ ...size, maxNew }],
    scores: [{ ...size, completionTokens: maxNew, segments: 1 }],
  };
  const plan = planStorage(config, work, planLimits(device));
  if (!plan.ok) throw new Error(`${plan.reason}. ${plan.remedy}`);
  const { maxBindingBytes } = device.limits;
  return {
    ...plan,
    config,
    need: memoryNeed(config, { ...work, storage: plan.storage, form: plan.form, maxBindingBytes }),
  };
}

const promptOf = (tokens: number, vocab: number) => Array.from({ length: tokens }, (_, i) => (i * 12_347) % vocab);

const decode: Part = {
  name: 'decode',
  limit: 90,
  async run(isTiny, log) {
    const device = await open();
    const [promptTokens, maxNew] = isTiny ? [8, 4] : [64, 33];
    const { storage, config } = planned(device, isTiny, promptTokens, maxNew);
    const engine = await Engine.create({ device, config, weights: randomWeights(config), storage, adapter: 'none' });
    const rows: string[][] = [];
    let apart: BenchTable | undefined;
    for (const count of [1, 8, 64]) {
      const write = (tokens: number) =>
        engine.generate({
          prompts: [promptOf(promptTokens, config.vocab)],
          sequences: Array.from({ length: count }, (_, i) => ({ prompt: 0, key: keyFor(3, STREAMS.rollout, i) })),
          maxNew: tokens,
          temperature: 1,
          endTokens: [],
        });
      const timed = async (tokens: number): Promise<number> => {
        const begun = performance.now();
        await write(tokens);
        return performance.now() - begun;
      };
      await timed(2);
      const [firsts, alls]: number[][] = [[], []];
      for (let round = 0; round < 3; round++) {
        firsts.push(await timed(1));
        alls.push(await timed(maxNew));
      }
      const [first, all] = [Math.min(...firsts), Math.min(...alls)];
      const rate = all > first ? figure((1000 * count * (maxNew - 1)) / (all - first)) : 'less than the noise';
      rows.push([String(count), figure(first), rate]);
      log(`${count} sequences: ${rate} tokens/s`);
      if (count !== GROUP) continue;
      const [one, two] = [await callsOf(device, () => write(2)), await callsOf(device, () => write(3))];
      const calls = without(two.calls, one.calls);
      apart = await apartTable(device, `A token of ${GROUP} sequences, taken apart`, {
        calls,
        ms: Math.max(0, all - first) / (maxNew - 1),
      });
      log(apart.note);
      one.free();
      two.free();
    }
    engine.free();
    device.destroy();
    return [
      {
        title: 'Decoding',
        note: `${isTiny ? 'A tiny model' : 'Qwen3-0.6B’s shape'} with random weights in ${storage}; a prompt of ${promptTokens} tokens, ${maxNew} new ones. Shortest of 3 rounds; tokens a second count those after the first.`,
        columns: ['sequences', 'prompt and first token, ms', 'tokens/s'],
        rows,
      },
      ...(apart ? [apart] : []),
    ];
  },
};

const factoring: Part = {
  name: 'svd',
  limit: 90,
  async run(isTiny, log) {
    const device = await open();
    const config = shapeOf(isTiny);
    const counts = new Map<string, number>();
    for (const role of linearsOf(config, 0)) {
      const shape = linearShape(config, role).join(' × ');
      counts.set(shape, (counts.get(shape) ?? 0) + config.layers);
    }
    await svd(device, randomMatrix(8, 8, 1), 8, 8); // compiles
    const rows: string[][] = [];
    let total = 0;
    for (const [shape, count] of counts) {
      const [dOut, dIn] = shape.split(' × ').map(Number);
      const begun = performance.now();
      const { sweeps } = await svd(device, randomMatrix(dOut, dIn, 2), dOut, dIn);
      const seconds = (performance.now() - begun) / 1000;
      total += seconds * count;
      rows.push([shape, String(count), String(sweeps), figure(seconds), figure(seconds * count)]);
      log(rows[rows.length - 1].join('  '));
    }
    device.destroy();
    rows.push([
      'all, from one of each',
      String([...counts.values()].reduce((a, b) => a + b, 0)),
      '',
      '',
      figure(total),
    ]);
    return [
      {
        title: 'Singular vectors of every Linear',
        note: `${isTiny ? 'A tiny model' : 'Qwen3-0.6B'}’s shapes, random matrices. One of each shape is factored; the last column multiplies by how many there are.`,
        columns: ['matrix', 'in the model', 'sweeps', 's', 's for all of them'],
        rows,
      },
    ];
  },
};

const step: Part = {
  name: 'step',
  limit: 90,
  async run(isTiny, log) {
    const device = await open();
    const [promptTokens, maxNew] = isTiny ? [8, 4] : [64, 64];
    const { storage, form, config, need, reason } = planned(device, isTiny, promptTokens, maxNew);
    log(reason);
    const begun = performance.now();
    const engine = await Engine.create({
      device,
      config,
      weights: randomWeights(config),
      storage,
      form,
      adapter: standIns,
    });
    await device.sync();
    const load = performance.now() - begun;
    const prompt = promptOf(promptTokens, config.vocab);
    const stepOnce = () => grpoStep(engine, { prompt, group: GROUP, maxNew, lr: 1e-3, now: () => performance.now() });
    const done = await stepOnce();
    const { peak } = device.memory();
    const { times: again } = await stepOnce();
    log(
      `a second step: ${Object.entries(again)
        .map(([name, ms]) => `${name} ${figure(ms / 1000)} s`)
        .join(', ')}`,
    );
    const prefix = isTiny ? 8 : 64;
    const sequences = Array.from({ length: GROUP }, (_, i) => ({
      prompt,
      completion: promptOf(prefix + i, config.vocab).slice(i),
      segment: 0,
    }));
    const training = async () => {
      const scored = await engine.score(sequences, 1);
      await scored.backward(scored.logprobs.map((row) => row.map(() => 0.01)));
      scored.free();
    };
    await training(); // compiles, for these lengths
    const began = performance.now();
    await training();
    await device.sync();
    const ms = performance.now() - began;
    const noted = await callsOf(device, training);
    const apart = await apartTable(device, 'Scores and gradients, taken apart', {
      calls: [...noted.calls.values()],
      ms,
    });
    log(apart.note);
    noted.free();
    engine.free();
    device.destroy();
    const { rollout, score, backward, update } = done.times;
    return [
      {
        title: 'A GRPO step',
        note: `${isTiny ? 'A tiny model' : 'Qwen3-0.6B’s shape'}, random weights, ${GROUP} completions of ${maxNew} tokens after a prompt of ${promptTokens}. The plan: ${reason}. ${peak > need.total ? '**More memory was taken than planned.**' : 'Memory is within the plan.'}`,
        columns: ['what', 'value'],
        rows: [
          ['storage', storage],
          ['planned, MB', mb(need.total)],
          ['taken, MB', mb(peak)],
          ...Object.entries({ load, rollout, score, backward, update }).map(([name, ms]) => [
            `${name}, s`,
            figure(ms / 1000),
          ]),
          ...Object.entries(again).map(([name, ms]) => [`${name} once more, s`, figure(ms / 1000)]),
          ['rollout’s tokens/s', figure((1000 * done.tokens) / again.rollout)],
          ['largest difference of a log-probability, rollout and training', done.gap.toExponential(1)],
          ['gradient’s norm', figure(done.gradNorm)],
          [
            'Σ advantage · log-probability, before and after',
            `${figure(done.objective.before)}, ${figure(done.objective.after)}`,
          ],
        ],
      },
      apart,
    ];
  },
};

const torch: Part = { name: 'torch', limit: 60, run: (isTiny) => torchProducts(isTiny) };

export const PARTS: readonly Part[] = [adapter, switches, kernels, calls, products, decode, factoring, step, torch];
