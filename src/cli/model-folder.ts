// What the commands on a model of one's own share: the folder they name, and its singular vectors, kept in a cache folder.
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Device } from '../kernels/device.ts';
import { type FactoredModel, factorModel } from '../storage/factor-cache.ts';
import type { ModelFiles } from '../storage/model-files.ts';
import { diskFile } from '../storage/sources.node.ts';
import { text } from './args.ts';
import type { CommandContext } from './command.ts';
import { writeWhole } from './ports.node.ts';

export const MODEL_FLAG = text('DIR', 'Folder in Hugging Face’s layout; the embedded tiny-coder where absent.', null);
export const CACHE_FLAG = text('DIR', 'Where singular vectors are kept, by the sha-256 of each weight.', '.cache/svd');

export function modelFolder(model: string | null, root: string): string {
  return model === null ? join(root, 'public', 'models', 'tiny-coder') : resolve(model);
}

/** One or two lines for stderr. */
export function modelLines({ config, parameters, bytes, ignored }: ModelFiles): string[] {
  const millions = (n: number) => (n / 1e6).toFixed(1);
  const lines = [
    `${config.architecture}, ${config.layers} layers of width ${config.hiddenSize}, ${millions(parameters)} M parameters (${millions(bytes)} MB on disk, ${millions(4 * parameters)} MB on the device).`,
  ];
  if (ignored.length > 0) lines.push(`Not used by this model and left out: ${ignored.join(', ')}.`);
  return lines;
}

/** Factors of every Linear, from the cache folder where they are there. */
export async function factorInto(
  folder: string,
  device: Device,
  { config, weights }: ModelFiles,
  { progress, signal, root }: Pick<CommandContext, 'progress' | 'signal' | 'root'>,
): Promise<FactoredModel> {
  const path = resolve(root, folder);
  const model = await factorModel({
    ...{ device, config, weights, signal },
    store: { read: (name) => diskFile(join(path, name)), write: (name, bytes) => writeWhole(join(path, name), bytes) },
    onProgress: (share, module) => progress.update('singular vectors, %', 100 * share, 100, module),
    // The CPU device never waits: without this, a Ctrl-C would not be heard.
    breathe: () => setImmediate(),
  });
  progress.end();
  progress.note(
    `${model.found.length} of ${model.factors.size} Linears were in ${folder}, ${model.computed.length} were factored.`,
  );
  return model;
}
