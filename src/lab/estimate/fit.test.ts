import { describe, expect, it } from 'vitest';
import { shapeNamed } from '../../engine/shapes.ts';
import { fitOf, type StepSize } from './fit.ts';

const STEP: StepSize = { adapter: 'svd', rank: 32, prompts: 1, group: 8, promptTokens: 256, maxNew: 512 };
const small = shapeNamed('minimind2-small');
const limits = (totalBytes: number) => ({ totalBytes, bindingBytes: 2e9 });

describe('whether a step fits', () => {
  it('is planned with the most exact storage that fits', async () => {
    const roomy = await fitOf(small, STEP, 'auto', 'webgpu', limits(6e9));
    expect(roomy).toMatchObject({ fits: true, storage: 'f32', remedies: [] });
    const tight = await fitOf(small, STEP, 'auto', 'webgpu', limits(roomy.need.total - 1), 'folded');
    expect(tight).toMatchObject({ fits: true, storage: 'f16' });
  });

  it('keeps a LoRA beside the weights if its folded copy does not fit, before it stores fewer bits', async () => {
    const lora = { ...STEP, adapter: 'lora' } as const;
    const roomy = await fitOf(small, lora, 'auto', 'webgpu', limits(6e9));
    expect(roomy).toMatchObject({ fits: true, storage: 'f32', form: 'folded' });
    const tight = await fitOf(small, lora, 'auto', 'webgpu', limits(roomy.need.total - 1));
    expect(tight).toMatchObject({ fits: true, storage: 'f32', form: 'unfolded' });
    // Two products each for q, k and v (which have biases here), o and down, and two for gate and up, separately from norm and activation.
    expect(tight.callsPerToken - roomy.callsPerToken).toBe(14 * small.layers);
    const named = await fitOf(small, lora, 'f32', 'webgpu', limits(6e9), 'unfolded');
    expect(named.need).toEqual(tight.need);
    const least = await fitOf(small, lora, 'auto', 'webgpu', limits(tight.need.total - 1));
    expect(least).toMatchObject({ storage: 'f16' });
  });

  it('names single changes after which it fits, no larger than necessary', async () => {
    const { need } = await fitOf(small, STEP, 'f32', 'webgpu', limits(6e9));
    const short = await fitOf(small, STEP, 'f32', 'webgpu', limits(need.total * 0.8));
    expect(short.fits).toBe(false);
    const group = short.remedies.map(({ change }) => /^--group (\d+)/.exec(change)?.[1]).find(Boolean);
    const fitOfGroup = (size: number) =>
      fitOf(small, { ...STEP, group: size }, 'f32', 'webgpu', limits(need.total * 0.8));
    expect((await fitOfGroup(Number(group))).fits).toBe(true);
    expect((await fitOfGroup(Number(group) + 1)).fits).toBe(false);
    expect(short.remedies.every(({ need: after }) => after.total <= need.total * 0.8)).toBe(true);
  });

  it('offers nothing if no single change helps', async () => {
    const { fits, remedies } = await fitOf(shapeNamed('qwen3-4b'), STEP, 'auto', 'webgpu', limits(3e9));
    expect([fits, remedies]).toEqual([false, []]);
  });
});
