// Compares Qwen3.5 with Qwen3 on the CPU device, one thread: decoding and a GRPO step with four layers of Qwen3.5-0.8B and four of Qwen3-0.6B. Both
// vocabularies are cut to the same size so that layers are most of the work; rounds alternate in one process. The compared figure is time per
// computing parameter.
import { Engine } from '../src/engine/decoder/engine.ts';
import { initialWeights } from '../src/engine/decoder/trainer.ts';
import { QWEN3_06B, QWEN35_08B, withLayers } from '../src/engine/testing/qwen3.ts';
import type { ModelConfig } from '../src/engine/types.ts';
import { weightShapes } from '../src/engine/weight-names.ts';
import { grpoStep } from '../src/experiments/testing/grpo-step.ts';
import { createCpuDevice } from '../src/kernels/cpu/device.ts';
import { keyFor, STREAMS } from '../src/rng/index.ts';
import { type Bench, type BenchTable, cpuMs, figure, median } from './table.ts';

const ROUNDS = 3;
const CUT = { layers: 4, vocab: 16_384, maxPositions: 512 };
const [PROMPT, NEW, GROUP] = [16, 6, 8];
const LORA = { adapter: 'lora', loraRank: 32 } as const;
const SEQUENCES = [1, 8, 64];

async function timed(work: () => void | Promise<void>): Promise<number> {
  const before = cpuMs();
  await work();
  return cpuMs() - before;
}

const promptOf = ({ vocab }: ModelConfig) => Array.from({ length: PROMPT }, (_, i) => (i * 12_347) % vocab);

/** Number of parameters that each token is computed with: the layers' and the head's. */
const parametersOf = (config: ModelConfig) =>
  [...weightShapes(config)].reduce((sum, [, shape]) => sum + shape.reduce((n, width) => n * width, 1), 0);

async function shapesTable(log: (line: string) => void): Promise<BenchTable> {
  const shapes = [
    { name: 'Qwen3.5-0.8B', shape: QWEN35_08B },
    { name: 'Qwen3-0.6B', shape: QWEN3_06B },
  ];
  const models = [];
  for (const { name, shape } of shapes) {
    const config = { ...withLayers(shape, CUT.layers), vocab: CUT.vocab, maxPositions: CUT.maxPositions };
    const device = await createCpuDevice();
    const engine = await Engine.create({ device, config, weights: initialWeights(config, 1), adapter: LORA });
    models.push({ name, config, engine, times: new Map<string, number[]>() });
  }
  for (let round = -1; round < ROUNDS; round++) {
    for (const { config, engine, times } of models) {
      const add = (work: string, ms: number) => {
        if (round >= 0) times.set(work, [...(times.get(work) ?? []), ms]);
      };
      for (const count of SEQUENCES) {
        const decode = (maxNew: number) =>
          timed(async () => {
            await engine.generate({
              prompts: [promptOf(config)],
              sequences: Array.from({ length: count }, (_, i) => ({ prompt: 0, key: keyFor(3, STREAMS.rollout, i) })),
              maxNew,
              temperature: 1,
              endTokens: [],
            });
          });
        // Both times include the prompt and the first token, which equal rows share, so the difference is decoding
        // alone.
        const [few, many] = [await decode(2), await decode(2 + NEW)];
        add(`decode, ${count}`, (many - few) / NEW);
      }
      const step = await grpoStep(engine, {
        prompt: promptOf(config),
        group: GROUP,
        maxNew: NEW,
        lr: 1e-3,
        now: cpuMs,
      });
      const { rollout, score, backward, update } = step.times;
      add('score', score);
      add('backward', backward);
      add('GRPO step', rollout + score + backward + update);
    }
    log(`hybrid: round ${round + 2} of ${ROUNDS + 1}`);
  }
  for (const { engine } of models) {
    engine.free();
    engine.device.destroy();
  }
  const [hybrid, full] = models;
  const [ofHybrid, ofFull] = [parametersOf(hybrid.config), parametersOf(full.config)];
  return {
    title: 'Four layers of Qwen3.5-0.8B beside four of Qwen3-0.6B',
    note: `Random weights in f32, a LoRA of rank ${LORA.loraRank}, one thread, a vocabulary of ${CUT.vocab} in both: ${(ofHybrid / 1e6).toFixed(1)} M parameters (three linear layers, one with full attention) and ${(ofFull / 1e6).toFixed(1)} M. Processor milliseconds, medians of ${ROUNDS} rounds in turns; decoding: of a token of every sequence, behind a prompt of ${PROMPT}; the step: ${GROUP} completions of ${NEW} tokens. The aim is no more than 1.3 per parameter.`,
    columns: ['work', hybrid.name, full.name, 'its time / Qwen3’s', 'per parameter'],
    rows: [...hybrid.times.keys()].map((work) => {
      const [ours, theirs] = [hybrid, full].map(({ times }) => median(times.get(work)!));
      return [work, ...[ours, theirs, ours / theirs, ours / ofHybrid / (theirs / ofFull)].map(figure)];
    }),
  };
}

export const hybridBench: Bench = { name: 'hybrid', run: async (log) => [await shapesTable(log)] };
