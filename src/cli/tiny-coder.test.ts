// The embedded model as it is committed: its files are those that its manifest names, and its three rates are measured again
// with the real grader. On the CPU device and the Node version that recorded them they must come out exactly the same (another version's
// Math.cos may differ in the last bit and turn a token).
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { Engine } from '../engine/engine.ts';
import { createNodeGrader } from '../environments/code/grader/node-grader.node.ts';
import { type BaseRates, measureRounds } from '../experiments/base-rates.ts';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { loadModelFiles } from '../storage/model-files.ts';
import { diskFile, diskSource } from '../storage/sources.node.ts';
import { sha256 } from '../storage/sources.ts';
import { loadCodec } from '../text/codec.ts';

const FOLDER = resolve('public', 'models', 'tiny-coder');

interface Manifest {
  training: { device: string; machine: string };
  rates: BaseRates;
  files: Record<string, { bytes: number; sha256: string }>;
}

it('has the rates that its manifest records, within what the experiment needs', async () => {
  const files = await loadModelFiles(diskSource(FOLDER));
  const manifest = files.manifest as Manifest;
  for (const [name, { bytes, sha256: recorded }] of Object.entries(manifest.files)) {
    expect(existsSync(join(FOLDER, name)), name).toBe(true);
    const file = (await diskFile(join(FOLDER, name)))!;
    expect([file.size, await sha256(file)], name).toEqual([bytes, recorded]);
  }
  expect(files.parameters).toBe(853_376);

  const device = await createCpuDevice();
  const policy = await Engine.create({ device, config: files.config, weights: files.weights, adapter: 'none' });
  const grader = await createNodeGrader();
  const codec = loadCodec(files.tokenizerJson as object, files.tokenizerConfig as object);
  const rates = await measureRounds({ policy, codec, grader }, manifest.rates.n / 320);
  await grader.close();
  policy.free();
  expect(rates.format).toBeGreaterThanOrEqual(0.98);
  expect(rates.solve).toBeGreaterThanOrEqual(0.35);
  expect(rates.solve).toBeLessThanOrEqual(0.45);
  expect(rates.hack).toBeLessThanOrEqual(0.04);
  const { device: recordedOn, machine } = manifest.training;
  if (recordedOn.startsWith('CPU') && machine.includes(`Node ${process.versions.node},`)) {
    expect(rates).toEqual(manifest.rates);
  }
}, 300_000);
