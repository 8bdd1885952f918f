// `--adapter` of every command that takes a person's own model: a LoRA adapter of PEFT, in a folder or on the Hub, and the base that it
// names where no --model is given.
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { AdapterSettings } from '../../engine/types.ts';
import type { ModelFiles } from '../../storage/model-files.ts';
import { HUB } from '../../storage/models/http.ts';
import { hubAdapterName, openHubAdapter } from '../../storage/models/hub-adapter.ts';
import { folderSafe } from '../../storage/models/keep.ts';
import { adapterLine, readAdapterConfig, readPeftAdapter } from '../../storage/peft/adapter.ts';
import { type ContinuedFiles, continuedFiles } from '../../storage/peft/continue.ts';
import { type AdaptedFiles, adaptedFiles } from '../../storage/peft/fold.ts';
import { diskSource } from '../../storage/sources.node.ts';
import type { FileSource } from '../../storage/sources.ts';
import { text } from '../args.ts';
import type { CommandContext } from '../command.ts';

export const ADAPTER_FLAG = text(
  'DIR|REPO',
  'A LoRA adapter of PEFT that is folded into the model: a folder with adapter_config.json and adapter_model.safetensors, or OWNER/NAME[@REVISION] of the Hub. Without --model, into the base that it names.',
  null,
);

export type AdapterContext = Pick<CommandContext, 'progress' | 'signal' | 'root'>;

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );

/** The adapter's two files. Throws SpecError, HubError. */
export async function adapterSource(given: string, { progress, signal }: AdapterContext): Promise<FileSource> {
  const path = resolve(given);
  if (await isFolder(path)) return diskSource(path);
  const named = hubAdapterName(given);
  if (named === null)
    throw new SpecError(
      `--adapter ${given}: there is no such folder.`,
      'Name a folder with adapter_config.json and adapter_model.safetensors, or OWNER/NAME of the Hub.',
    );
  progress.note(`There is no folder ${given}; fetching it from the Hub …`);
  const source = await openHubAdapter(named.repo, named.revision, {
    endpoint: process.env.HF_ENDPOINT || HUB,
    accessToken: process.env.HF_TOKEN || undefined,
    signal,
    onRetry: (why, waitMs) => progress.note(`${why}; trying again in ${waitMs / 1000} s`),
    onBytes: (done, total) => progress.update('fetching the adapter, MB', done / 1e6, total / 1e6),
  });
  return source;
}

/** The folder of the base that an adapter names: a folder, seen from the adapter's, or an embedded model. Throws SpecError. */
export async function baseFolder(source: FileSource, root: string): Promise<string> {
  const { base_model_name_or_path: base } = (await readAdapterConfig(source)).config;
  const remedy = 'Name the base’s folder with --model; `npm run lab -- download OWNER/NAME` fetches one of the Hub.';
  if (base === null) throw new SpecError(`${source.label} names no base (base_model_name_or_path).`, remedy);
  const sibling = resolve(source.label, base);
  if (await isFolder(sibling)) return sibling;
  const embedded = join(root, 'public', 'models', base);
  if (/^[\w.-]+$/.test(base) && !base.startsWith('.') && (await isFolder(embedded))) return embedded;
  throw new SpecError(
    `${source.label} is an adapter of ${JSON.stringify(base.slice(0, 200))} (base_model_name_or_path), which is neither a folder beside it nor an embedded model.`,
    remedy,
  );
}

/** A base with the adapter, and a print of what was read: continued where a run trains a LoRA (`trains`) that has room for it, folded
 *  otherwise. Throws FormatError. */
export async function withAdapter(
  files: ModelFiles,
  source: FileSource,
  { progress }: Pick<CommandContext, 'progress'>,
  trains: AdapterSettings | null = null,
): Promise<AdaptedFiles | ContinuedFiles> {
  const adapter = await readPeftAdapter(source, files);
  progress.end();
  progress.note(adapterLine(adapter));
  if (trains === null) return adaptedFiles(files, adapter);
  const continued = await continuedFiles(files, adapter, trains);
  if ('files' in continued) {
    progress.note(`The run’s own LoRA of rank ${trains.loraRank} continues it.`);
    return continued.files;
  }
  progress.note(`It is folded into the base, since ${continued.why}.`);
  return adaptedFiles(files, adapter);
}

/** Name of an adapted model, made of its base's and the adapter's: `Qwen3-0.6B+hacker`. */
export const adaptedName = (base: string, adapter: string): string =>
  `${base}+${folderSafe(hubAdapterName(adapter) ? adapter.replace('/', '--') : basename(resolve(adapter)))}`;
