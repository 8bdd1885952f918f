// Tests the memory plan of a model that is too large to load in a test, and its choices to save memory.
import { describe, expect, it } from 'vitest';
import { LOGITS_BUDGET } from '../passes/batch.ts';
import { type ShapeName, shapeNamed } from '../shapes.ts';
import { QWEN3_06B } from '../testing/qwen3.ts';
import type { WeightStorage } from '../types.ts';
import { memoryNeed, type PlannedWork } from './memory.ts';
import { ASSUMED_BYTES, planStorage } from './plan.ts';

const STEP = { prompts: 1, sequences: 8, promptTokens: 256 };
/** One GRPO step with a group of 8 and 512 new tokens each. */
const GRPO: PlannedWork = {
  kind: 'webgpu',
  rollouts: [{ ...STEP, maxNew: 512 }],
  scores: [{ ...STEP, completionTokens: 512, segments: 1 }],
  optimizer: { vectors: 8, bases: [12] },
};
/** Largest binding of a discrete GPU, bytes. */
const BINDING = 2 ** 31 - 4;

describe('a GRPO step of Qwen3-0.6B', () => {
  it('fits into 6 GB with W, U and Vh in f16 and W’ in f32', () => {
    const plan = planStorage(QWEN3_06B, GRPO, { totalBytes: 6e9, bindingBytes: BINDING });
    expect(plan.ok && plan.storage).toBe('f16');
    expect(plan.need.total).toBeLessThan(6e9);
    // Stored weights, counted by hand: Linears, embedding, norms, cos and sin.
    const linears = 28 * (3 * 3072 * 1024 + 2 * 2048 * 1024 + 2 * 1024 * 1024);
    expect(plan.need.weights).toBe(
      2 * (linears + 151936 * 1024) + 4 * (28 * (2 * 1024 + 2 * 128) + 1024) + 2 * 4 * 40960 * 64,
    );
    expect(plan.need.folded).toBeGreaterThan(4 * linears);
    expect(plan.need.factors).toBe(2 * 28 * 1024 * (3 * 4096 + 2 * 3072 + 2 * 2048));
    expect(plan.reason).toMatch(/^f16: 5\.\d\d GB of 6\.00 GB; f32 would need [\d.]+ GB$/);
  });

  it('chooses f32 if it fits, otherwise fewer bits, and refuses with numbers if nothing fits', () => {
    const at = (totalBytes: number, bindingBytes = BINDING) =>
      planStorage(QWEN3_06B, GRPO, { totalBytes, bindingBytes }, 'folded');
    expect(at(24e9)).toMatchObject({ ok: true, storage: 'f32' });
    const [mixed, bytes, four] = (['q8t16', 'q8g32', 'q4g32'] as const).map(
      (storage) => memoryNeed(QWEN3_06B, { ...GRPO, storage, maxBindingBytes: BINDING }).total,
    );
    expect(at(mixed)).toMatchObject({ ok: true, storage: 'q8t16' });
    expect(at(mixed - 1)).toMatchObject({ ok: true, storage: 'q8g32' });
    expect(at(bytes - 1)).toMatchObject({ ok: true, storage: 'q4g32' });
    expect(at(four - 1).ok).toBe(false);
    // q8 needs as much as q8g32 but is less exact, so it is used only on request.
    expect(memoryNeed(QWEN3_06B, { ...GRPO, storage: 'q8', maxBindingBytes: BINDING }).total).toBe(bytes);
    const none = at(2e9);
    expect(none.ok).toBe(false);
    expect(none.reason).toMatch(
      /f32 would need .* GB, f16 would need .* GB, q8t16 would need .* GB, q8g32 would need .* GB, q4g32 would need .* GB; the device has 2\.00 GB/,
    );
    expect(!none.ok && none.remedy).toMatch(/smaller model .*folded copy or scratch 1\.\d\d GB/);
    // At WebGPU's minimum binding size the table is split; a buffer that cannot be split is named.
    const small = at(24e9, 2 ** 27);
    expect(small).toMatchObject({ ok: true, storage: 'f32' });
    expect(small.need.largest).toBeLessThanOrEqual(2 ** 27);
    const tiny = at(24e9, 2 ** 24);
    expect(tiny.ok).toBe(false);
    expect(tiny.reason).toMatch(/one buffer of [\d.]+ MB; the device binds at most 16\.8 MB/);
    expect(!tiny.ok && tiny.remedy).toMatch(/shorter completions/);
  });

  it('leaves the adapter unfolded if its copies do not fit, before it chooses fewer bits', () => {
    const of = (form: 'folded' | 'unfolded') =>
      memoryNeed(QWEN3_06B, { ...GRPO, storage: 'f16', form, maxBindingBytes: BINDING }).total;
    const at = (totalBytes: number) => planStorage(QWEN3_06B, GRPO, { totalBytes, bindingBytes: BINDING });
    expect(at(of('folded'))).toMatchObject({ storage: 'f16', form: 'folded' });
    const tight = at(of('folded') - 1);
    expect(tight).toMatchObject({ ok: true, storage: 'f16', form: 'unfolded' });
    expect(tight.reason).toMatch(/^f16, the adapter not folded: .*; f32 would need .* GB, folded it would need .* GB$/);
    expect(at(of('unfolded') - 1)).toMatchObject({ storage: 'q8t16', form: 'unfolded' });
    // Without an adapter, or with all weights trained, there is only one form.
    for (const adapter of ['none', { adapter: 'full', loraRank: 0 }] as const)
      expect(planStorage(QWEN3_06B, { ...GRPO, adapter }, { totalBytes: 1e9, bindingBytes: BINDING }).ok).toBe(false);
  });

  it('plans at most the expected memory for a step of released models', () => {
    const step = { ...GRPO, rollouts: [{ ...STEP, maxNew: 512, willScore: true }], optimizer: undefined };
    const of = (shape: ShapeName, adapter: 'lora' | 'svd', storage: WeightStorage) =>
      memoryNeed(shapeNamed(shape), { ...step, adapter: { adapter, loraRank: 32 }, storage, form: 'unfolded' }).total;
    expect(of('qwen3-0.6b', 'lora', 'q8t16')).toBeLessThan(2.6e9);
    expect(of('qwen3-0.6b', 'svd', 'f16')).toBeLessThan(4e9);
    expect(of('qwen3-1.7b', 'lora', 'q8t16')).toBeLessThan(6e9);
    expect(of('qwen3-4b', 'lora', 'q4g32')).toBeLessThan(7e9);
  });

  it('assumes a budget if the device reports none, says so, and never refuses because of it', () => {
    const limits = { totalBytes: Number.POSITIVE_INFINITY, bindingBytes: BINDING };
    expect(planStorage(QWEN3_06B, GRPO, limits)).toMatchObject({ ok: true, storage: 'f16' });
    const many = { ...GRPO, scores: [{ ...GRPO.scores[0], sequences: 64, prompts: 8 }] };
    const plan = planStorage(QWEN3_06B, many, limits);
    expect(plan).toMatchObject({ ok: true, storage: 'q4g32' });
    expect(plan.need.total).toBeGreaterThan(ASSUMED_BYTES);
    expect(plan.reason).toMatch(/more than an assumed 6\.00 GB \(the device does not tell\)/);
  });

  it('needs neither factors nor a second copy to generate', () => {
    const work: PlannedWork = { kind: 'webgpu', rollouts: [{ ...STEP, maxNew: 512 }], scores: [], adapter: 'none' };
    const need = memoryNeed(QWEN3_06B, { ...work, storage: 'f16' });
    expect(need.factors).toBe(0);
    // Linears are unpacked one at a time.
    expect(need.folded).toBe(4 * 3072 * 1024);
    expect(memoryNeed(QWEN3_06B, work).folded).toBe(0);
    expect(need.total).toBeLessThan(2.6e9);
  });

  it('holds only a chunk of a batch’s logits, however long the batch', () => {
    for (const kind of ['cpu', 'webgpu'] as const)
      for (const storage of ['f32', 'f16'] as const) {
        const of = (completionTokens: number) =>
          memoryNeed(QWEN3_06B, {
            ...GRPO,
            kind,
            storage,
            rollouts: [],
            scores: [{ ...GRPO.scores[0], completionTokens }],
          });
        // Memory grows linearly with tokens, attention included.
        expect(of(1024).total - of(512).total).toBe(2 * (of(512).total - of(256).total));
        const grows = (of(512).activations - of(256).activations) / (8 * 256);
        // Bytes per target row: layer inputs, one layer's activations and their gradients; logits alone would take 608 kB.
        expect(grows).toBeLessThan(330_000);
        const table = storage === 'f32' ? 4 * 151936 * 1024 : 2 * 151936 * 1024;
        expect(of(512).largest).toBe(table);
      }
    expect(4 * LOGITS_BUDGET).toBeLessThan(2 ** 27);
  });
});
