// What the lab needs from the machine when it runs in Node: Dawn, the embedded model on disk, files written whole (disk.node.ts).
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import type { DeviceChoice } from '../experiments/spec/spec.ts';
import { type ChosenDevice, chooseDevice } from '../lab/equipment/devices.ts';
import { openNodeGpu } from '../lib/gpu.node.ts';
import { loadModelFiles, type ModelFiles } from '../storage/model-files.ts';
import { diskSource } from '../storage/sources.node.ts';

export { writeWhole } from '../storage/disk.node.ts';

export function chooseNodeDevice(choice: DeviceChoice): Promise<ChosenDevice> {
  return chooseDevice(choice, openNodeGpu);
}

/** A model below public/models. */
export function loadEmbeddedModel(root: string, model: string): Promise<ModelFiles> {
  return loadModelFiles(diskSource(join(root, 'public', 'models', model)));
}

/** For records and tables: no host name, no user. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() || process.arch;
  return `${availableParallelism()} cores of ${model}, Node ${process.versions.node}, ${process.platform}`;
}
