// Code shared by commands on a person's own model: the folder that they name, with an adapter where one is named, and its singular vectors,
// kept in a cache folder.
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { duration } from '@projected-grpo-lab/base/commands/progress.ts';
import type { AdapterSettings } from '../../engine/types.ts';
import type { Device } from '../../kernels/device.ts';
import type { SvdMethod } from '../../kernels/svd.ts';
import { type FactorOptions, factorModel, keepFactors, secondsLeft } from '../../storage/factor-cache.ts';
import { loadModelFiles, type ModelFiles } from '../../storage/model-files.ts';
import { onnxFileIn } from '../../storage/onnx/with-words.ts';
import type { AdapterFacts } from '../../storage/peft/adapter.ts';
import type { ContinuedFiles } from '../../storage/peft/continue.ts';
import { diskFile, diskSource } from '../../storage/sources.node.ts';
import { text } from '../args.ts';
import type { CommandContext } from '../command.ts';
import { yieldToEvents } from '../drain.ts';
import { writeWhole } from '../ports.node.ts';
import { ADAPTER_FLAG, adaptedName, adapterSource, baseFolder, withAdapter } from './adapter.ts';

export const MODEL_FLAG = text('DIR', 'Folder in Hugging Face’s layout; the embedded tiny-coder where absent.', null);
/** Flags of every command that takes a model of one's own. */
export const MODEL_FLAGS = { model: MODEL_FLAG, adapter: ADAPTER_FLAG } as const;
/** Their values. */
export interface ModelChoice {
  model: string | null;
  adapter: string | null;
}

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

export interface OpenModel {
  /** Folder of the model, or of the adapter's base. */
  folder: string;
  /** The folder's name, and the adapter's behind it. */
  name: string;
  /** The adapter is folded in. */
  files: ModelFiles;
  adapter: AdapterFacts | null;
  /** Start of a run that continues the adapter, whose weights are then those of the bare base; null if the adapter is folded in. */
  continues: Pick<ContinuedFiles, 'initial' | 'baseSha256'> | null;
}

/** The one door to `--model` and `--adapter`. `onHashed` is called as in `loadModelFiles`; `trains`: the adapter of a run, which may continue
 *  the given one. Throws SpecError, FormatError, HubError. */
export async function openModel(
  { model, adapter }: ModelChoice,
  context: Pick<CommandContext, 'progress' | 'signal' | 'root'>,
  onHashed?: (done: number, total: number) => void,
  trains: AdapterSettings | null = null,
): Promise<OpenModel> {
  const source = adapter === null ? null : await adapterSource(adapter, context);
  const folder = source && model === null ? await baseFolder(source, context.root) : modelFolder(model, context.root);
  const files = await loadModelFiles(diskSource(folder), onHashed);
  if (!source) return { folder, name: basename(folder), files, adapter: null, continues: null };
  const adapted = await withAdapter(files, source, context, trains);
  return {
    folder,
    name: adaptedName(basename(folder), adapter!),
    files: adapted,
    adapter: adapted.adapter,
    continues: 'initial' in adapted ? adapted : null,
  };
}

/** Opens a model, and prints what it is. Throws as `openModel`. */
export async function readModel(
  choice: ModelChoice,
  context: Pick<CommandContext, 'progress' | 'signal' | 'root'>,
  trains: AdapterSettings | null = null,
): Promise<OpenModel> {
  const opened = await openModel(choice, context, undefined, trains);
  for (const line of modelLines(opened.files)) context.progress.note(line);
  return opened;
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
      breathe: yieldToEvents,
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

/** The ONNX file of a model's folder; null if there is none. */
export const onnxFileOf = async (folder: string): Promise<string | null> =>
  onnxFileIn(await readdir(join(folder, 'onnx')).catch(() => []));
