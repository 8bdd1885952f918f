// A model folder in Hugging Face's layout (config.json, model.safetensors or its shards, tokenizer.json) → what the
// engine and the tokenizer are built from. Headers come first: whatever they tell is refused before weights are read.
import * as z from 'zod/mini';
import { parseConfig, weightShapes } from '../engine/config.ts';
import type { ModelConfig, Tensor, Weights } from '../engine/types.ts';
import { FormatError } from '../lib/errors.ts';
import { SafetensorsFile } from './safetensors.ts';
import { type FileLike, type FileSource, fileSha256, sha256 } from './sources.ts';

export interface ModelFiles {
  config: ModelConfig;
  /** f32 on the host; converted from F16, BF16 or F64 where stored so. */
  weights: Weights;
  /** Hex sha-256 of model.safetensors; of the shards' hashes, in order, where there are several. */
  sha256: string;
  /** Parsed tokenizer.json and tokenizer_config.json; null where the folder has none. */
  tokenizerJson: unknown;
  tokenizerConfig: unknown;
  /** Text of chat_template.jinja, where newer folders keep the template beside tokenizer_config.json; else null. */
  chatTemplate: string | null;
  /** Parsed generation_config.json, and config.json as it was; null where there is none. */
  generationConfig: unknown;
  rawConfig: unknown;
  /** Parsed manifest.json, where there is one. */
  manifest: unknown;
  parameters: number;
  /** Bytes of the weight files. */
  bytes: number;
  /** Tensors of the files that change nothing and were left out (see `isIdle`). */
  ignored: readonly string[];
}

/** dtypes of weights that are read as f32. */
const READABLE = ['F32', 'F16', 'BF16', 'F64'];

const ShardIndex = z.object({ weight_map: z.record(z.string(), z.string()) });

/** Throws FormatError, naming the file, for anything missing, malformed, or left over. */
export async function loadModelFiles(source: FileSource): Promise<ModelFiles> {
  const rawConfig = await readJson(source, 'config.json', true);
  const config = parseConfig(rawConfig);
  const optional = (path: string) => readJson(source, path, false);
  const [tokenizerJson, tokenizerConfig, generationConfig, manifest, chatTemplate] = await Promise.all([
    optional('tokenizer.json'),
    optional('tokenizer_config.json'),
    optional('generation_config.json'),
    optional('manifest.json'),
    source.read('chat_template.jinja').then(async (file) => (file ? file.text() : null)),
  ]);

  const files = await openWeights(source);
  const places = new Map<string, SafetensorsFile>();
  for (const [name, shape] of weightShapes(config)) places.set(name, place(source, files, name, shape));
  const ignored = checkRest(source, files, places, config);

  const hashes: string[] = [];
  for (const { file } of files) hashes.push(await fileSha256(file));
  const weights = new Map<string, Tensor>();
  let parameters = 0;
  for (const [name, shape] of weightShapes(config)) {
    const data = await places.get(name)!.readF32(name);
    const bad = data.findIndex((x) => !Number.isFinite(x));
    if (bad >= 0) {
      throw new FormatError(
        `${source.label}: element ${bad} of ${JSON.stringify(name)} is ${data[bad]}.`,
        'Take the weights again from where they came.',
      );
    }
    parameters += data.length;
    weights.set(name, { shape, data });
  }
  return {
    config,
    weights,
    sha256: hashes.length === 1 ? hashes[0] : await sha256(new TextEncoder().encode(hashes.join('\n'))),
    tokenizerJson,
    tokenizerConfig,
    chatTemplate,
    generationConfig,
    rawConfig,
    manifest,
    parameters,
    bytes: files.reduce((sum, { file }) => sum + file.size, 0),
    ignored,
  };
}

interface WeightFile {
  path: string;
  file: FileLike;
  header: SafetensorsFile;
}

