// The lab's ports to the machine in Node: Dawn, the embedded model on disk, files written whole (disk.node.ts).
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import type { Progress } from '@projected-grpo-lab/base/commands/progress.ts';
import { allowFused } from '../kernels/cpu/fused.node.ts';
import { nodeThreads } from '../kernels/cpu/threads/threads.node.ts';
import { type ChosenDevice, chooseDevice, makersOf } from '../lab/equipment/devices.ts';
import { openNodeGpu } from '../lib/gpu.node.ts';
import { loadModelFiles, type ModelFiles } from '../storage/model-files.ts';
import { diskSource } from '../storage/sources.node.ts';
import type { DeviceFlags } from './device-flags.ts';

export { writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';

export function chooseNodeDevice({ device, threads, mostThreads, isPlain }: DeviceFlags): Promise<ChosenDevice> {
  allowFused();
  const own = threads ?? undefined;
  return chooseDevice(device, openNodeGpu, makersOf(nodeThreads(mostThreads ?? own, own), isPlain));
}

/** The chosen device, with a line that names it: `Device: CPU (WASM SIMD), 2 threads. The CPU was chosen.` */
export async function openDevice(flags: DeviceFlags, progress: Pick<Progress, 'note'>): Promise<ChosenDevice> {
  const chosen = await chooseNodeDevice(flags);
  const { name, threads = 1, reason } = chosen.report;
  progress.note(`Device: ${name}${threads > 1 ? `, ${threads} threads` : ''}. ${reason}`);
  return chosen;
}

/** A model below public/models. */
export function loadEmbeddedModel(root: string, model: string): Promise<ModelFiles> {
  return loadModelFiles(diskSource(join(root, 'public', 'models', model)));
}

/** Machine for records and tables: no host name, no user. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() || process.arch;
  return `${availableParallelism()} cores of ${model}, Node ${process.versions.node}, ${process.platform}`;
}
