// What the lab needs from the machine when it runs in Node: Dawn, the embedded model on disk, files written whole.
import { mkdir, open, rename } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { DeviceChoice } from '../experiments/spec.ts';
import { type ChosenDevice, chooseDevice } from '../lab/devices.ts';
import { openNodeGpu } from '../lib/gpu.node.ts';
import { loadModelFiles, type ModelFiles } from '../storage/model-files.ts';
import { diskSource } from '../storage/sources.node.ts';

export function chooseNodeDevice(choice: DeviceChoice): Promise<ChosenDevice> {
  return chooseDevice(choice, openNodeGpu);
}

/** A model below public/models. */
export function loadEmbeddedModel(root: string, model: string): Promise<ModelFiles> {
  return loadModelFiles(diskSource(join(root, 'public', 'models', model)));
}

/** The file is either the old one or the whole new one, whatever happens meanwhile. */
export async function writeWhole(path: string, data: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  const file = await open(part, 'w');
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}

/** For records and tables: no host name, no user. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() || process.arch;
  return `${availableParallelism()} cores of ${model}, Node ${process.versions.node}, ${process.platform}`;
}