async function openWeights(source: FileSource): Promise<WeightFile[]> {
  const index = await readJson(source, 'model.safetensors.index.json', false);
  const paths = index === null ? ['model.safetensors'] : shardPaths(source, index);
  const files: WeightFile[] = [];
  for (const path of paths) {
    const file = await source.read(path);
    if (!file && index !== null) {
      throw new FormatError(
        `${source.label}: model.safetensors.index.json names ${JSON.stringify(path)}, which is not there.`,
        'Put all shards that the index names into the folder.',
      );
    }
    if (!file) throw missing(source, path);
    files.push({ path, file, header: await SafetensorsFile.open(file, path) });
  }
  return files;
}

function shardPaths(source: FileSource, index: unknown): string[] {
  const parsed = ShardIndex.safeParse(index);
  if (!parsed.success) {
    throw new FormatError(
      `${source.label}: model.safetensors.index.json has no weight_map of names to files.`,
      'Take the model again.',
    );
  }
  return [...new Set(Object.values(parsed.data.weight_map))].sort();
}

/** The one file that holds a weight, in a shape and dtype that can be used. */
function place(
  source: FileSource,
  files: readonly WeightFile[],
  name: string,
  shape: readonly number[],
): SafetensorsFile {
  const belongs = 'Check that weights and config.json belong together.';
  const holders = files.filter(({ header }) => header.tensors.has(name));
  const where = (some: readonly WeightFile[]) => some.map(({ path }) => path).join(', ');
  if (holders.length === 0) {
    throw new FormatError(
      `${source.label}: no tensor ${JSON.stringify(name)} in ${where(files)}, which config.json implies.`,
      belongs,
    );
  }
  if (holders.length > 1) {
    throw new FormatError(
      `${source.label}: ${JSON.stringify(name)} is in ${holders.length} files (${where(holders)}).`,
      'Remove shards that do not belong to this model.',
    );
  }
  const { shape: found, dtype } = holders[0].header.info(name);
  if (found.join('×') !== shape.join('×')) {
    throw new FormatError(
      `${source.label}: ${JSON.stringify(name)} is ${found.join('×')}, config.json implies ${shape.join('×')}.`,
      belongs,
    );
  }
  if (!READABLE.includes(dtype)) {
    throw new FormatError(
      `${source.label}: ${JSON.stringify(name)} is stored as ${JSON.stringify(dtype.slice(0, 20))}; ${READABLE.join(', ')} can be read.`,
      'Take the unquantised weights, or convert them to BF16, F16 or F32.',
    );
  }
  return holders[0].header;
}

/** What exporters leave in files though the model does not use it: tables of old Llamas, the head of a tied model. */
function isIdle(name: string, config: ModelConfig): boolean {
  return name.endsWith('.rotary_emb.inv_freq') || (config.tied && name === 'lm_head.weight');
}

/** A weight that this engine would leave out changes what the model says: it is refused, unless it is known to be idle. */
function checkRest(
  source: FileSource,
  files: readonly WeightFile[],
  places: ReadonlyMap<string, SafetensorsFile>,
  config: ModelConfig,
): string[] {
  const rest = files.flatMap(({ header }) => [...header.tensors.keys()].filter((name) => !places.has(name)));
  const unknown = rest.filter((name) => !isIdle(name, config));
  if (unknown.length > 0) {
    const some = unknown.slice(0, 3).map((name) => JSON.stringify(name.slice(0, 80)));
    const more = unknown.length > 3 ? ` and ${unknown.length - 3} more` : '';
    throw new FormatError(
      `${source.label}: ${some.join(', ')}${more} belong to no ${config.architecture} of this config.json; without them the model would say something else.`,
      'Check model_type, and whether weights and config.json belong together; merge an adapter into its base first.',
    );
  }
  return rest;
}

async function readJson(source: FileSource, path: string, required: boolean): Promise<unknown> {
  const file = await source.read(path);
  if (!file) {
    if (required) throw missing(source, path);
    return null;
  }
  try {
    return JSON.parse(await file.text());
  } catch (error) {
    throw new FormatError(
      `${source.label}: ${path} is not JSON (${error instanceof Error ? error.message : String(error)}).`,
      'Take the model again from where it came.',
    );
  }
}

function missing(source: FileSource, path: string): FormatError {
  return new FormatError(
    `${source.label} has no ${path}.`,
    'A model folder holds config.json, model.safetensors and tokenizer.json, as Hugging Face lays them out.',
  );
}
