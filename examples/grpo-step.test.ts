// Tests the example of docs/how-to/engine.md: it gives the same numbers twice, its step does not lower the rewards, it runs on WebGPU, and the
// document shows the file's own lines.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../src/kernels/cpu/device.ts';
import { createWebGpuDevice } from '../src/kernels/webgpu/device.ts';
import { openNodeGpu } from '../src/lib/gpu.node.ts';
import { diskSource } from '../src/storage/sources.node.ts';
import { grpoStep } from './grpo-step.ts';
import { PROMPT, reward } from './task.ts';

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const FOLDER = at('public/models/tiny-arithmetic');

describe('the engine by itself', () => {
  it('takes the same GRPO step twice in Node', async () => {
    const [once, again] = [
      await grpoStep(await createCpuDevice(), diskSource(FOLDER), PROMPT, reward),
      await grpoStep(await createCpuDevice(), diskSource(FOLDER), PROMPT, reward),
    ];
    expect(again).toEqual(once);
    expect(
      once.rewards.some((paid) => paid === 1) && once.rewards.some((paid) => paid === 0),
      String(once.rewards),
    ).toBe(true);
    expect(once.gradient.some((g) => g !== 0)).toBe(true);
    const paidAfter = once.after.map(reward).reduce((sum, one) => sum + one, 0);
    expect(paidAfter).toBeGreaterThanOrEqual(once.rewards.reduce((sum, one) => sum + one, 0));
  });

  it('takes the step on WebGPU', async (test) => {
    const gpu = await openNodeGpu().catch(() => null);
    if (!gpu) return test.skip('no WebGPU adapter here');
    const device = await createWebGpuDevice({ gpu }).catch(() => null);
    if (!device) return test.skip('no WebGPU adapter here');
    const { answers, rewards } = await grpoStep(device, diskSource(FOLDER), PROMPT, reward);
    expect(answers).toHaveLength(8);
    expect(rewards.some((paid) => paid === 1)).toBe(true);
    device.destroy();
  });

  it('is shown in the document line by line', () => {
    const example = readFileSync(at('examples/grpo-step.ts'), 'utf8').trim();
    expect(readFileSync(at('docs/how-to/engine.md'), 'utf8')).toContain(`\`\`\`ts\n${example}\n\`\`\``);
  });
});
