// A model folder in Hugging Face's layout (config.json, model.safetensors or its shards, tokenizer.json) → what the
// engine and the tokenizer are built from. Headers come first: whatever they tell is refused before weights are read, and
// the weights stay where they are until somebody asks for one (a model of a gigabyte is never in memory whole).

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { mapOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { parseConfig } from '../engine/config.ts';
import type { ModelConfig, Tensor, WeightReader, WeightStorage } from '../engine/types.ts';
import { weightShapes } from '../engine/weight-names.ts';
import { ModelSums } from './model-sums.ts';
import { elements, SafetensorsFile } from './safetensors.ts';
import { type FileLike, type FileSource, fileSha256, sha256 } from './sources.ts';

/** What a folder's JSON files and the headers of its weights say: enough to plan with, and cheap over a network. */
export interface ModelHeader {
  config: ModelConfig;
  /** Parsed tokenizer.json and tokenizer_config.json; null where the folder has none. */
  tokenizerJson: unknown;
  tokenizerConfig: unknown;
  /** Parsed special_tokens_map.json, which names special tokens where tokenizer_config.json does not; null where there is none. */
  specialTokensMap: unknown;
  /** Text of chat_template.jinja, where newer folders keep the template beside tokenizer_config.json; else null. */
  chatTemplate: string | null;
  /** Parsed generation_config.json, and config.json as it was; null where there is none. */
  generationConfig: unknown;
  rawConfig: unknown;
  /** Parsed manifest.json, where there is one. */
  manifest: unknown;
  parameters: number;
  /** Bytes of the weight files, and of tokenizer.json (0 where the folder has none). */
  bytes: number;
  textBytes: number;
  /** Tensors of the files that change nothing and were left out (see `isIdle`). */
  ignored: readonly string[];
}

export interface ModelFiles extends ModelHeader {
  /** Read tensor by tensor or in parts, as f32; converted from F16, BF16 or F64 where stored so. `readAll` gives them all at once. */
  weights: WeightReader;
  /** Hex sha-256 of model.safetensors; of the shards' hashes, in order, where there are several. */
  sha256: string;
}

/** The hash of a model as it is stored on a device: in fewer bits it is another model, whose runs and bases must not be taken for those
 *  of the exact one. */
export async function storedSha256(filesSha256: string, storage: WeightStorage): Promise<string> {
  return storage === 'f32' ? filesSha256 : sha256(new TextEncoder().encode(`${filesSha256} ${storage}`));
}

/** dtypes of weights that are read as f32. */
const READABLE = ['F32', 'F16', 'BF16', 'F64'];

const ShardIndex = z.object({ weight_map: mapOf(z.string()) });

/** Reads no weights and hashes nothing. Throws FormatError, naming the file, for anything missing, malformed, or left over. */
export async function inspectModelFiles(source: FileSource): Promise<ModelHeader> {
  return (await openModel(source)).header;
}

/** The same, with the weights to be read; the weight files are hashed, in parts. `onHashed` hears of how many of `header.bytes`,
 *  and may end it by throwing. */
export async function loadModelFiles(
  source: FileSource,
  onHashed: (done: number, total: number) => void = () => {},
): Promise<ModelFiles> {
  const { header, files, places, texts } = await openModel(source);
  const sums = await ModelSums.of(source, header.manifest);
  const hashes: string[] = [];
  let before = 0;
  for (const { path, file } of files) {
    const hash = await fileSha256(file, (done) => onHashed(before + done, header.bytes));
    sums.check(path, hash);
    hashes.push(hash);
    before += file.size;
  }
  for (const [path, text] of texts) await sums.checkText(path, text);
  return {
    ...header,
    weights: {
      shapes: weightShapes(header.config),
      read: (name) => readWeight(source, places, name),
      readPart: (name, from, into) => readWeightPart(source, places, name, from, into),
    },
    sha256: hashes.length === 1 ? hashes[0] : await sha256(new TextEncoder().encode(hashes.join('\n'))),
  };
}

interface OpenModel {
  header: ModelHeader;
  files: readonly WeightFile[];
  /** What was read as JSON, by path. */
  texts: ReadonlyMap<string, string>;
  /** Where each weight is. */
  places: ReadonlyMap<string, SafetensorsFile>;
}

async function openModel(source: FileSource): Promise<OpenModel> {
  const texts = new Map<string, string>();
  const onText = (path: string, text: string) => void texts.set(path, text);
  const rawConfig = await readJson(source, 'config.json', true, onText);
  const config = parseConfig(rawConfig);
  let textBytes = 0;
  const optional = (path: string) => readJson(source, path, false, onText);
  const [tokenizerJson, tokenizerConfig, specialTokensMap, generationConfig, manifest, chatTemplate] =
    await Promise.all([
      readJson(source, 'tokenizer.json', false, (path, text, bytes) => {
        textBytes = bytes;
        onText(path, text);
      }),
      optional('tokenizer_config.json'),
      optional('special_tokens_map.json'),
      optional('generation_config.json'),
      optional('manifest.json'),
      source.read('chat_template.jinja').then(async (file) => (file ? file.text() : null)),
    ]);

  const files = await openWeights(source);
  const places = new Map<string, SafetensorsFile>();
  let parameters = 0;
  for (const [name, shape] of weightShapes(config)) {
    places.set(name, place(source, files, name, shape));
    parameters += elements(shape);
  }
  const header: ModelHeader = {
    config,
    tokenizerJson,
    tokenizerConfig,
    specialTokensMap,
    chatTemplate,
    generationConfig,
    rawConfig,
    manifest,
    parameters,
    bytes: files.reduce((sum, { file }) => sum + file.size, 0),
    textBytes,
    ignored: checkRest(source, files, places, config),
  };
  return { header, files, places, texts };
}

type Places = ReadonlyMap<string, SafetensorsFile>;

async function readWeight(source: FileSource, places: Places, name: string): Promise<Tensor> {
  const { shape } = placeOf(source, places, name).info(name);
  const data = new Float32Array(elements(shape));
  await readWeightPart(source, places, name, 0, data);
  return { shape, data };
}

async function readWeightPart(
  source: FileSource,
  places: Places,
  name: string,
  from: number,
  into: Float32Array,
): Promise<void> {
  await placeOf(source, places, name).readF32Part(name, from, into);
  for (let i = 0; i < into.length; i++) {
    if (Number.isFinite(into[i])) continue;
    throw new FormatError(
      `${source.label}: element ${from + i} of ${JSON.stringify(name)} is ${into[i]}.`,
      'Get the weights again from their source.',
    );
  }
}

function placeOf(source: FileSource, places: Places, name: string): SafetensorsFile {
  const file = places.get(name);
  if (file) return file;
  throw new FormatError(
    `${source.label} has no weight ${JSON.stringify(name.slice(0, 80))}.`,
    'Name a weight as Hugging Face does.',
  );
}

interface WeightFile {
  path: string;
  file: FileLike;
  header: SafetensorsFile;
}

async function openWeights(source: FileSource): Promise<WeightFile[]> {
  const index = await readJson(source, 'model.safetensors.index.json', false, () => {});
  const paths = index === null ? ['model.safetensors'] : shardPaths(source.label, index);
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

/** Files that model.safetensors.index.json, parsed, names. Throws FormatError. */
export function shardPaths(label: string, index: unknown): string[] {
  const parsed = ShardIndex.safeParse(index);
  if (!parsed.success) {
    throw new FormatError(
      `${label}: model.safetensors.index.json has no weight_map of names to files.`,
      'Get the model again.',
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
      'Use the unquantised weights, or convert them to BF16, F16 or F32.',
    );
  }
  return holders[0].header;
}

/** What exporters leave in files though the model does not use it: tables of old Llamas, the head of a tied model. */
function isUnused(name: string, config: ModelConfig): boolean {
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
  const unknown = rest.filter((name) => !isUnused(name, config));
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

async function readJson(
  source: FileSource,
  path: string,
  required: boolean,
  onText: (path: string, text: string, bytes: number) => void,
): Promise<unknown> {
  const file = await source.read(path);
  if (!file) {
    if (required) throw missing(source, path);
    return null;
  }
  // Outside of `try`: a connection that broke, or a file that was moved, is no bad JSON.
  const text = await file.text();
  onText(path, text, file.size);
  try {
    return parseJsonText(text);
  } catch (error) {
    throw new FormatError(
      `${source.label}: ${path} is not JSON (${error instanceof Error ? error.message : String(error)}).`,
      'Get the model again from its source.',
    );
  }
}

function missing(source: FileSource, path: string): FormatError {
  return new FormatError(
    `${source.label} has no ${path}.`,
    'A model folder holds config.json, model.safetensors and tokenizer.json, as Hugging Face lays them out.',
  );
}
