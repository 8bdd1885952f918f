// The computed need against what the CPU device measured.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { knobLayout } from './config.ts';
import { Engine } from './engine.ts';
import { memoryNeed, type OptimizerSize } from './memory.ts';
import { randomIds, randomWeights, SMALL } from './testing/models.ts';
import type { Sequence } from './types.ts';

/** All completions run to their limit here, so that little else than the arena's slack is between the two. */
const FACTOR = 1.15;
const PROMPT = 20;
const NEW = 24;
const GROUPS = 3;
const EACH = 4;

describe.each([
  ['qwen3', 'svd'],
  ['qwen2', 'svd'],
  ['llama', 'svd'],
  ['qwen3', 'lora'],
] as const)('the memory that %s needs with %s', (name, kind) => {
  const config = SMALL[name];
  const adapter = { adapter: kind, loraRank: 6 };

  it(`is within a factor of ${FACTOR} of what a rollout and a step take`, async () => {
    const device = await createCpuDevice({ precision: 'f32' });
    const engine = await Engine.create({ device, config, weights: randomWeights(config, 7, 1), adapter });
    const prompts = Array.from({ length: GROUPS }, (_, i) => randomIds(config, i + 1, PROMPT));
    await engine.generate({
      prompts,
      sequences: prompts.flatMap((_, prompt) =>
        Array.from({ length: EACH }, (_, i) => ({ prompt, key: [prompt, i] as const })),
      ),
      maxNew: NEW,
      temperature: 1,
      endTokens: [],
    });
    // The first half of a group are students, the second teachers: two segments, the prompt in both.
    const sequences: Sequence[] = prompts.flatMap((prompt, g) =>
      Array.from({ length: EACH }, (_, i) => ({
        prompt,
        completion: randomIds(config, 10 * g + i + 9, NEW),
        segment: i < EACH / 2 ? 0 : 1,
      })),
    );
    const batch = await engine.score(sequences, 2);
    await batch.backward(sequences.map(({ completion }) => new Float32Array(completion.length).fill(1)));
    batch.free();

    const size = { sequences: GROUPS * EACH, promptTokens: PROMPT };
    const need = memoryNeed(config, {
      rollouts: [{ ...size, prompts: GROUPS, maxNew: NEW }],
      scores: [{ ...size, prompts: 2 * GROUPS, completionTokens: NEW, segments: 2 }],
      kind: 'cpu',
      adapter,
    });
    const { peak } = device.memory();
    expect(need.total / peak).toBeGreaterThan(1 / FACTOR);
    expect(need.total / peak).toBeLessThan(FACTOR);
    const { total, largest, ...parts } = need;
    expect(Object.values(parts).reduce((sum, bytes) => sum + bytes, 0)).toBe(total);
    expect(largest).toBeLessThan(total);
    engine.free();
  });
});

describe('memoryNeed', () => {
  it('grows with the group, and not with the rest of a request that is sampled in parts', () => {
    const config = SMALL.qwen3;
    const of = (sequences: number) =>
      memoryNeed(config, {
        rollouts: [{ prompts: 1, sequences, promptTokens: 10, maxNew: 100 }],
        scores: [],
        kind: 'cpu',
      }).keyValues;
    expect(of(128)).toBeGreaterThan(1.9 * of(64));
    expect(of(512)).toBe(of(128));
  });

  it('counts the optimizer where it lies, and a LoRA by its A and B', () => {
    const config = SMALL.qwen3;
    const adapter = { adapter: 'lora', loraRank: 4 } as const;
    const of = (kind: 'cpu' | 'webgpu', optimizer: OptimizerSize) =>
      memoryNeed(config, { rollouts: [], scores: [], kind, adapter, optimizer });
    const { modules, total } = knobLayout(config, adapter);
    expect(of('cpu', { vectors: 5, bases: [] }).optimizer).toBe(4 * 5 * total);
    expect(of('webgpu', { vectors: 5, bases: [] }).optimizer).toBe(0);
    expect(of('webgpu', { vectors: 5, bases: [2, 3] }).optimizer).toBe(4 * (5 + 6) * total);
    expect(of('webgpu', { vectors: 5, bases: [] }).factors).toBe(
      4 * 4 * modules.reduce((n, m) => n + m.dIn + m.dOut, 0),
    );
  });

  it('keeps activations within their budget for a batch of any size', () => {
    const config = SMALL.qwen3;
    const of = (sequences: number) =>
      memoryNeed(config, {
        rollouts: [],
        scores: [{ prompts: 1, sequences, promptTokens: 10, completionTokens: 1000, segments: 2 }],
        kind: 'cpu',
      });
    expect(of(2000).activations).toBeGreaterThan(of(1000).activations);
    expect(Number.isFinite(of(1e6).total)).toBe(true);
  });
});
