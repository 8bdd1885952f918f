// Measures larger shapes on the CPU device, with random weights, from a folder on disk to a GRPO step: a whole model of 26 million parameters; two
// layers of Qwen3-0.6B with its whole vocabulary, for each way in which the frozen parts can be stored on the device; all its 28 layers in 8 bits
// with few tokens, since in 16 bits the frozen parts alone take 4.3 GB and the CPU device has the 4 GiB of one WebAssembly memory; and four layers
// of Qwen3.5-0.8B, three of them linear. Reports planned and used memory, and time by phase.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine } from '../src/engine/decoder/engine.ts';
import { memoryNeed, type PlannedWork } from '../src/engine/memory/memory.ts';
import { planStorage } from '../src/engine/memory/plan.ts';
import { QWEN3_06B, QWEN3_26M, QWEN35_08B, withLayers } from '../src/engine/testing/qwen3.ts';
import { standIns } from '../src/engine/testing/stand-ins.ts';
import { grpoStep } from '../src/experiments/testing/grpo-step.ts';
import { createCpuDevice } from '../src/kernels/cpu/device.ts';
import { loadModelFiles } from '../src/storage/model-files.ts';
import { diskSource } from '../src/storage/sources.node.ts';
import { writeRandomModel } from '../src/storage/testing/random-model.node.ts';
import { type Bench, cpuMs, figure } from './table.ts';

const CUTS = [
  { name: '26 M', shape: QWEN3_26M, layers: 8, storages: ['f32', 'q8'], promptTokens: 64, maxNew: 40 },
  { name: '0.6 B', shape: QWEN3_06B, layers: 2, storages: ['f32', 'f16', 'q8'], promptTokens: 32, maxNew: 24 },
  { name: '0.6 B', shape: QWEN3_06B, layers: 28, storages: ['q8'], promptTokens: 16, maxNew: 12 },
  { name: '0.8 B hybrid', shape: QWEN35_08B, layers: 4, storages: ['q8'], promptTokens: 32, maxNew: 24 },
] as const;
const GROUP = 8;
/** Largest difference of rollouts and training with which they count as the same policy. */
const GAP = 1e-3;

const mb = (bytes: number) => figure(bytes / 1e6);
const seconds = (ms: number) => figure(ms / 1000);

async function measure(cut: (typeof CUTS)[number], log: (line: string) => void): Promise<string[][]> {
  const { name, shape, layers, storages, promptTokens, maxNew } = cut;
  const prompt = Array.from({ length: promptTokens }, (_, i) => (i * 12_347) % shape.vocab);
  const folder = mkdtempSync(join(tmpdir(), 'random-qwen-'));
  const config = withLayers(shape, layers);
  const size = { prompts: 1, sequences: GROUP, promptTokens };
  const work: PlannedWork = {
    kind: 'cpu',
    rollouts: [{ ...size, maxNew }],
    scores: [{ ...size, completionTokens: maxNew, segments: 1 }],
  };
  const rows: string[][] = [];
  try {
    log(`${name}: writing random weights of ${layers} layers …`);
    await writeRandomModel(folder, config);
    for (const storage of storages) {
      log(`${layers} layers, ${storage} …`);
      const device = await createCpuDevice();
      const started = cpuMs();
      const { weights } = await loadModelFiles(diskSource(folder));
      const engine = await Engine.create({ device, config, weights, storage, adapter: standIns });
      const loaded = cpuMs() - started;
      const step = await grpoStep(engine, { prompt, group: GROUP, maxNew, lr: 1e-3, now: cpuMs });
      if (!(step.gap < GAP)) throw new Error(`${storage}: rollouts and training differ by ${step.gap}`);
      const { peak } = device.memory();
      const need = memoryNeed(config, { ...work, storage });
      if (peak > need.total) throw new Error(`${storage}: ${peak} bytes were taken, ${need.total} planned`);
      const { rollout, score, backward, update } = step.times;
      rows.push([
        name,
        String(layers),
        `${promptTokens} + ${maxNew}`,
        storage,
        ...[need.total, peak].map(mb),
        ...[loaded, rollout, score, backward, update].map(seconds),
        step.gap === 0 ? '0' : step.gap.toExponential(1),
      ]);
      engine.free();
      device.destroy();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}

export const qwenBench: Bench = {
  name: 'qwen',
  async run(log) {
    const rows: string[][] = [];
    for (const cut of CUTS) rows.push(...(await measure(cut, log)));
    return [
      {
        title: 'Shapes of 26 M to 0.8 B parameters on the CPU',
        note:
          `Random weights in BF16, ${GROUP} completions; processor seconds of one step. Orthonormal matrices stand for the singular vectors: ` +
          'the arithmetic is the same, and factoring is measured by itself. The last column is the largest difference between a rollout’s and training’s log-probability.',
        columns: [
          ...[
            'shape',
            'layers',
            'prompt + new tokens',
            'storage',
            'planned, MB',
            'taken, MB',
            'load',
            'rollout',
            'score',
            'backward',
            'update',
          ],
          'largest difference',
        ],
        rows,
      },
      planTable(),
    ];
  },
};

/** Table of the memory that a GPU needs for a step of full length. */
function planTable() {
  const of = (promptTokens: number, maxNew: number): PlannedWork => ({
    kind: 'webgpu',
    rollouts: [{ prompts: 1, sequences: GROUP, promptTokens, maxNew }],
    scores: [{ prompts: 1, sequences: GROUP, promptTokens, completionTokens: maxNew, segments: 1 }],
    optimizer: { vectors: 8, bases: [12] },
  });
  const work = of(256, 512);
  const { reason } = planStorage(QWEN3_06B, work, { totalBytes: 6e9, bindingBytes: 2 ** 31 });
  return {
    title: 'The memory plan of Qwen3-0.6B',
    note: `One GRPO step of ${GROUP} completions of 512 tokens after a prompt of 256, on WebGPU; MB by the plan. Chosen for 6 GB: ${reason}.`,
    columns: ['storage', 'weights', 'W’', 'U, Vh', 'keys, values', 'activations', 'bases', 'total', 'largest buffer'],
    rows: (['f32', 'f16', 'q8'] as const).map((storage) => {
      const need = memoryNeed(QWEN3_06B, { ...work, storage });
      const { weights, folded, factors, keyValues, activations, optimizer, total, largest } = need;
      return [storage, ...[weights, folded, factors, keyValues, activations, optimizer, total, largest].map(mb)];
    }),
  };
}
