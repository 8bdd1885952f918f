// For tests: an embedded model as it is committed. Its files are those that its manifest names, and it opens.
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { Engine } from '../../engine/decoder/engine.ts';
import type { Policy } from '../../engine/types.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { loadModelFiles, type ModelFiles } from '../../storage/model-files.ts';
import { diskFile, diskSource } from '../../storage/sources.node.ts';
import { sha256 } from '../../storage/sources.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { loadCodec } from '../../text/codec.ts';

interface Manifest<Rates> {
  training: { device: string; machine: string };
  rates: Rates;
  files: Record<string, { bytes: number; sha256: string }>;
}

interface CommittedModel<Rates> {
  files: ModelFiles;
  rates: Rates;
  /** Total size of the files that the manifest names. */
  bytes: number;
  policy: Policy;
  codec: PromptCodec;
  /** Whether the rates must be reproduced to the last digit: another version's Math.cos may differ in the last bit and change a token. */
  isWhereRecorded: boolean;
}

/** The caller frees the policy. Fails where a file's size, hash or text differs from the record. */
export async function openCommitted<Rates>(
  name: string,
  texts: Record<string, string> = {},
): Promise<CommittedModel<Rates>> {
  const folder = resolve('public', 'models', name);
  const files = await loadModelFiles(diskSource(folder));
  const { files: recorded, rates, training } = files.manifest as Manifest<Rates>;
  let bytes = 0;
  for (const [file, { bytes: size, sha256: hash }] of Object.entries(recorded)) {
    const found = await diskFile(join(folder, file));
    expect([found?.size, found && (await sha256(found))], file).toEqual([size, hash]);
    bytes += size;
  }
  for (const [file, text] of Object.entries(texts))
    expect(await (await diskFile(join(folder, file)))?.text(), file).toBe(text);
  const device = await createCpuDevice();
  return {
    files,
    rates,
    bytes,
    policy: await Engine.create({ device, config: files.config, weights: files.weights, adapter: 'none' }),
    codec: await loadCodec(files.tokenizerJson as object, files.tokenizerConfig as object),
    isWhereRecorded: training.device.startsWith('CPU') && training.machine.includes(`Node ${process.versions.node},`),
  };
}
