// Opens a folder's model on a device, as commands do: prints the device, and the memory needed where the work is known beforehand.
import { Engine, type EngineOptions } from '../../engine/decoder/engine.ts';
import type { WeightStorage } from '../../engine/types.ts';
import type { ChosenDevice } from '../../lab/equipment/devices.ts';
import type { ModelFiles } from '../../storage/model-files.ts';
import type { CommandContext } from '../command.ts';
import type { DeviceFlags } from '../device-flags.ts';
import { openDevice } from '../ports.node.ts';
import { chooseStorage, hostLine, type RequestedWork } from './storage-choice.ts';

interface EngineUse {
  /** No adapter where absent. */
  adapter?: EngineOptions['adapter'];
  /** Weights are in f32 where nothing is planned. */
  plan?: {
    storage: 'auto' | WeightStorage;
    work: RequestedWork;
    /** Whether to print the process's memory beside the device too. */
    isHostReported?: boolean;
  };
}

interface OpenEngine extends ChosenDevice {
  engine: Engine;
  storage: WeightStorage;
  /** Frees the engine, its device and the line of progress. */
  free(): void;
}

export async function openEngine(
  files: Pick<ModelFiles, 'config' | 'weights' | 'textBytes'>,
  flags: DeviceFlags,
  { progress, signal }: Pick<CommandContext, 'progress' | 'signal'>,
  { adapter = 'none', plan }: EngineUse = {},
): Promise<OpenEngine> {
  const chosen = await openDevice(flags, progress);
  const { device } = chosen;
  const close = () => {
    progress.end();
    device.destroy();
  };
  try {
    const placed = plan ? chooseStorage(plan.storage, files.config, plan.work, device) : AS_THEY_ARE;
    const { storage, form, line } = placed;
    if (line !== null) progress.note(line);
    if (plan?.isHostReported) progress.note(hostLine(files, plan.work, placed, device));
    const { config, weights } = files;
    const engine = await Engine.create({ device, config, weights, adapter, storage, form, signal });
    const free = () => {
      engine.free();
      close();
    };
    return { ...chosen, engine, storage, free };
  } catch (error) {
    close();
    throw error;
  }
}

const AS_THEY_ARE = { storage: 'f32', form: 'folded', line: null } as const;
