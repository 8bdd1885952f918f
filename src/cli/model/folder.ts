// Code shared by commands on a person's own model: the folder that they name, and its singular vectors, kept in a cache folder.
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { duration } from '@projected-grpo-lab/base/commands/progress.ts';
import type { Device } from '../../kernels/device.ts';
import type { SvdMethod } from '../../kernels/svd.ts';
import { type FactorOptions, factorModel, keepFactors, secondsLeft } from '../../storage/factor-cache.ts';
import { loadModelFiles, type ModelFiles } from '../../storage/model-files.ts';
import { onnxFileIn } from '../../storage/onnx/with-words.ts';
import { diskFile, diskSource } from '../../storage/sources.node.ts';
import { text } from '../args.ts';
import type { CommandContext } from '../command.ts';
import { writeWhole } from '../ports.node.ts';
import { breathe } from '../shown.ts';

export const MODEL_FLAG = text('DIR', 'Folder in Hugging Face’s layout; the embedded tiny-coder where absent.', null);
export const CACHE_FLAG = text('DIR', 'Where singular vectors are kept, by the sha-256 of each weight.', '.cache/svd');

export function modelFolder(model: string | null, root: string): string {
  return model === null ? join(root, 'public', 'models', 'tiny-coder') : resolve(model);
}

/** Lines for stderr: the model, and which parts of its folder are left out or read otherwise than they say. */
export function modelLines({ config, parameters, bytes, ignored, notes }: ModelFiles): string[] {
  const millions = (n: number) => (n / 1e6).toFixed(1);
  const lines = [
    `${config.architecture}, ${config.layers} layers of width ${config.hiddenSize}, ${millions(parameters)} M parameters (${millions(bytes)} MB on disk, ${millions(4 * parameters)} MB in f32).`,
  ];
  if (ignored.length > 0) lines.push(`Not used by this model and left out: ${ignored.join(', ')}.`);
  return [...lines, ...notes];
}

/** Reads a model's files, and prints what the model is. Throws FormatError. */
export async function readModel(folder: string, { note }: CommandContext['progress']): Promise<ModelFiles> {
  const files = await loadModelFiles(diskSource(folder));
  for (const line of modelLines(files)) note(line);
  return files;
}

type Hooks = Pick<CommandContext, 'progress' | 'signal' | 'root'>;

/** Computes factors by `make` with the cache folder, and says how many were there. */
const factorsBy =
  <Made extends { found: string[]; computed: string[] }>(make: (options: FactorOptions) => Promise<Made>) =>
  async (
    folder: string,
    device: Device,
    { config, weights }: ModelFiles,
    { progress, signal, root }: Hooks,
    method?: SvdMethod,
  ): Promise<Made> => {
    const path = resolve(root, folder);
    let started = Date.now();
    const made = await make({
      device,
      config,
      weights,
      signal,
      method,
      store: {
        read: (name) => diskFile(join(path, name)),
        write: (name, bytes) => writeWhole(join(path, name), bytes),
      },
      onProgress: (share, module, work) => {
        // Cached factors cost next to nothing, and would make the rest look quick.
        if (work.done === 0) started = Date.now();
        const left = secondsLeft(work, (Date.now() - started) / 1000);
        progress.line(
          `singular vectors ${Math.floor(100 * share)}%  ${module}${left === null ? '' : `  ETA ${duration(left)}`}`,
        );
      },
      breathe,
    });
    const { found, computed } = made;
    progress.end();
    progress.note(
      `${found.length} of ${found.length + computed.length} Linears were in ${folder}, ${computed.length} were factored.`,
    );
    return made;
  };

/** Factors of every Linear, read from the cache folder where they are there. */
export const factorInto = factorsBy(factorModel);
/** The same for a command that reads one Linear after the other: the host never holds all of them. */
export const keepInto = factorsBy(keepFactors);

/** The ONNX file of a model's folder; null where there is none. */
export const onnxFileOf = async (folder: string): Promise<string | null> =>
  onnxFileIn(await readdir(join(folder, 'onnx')).catch(() => []));
