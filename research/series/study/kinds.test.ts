import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { expect, it } from 'vitest';
import { bytesSource, SafetensorsFile } from '../../../src/storage/safetensors.ts';
import { writeSafetensors } from '../../../src/storage/safetensors-write.ts';
import { kindNorms, kindsTable } from './kinds.ts';

const open = (tensors: Record<string, number[]>) => {
  const entries = Object.entries(tensors).map(
    ([name, data]) => [name, { dtype: 'F32', shape: [data.length], data: Float32Array.from(data) }] as const,
  );
  return SafetensorsFile.open(bytesSource(writeSafetensors(new Map(entries))), 'run');
};

it('sums squared norms of the whole update and of its quarantine by kind of linear layer', async () => {
  const file = await open({
    'δS/model.layers.0.linear_attn.in_proj_a': [0, 0],
    'δS_hack/model.layers.0.linear_attn.in_proj_a': [0, 3],
    'δS/model.layers.0.mlp.up_proj': [1, 1],
    'δS_hack/model.layers.0.mlp.up_proj': [0, 1],
    'δS/model.layers.1.mlp.up_proj': [2, 0],
    'δS_hack/model.layers.1.mlp.up_proj': [0, 0],
  });
  const norms = await kindNorms(file);
  expect(norms).toEqual([
    { role: 'in_proj_a', modules: 1, parameters: 2, whole: 9, quarantine: 9 },
    { role: 'up_proj', modules: 2, parameters: 4, whole: 9, quarantine: 1 },
  ]);
  expect(kindsTable('', [norms]).rows).toEqual([
    ['in_proj_a', '1', '33.3%', '50.0%', '90.0%', '100.0%'],
    ['up_proj', '2', '66.7%', '50.0%', '10.0%', '11.1%'],
  ]);
});

it('refuses a checkpoint without a quarantine', async () => {
  await expect(kindNorms(await open({ 'δS/model.layers.0.mlp.up_proj': [1] }))).rejects.toThrow(FormatError);
});
