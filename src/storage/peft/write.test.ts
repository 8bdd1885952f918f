// Tests that singular directions, truncated to a LoRA of lower rank, have the errors of ../shared/exchange/peft (skipped if it is missing).
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import { updatesOf } from '../../engine/adapters/low-rank.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { loadModelFiles } from '../model-files.ts';
import { SafetensorsFile } from '../safetensors.ts';
import { diskFile, diskSource } from '../sources.node.ts';
import { peftFiles } from './write.ts';

const SHARED = resolve('../shared');
const ORACLE = join(SHARED, 'oracle/qwen3-tied');
const EXPECTED = join(SHARED, 'exchange/peft/expected.json');
const isHere = existsSync(EXPECTED) && existsSync(ORACLE);
if (!isHere) console.log('write.test.ts: ../shared/exchange/peft is missing; nothing of it is checked.');

describe.skipIf(!isHere)('δS as a LoRA', () => {
  const wanted: Record<string, Record<string, number>> = isHere
    ? JSON.parse(readFileSync(EXPECTED, 'utf8')).svd.relative_error
    : {};

  it.each([4, 16, null])('at rank %s', async (rank) => {
    const { config } = await loadModelFiles(diskSource(ORACLE));
    const oracle = await SafetensorsFile.open((await diskFile(join(ORACLE, 'expected.safetensors')))!, 'oracle');
    const layout = adapterLayout(config);
    const params = new Float32Array(layout.total);
    for (const { name, offset } of layout.modules) params.set(await oracle.readF32(`grpo.dS0/${name}`), offset);
    const part = (name: string) => async (module: { name: string }) => oracle.readF32(`svd.${name}/${module.name}`);
    const [U, S, Vh] = ['U', 'S', 'Vh'].map(part);
    const factors = async (module: { name: string }) => ({
      U: await U(module),
      S: await S(module),
      Vh: await Vh(module),
    });
    const given = { layout, adapter: 'svd', trained: params, deployed: params, factors } as const;
    const device = await createCpuDevice();
    const made = await peftFiles({
      modules: layout.modules,
      layers: config.layers,
      updates: updatesOf(given, 'trained'),
      device,
      rank,
      dtype: 'f32',
      base: 'qwen3-tied',
      metadata: {},
    });
    device.destroy();
    expect(made.modules.map(({ module }) => module).sort()).toEqual(Object.keys(wanted).sort());
    for (const { module, rank: whole, relativeError } of made.modules)
      expect(relativeError, module).toBeCloseTo(wanted[module][String(rank ?? whole)], 6);
    expect([made.r, made.exact, made.maxLoraRank]).toEqual([rank ?? 64, rank === null, { 4: 8, 16: 16 }[rank!] ?? 64]);
  });
});
