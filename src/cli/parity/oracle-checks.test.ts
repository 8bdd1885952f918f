// The method against float64 references (../shared/oracle beside the repository; skipped where it is missing), by the parity command's own
// comparisons: advantages and loss, extraction, projection, overlaps, the adapter parameters after one step of every arm. Each folder
// passes whole, and a reference that is changed by a little fails where it was changed.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { sharedTestDevice } from '../../kernels/webgpu/testing.ts';
import { SafetensorsFile } from '../../storage/safetensors.ts';
import { type TensorToWrite, writeSafetensors } from '../../storage/safetensors-write.ts';
import { diskSource } from '../../storage/sources.node.ts';
import type { FileSource } from '../../storage/sources.ts';
import { checkFolder } from './oracle-checks.ts';

const ROOT = resolve('..', 'shared', 'oracle');
const source = diskSource(resolve(ROOT, 'qwen2-bias'));
const { device, why } = await sharedTestDevice();

/** The folder with one tensor of the reference scaled. */
async function changed(name: string, factor: number): Promise<FileSource> {
  const file = await SafetensorsFile.open((await source.read('expected.safetensors'))!, 'expected');
  const tensors = new Map<string, TensorToWrite>();
  for (const [key, { shape, dtype }] of file.tensors) {
    const data = dtype === 'I32' ? await file.readI32(key) : await file.readF32(key);
    const given = dtype === 'I32' ? 'I32' : 'F32';
    tensors.set(key, { dtype: given, shape, data: key === name ? data.map((x) => x * factor) : data });
  }
  const bytes = new Blob([writeSafetensors(tensors)]);
  return { label: 'changed', read: async (path) => (path === 'expected.safetensors' ? bytes : source.read(path)) };
}

describe.skipIf(!existsSync(ROOT))('parity with a reference folder (../shared/oracle)', () => {
  it.each(['qwen3-tied', 'qwen3-untied', 'qwen2-bias', 'qwen35-tied', 'qwen35-untied'])(
    '%s passes whole',
    async (name) => {
      const checks = await checkFolder(await createCpuDevice(), diskSource(resolve(ROOT, name)), () => {});
      expect(checks.length).toBeGreaterThan(70);
      expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    },
  );

  it.skipIf(!device).each(['qwen3-tied', 'qwen35-tied', 'qwen35-untied'])(
    `%s passes whole on WebGPU ${why}`,
    async (name) => {
      const checks = await checkFolder(device!, diskSource(resolve(ROOT, name)), () => {});
      expect(checks.length).toBeGreaterThan(70);
      expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    },
  );

  const STEP = ['adamw.route.dS_hack', 'adamw.route.dS_hack, its step'];
  it.each([
    ['forward.logits', 1 + 3e-5, ['forward.logits', 'forward.logits']],
    ['grpo.g_student/model.layers.1.mlp.up_proj', 1 + 3e-4, ['grpo.g_student']],
    ['adamw.route.dS_hack/model.layers.0.self_attn.q_proj', 1.01, [...STEP, ...STEP]],
    ['update.route.dS_hack/model.layers.0.self_attn.q_proj', 1.01, ['update.route.dS_hack', 'update.route.dS_hack']],
  ])('notices %s times %d', async (tensor, factor, quantities) => {
    const checks = await checkFolder(await createCpuDevice(), await changed(tensor, factor), () => {});
    expect(checks.filter(({ ok }) => !ok).map(({ quantity }) => quantity)).toEqual(quantities);
  });
});
