// Measures whole published shapes on the CPU device, one thread, from a folder of random weights to a GRPO step, in the storage and form that the
// plan chooses: planned and used memory, and time by phase. Each model has its own process, whose peak is one of the figures.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FactorReader } from '../src/engine/adapters/svd.ts';
import { Engine } from '../src/engine/decoder/engine.ts';
import { hostNeed } from '../src/engine/memory/host.ts';
import { memoryNeed, type PlannedWork } from '../src/engine/memory/memory.ts';
import { planLimits, planStorage } from '../src/engine/memory/plan.ts';
import { shapeNamed } from '../src/engine/shapes.ts';
import { QWEN3_06B, QWEN35_08B } from '../src/engine/testing/qwen3.ts';
import { standIns } from '../src/engine/testing/stand-ins.ts';
import type { AdapterSettings, ModelConfig } from '../src/engine/types.ts';
import { grpoStep } from '../src/experiments/testing/grpo-step.ts';
import { createCpuDevice } from '../src/kernels/cpu/device.ts';
import { PLAIN_VECTORS } from '../src/lab/estimate/memory.ts';
import { loadModelFiles } from '../src/storage/model-files.ts';
import { diskSource } from '../src/storage/sources.node.ts';
import { writeRandomModel } from '../src/storage/testing/random-model.node.ts';
import { type Bench, type BenchTable, cpuMs, figure } from './table.ts';

const GROUP = 8;

interface Whole {
  name: string;
  config: ModelConfig;
  adapter: AdapterSettings;
  adapterName: string;
  /** Replaces the singular vectors, whose computation takes minutes. */
  factors?: FactorReader;
  promptTokens: number;
  maxNew: number;
}

/** Peak bytes of this process; null if the system does not report it. */
function processPeak(): number | null {
  try {
    return 1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  } catch {
    return null;
  }
}

/** Table for one model with all layers, stored as the plan chooses. */
async function wholeTable(whole: Whole, log: (line: string) => void): Promise<BenchTable> {
  const { name, config, adapter, adapterName, factors, promptTokens, maxNew } = whole;
  const size = { prompts: 1, sequences: GROUP, promptTokens };
  const work: PlannedWork = {
    kind: 'cpu',
    adapter,
    rollouts: [{ ...size, maxNew }],
    scores: [{ ...size, completionTokens: maxNew, segments: 1 }],
  };
  const folder = mkdtempSync(join(tmpdir(), 'random-qwen-'));
  try {
    log(`${name}: writing random weights of ${config.layers} layers …`);
    await writeRandomModel(folder, config, { repeats: true });
    const device = await createCpuDevice();
    const plan = planStorage(config, work, planLimits(device));
    if (!plan.ok) throw new Error(plan.reason);
    const { storage, form, need } = plan;
    const started = cpuMs();
    const { weights, config: read } = await loadModelFiles(diskSource(folder));
    const engine = await Engine.create({ device, config: read, weights, storage, form, adapter: factors ?? adapter });
    const loaded = cpuMs() - started;
    log(`${name}: loaded, ${storage}, ${form}`);
    const prompt = Array.from({ length: promptTokens }, (_, i) => (i * 12_347) % config.vocab);
    const step = await grpoStep(engine, { prompt, group: GROUP, maxNew, lr: 1e-3, now: cpuMs });
    const { peak } = device.memory();
    // A step's parameter vectors are in the process's memory, in addition to the device's buffers.
    const beside = { ...work, storage, form, optimizer: { vectors: PLAIN_VECTORS, bases: [] } };
    const ofProcess = memoryNeed(config, beside).total + hostNeed(config, beside, 0).runtime;
    const taken = processPeak();
    engine.free();
    device.destroy();
    if (peak > need.total) throw new Error(`${peak} bytes were taken, ${need.total} planned`);
    const { rollout, score, backward, update } = step.times;
    return {
      title: `All of ${name}, from a folder to a GRPO step`,
      note: `Random weights as the model is published, ${GROUP} completions of ${maxNew} tokens behind ${promptTokens}, ${adapterName}, one thread; MB, and processor seconds. The plan chose ${storage}, ${form}. A rollout’s and training’s log-probabilities differ by at most ${step.gap.toExponential(1)}.`,
      columns: [
        ...['device, planned', 'device, taken', 'planned / taken', 'process, planned', 'process, taken'],
        ...['load', 'rollout', 'score', 'backward', 'update'],
      ],
      rows: [
        [
          ...[need.total / 1e6, peak / 1e6, need.total / peak, ofProcess / 1e6].map(figure),
          taken === null ? '–' : figure(taken / 1e6),
          ...[loaded, rollout, score, backward, update].map((ms) => figure(ms / 1000)),
        ],
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const wholes: readonly (Whole & { bench: string })[] = [
  {
    bench: 'hybrid-whole',
    name: 'Qwen3.5-0.8B',
    config: QWEN35_08B,
    adapter: { adapter: 'lora', loraRank: 32 },
    adapterName: 'a LoRA of rank 32',
    promptTokens: 16,
    maxNew: 4,
  },
  {
    bench: 'svd-whole',
    name: 'Qwen3-0.6B',
    config: QWEN3_06B,
    adapter: { adapter: 'svd', loraRank: 0 },
    adapterName: 'a parameter for each singular direction (orthonormal matrices stand for the singular vectors)',
    factors: standIns,
    promptTokens: 24,
    maxNew: 16,
  },
  ...(['qwen3-1.7b', 'qwen3-4b'] as const).map((shape) => ({
    bench: `${shape}-whole`,
    name: shape.replace('qwen', 'Qwen').replace('b', 'B'),
    config: shapeNamed(shape),
    adapter: { adapter: 'lora' as const, loraRank: 32 },
    adapterName: 'a LoRA of rank 32',
    promptTokens: 24,
    maxNew: 16,
  })),
];

export const wholeBenches: readonly Bench[] = wholes.map(({ bench, ...whole }) => ({
  name: bench,
  run: async (log) => [await wholeTable(whole, log)],
}));
