// A model folder in Hugging Face's layout (config.json, model.safetensors or its shards, tokenizer.json) → the inputs of engine and
// tokenizer. Headers are read first, so that faults in them are refused before weights are read; weights are read one at a time on demand
// (a model of a gigabyte is never in memory whole).

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { mapOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { shown } from '../engine/rope.ts';
import type { ModelConfig, Tensor, WeightReader, WeightStorage } from '../engine/types.ts';
import { EMBEDDING, HEAD, weightShapes } from '../engine/weight-names.ts';
import { type Holes, withoutHoles } from './byte-holes.ts';
import { type FolderTexts, missingFile, readFolderTexts, readJson } from './folder-texts.ts';
import { ModelSums, sumWithoutHoles } from './model-sums.ts';
import { elements, quote, SafetensorsFile } from './safetensors.ts';
import { type FileLike, type FileSource, fileSha256, sha256 } from './sources.ts';

/** Contents of a folder's JSON files and weight headers: enough for planning, and small to download. */
export interface ModelHeader extends FolderTexts {
  parameters: number;
  /** Bytes of the weight files. */
  bytes: number;
  /** Tensors of the files that have no effect and were left out (see `isUnused`); for a whole part of the model, a name with a star. */
  ignored: readonly string[];
  /** Ranges of the weight files that are never read, by path (hybrid-files.ts). */
  holes: ReadonlyMap<string, Holes>;
}

export interface ModelFiles extends ModelHeader {
  /** Read tensor by tensor or in parts, as f32; converted from F16, BF16 or F64. `readAll` reads all at once. */
  weights: WeightReader;
  /** Hex sha-256 of model.safetensors without its holes; of the shards' hashes, in order, if there are several. */
  sha256: string;
  /** Maps a weight's name to its name in the files. */
  nameInFiles(name: string): string;
}

/** The hash of a model as stored on a device. In fewer bits it is another model, whose runs and bases must not be mixed with those of the
 *  exact one. */
export async function storedSha256(filesSha256: string, storage: WeightStorage): Promise<string> {
  return storage === 'f32' ? filesSha256 : sha256(new TextEncoder().encode(`${filesSha256} ${storage}`));
}

/** The two layouts of weights; the first has priority. */
export const WEIGHTS = 'model.safetensors';
export const INDEX = 'model.safetensors.index.json';

/** dtypes of weights that are converted to f32. */
const READABLE = ['F32', 'F16', 'BF16', 'F64'];

const ShardIndex = z.object({ weight_map: mapOf(z.string()) });

/** Reads and hashes no weights. Throws FormatError, naming the file, for anything missing, malformed or superfluous. */
export async function inspectModelFiles(source: FileSource): Promise<ModelHeader> {
  return (await openModel(source)).header;
}

/** Like `inspectModelFiles`, but compares a tied head with the embedding, as `loadModelFiles` does. Also returns the weight files that are
 *  read, and the number of elements by dtype. */
export async function examineModelFiles(
  source: FileSource,
): Promise<{ header: ModelHeader; paths: readonly string[]; dtypes: Readonly<Record<string, number>> }> {
  const opened = await openModel(source);
  const header = await withOwnHead(opened);
  const dtypes = new Map<string, number>();
  for (const { file, name } of opened.places.values()) {
    const { dtype, shape } = file.info(name);
    dtypes.set(dtype, (dtypes.get(dtype) ?? 0) + elements(shape));
  }
  const paths = opened.files.map(({ path }) => path);
  return { header, paths, dtypes: Object.fromEntries(dtypes) };
}

/** Opens the model for reading weights, and hashes the weight files in parts. `onHashed` is called with the hashed bytes out of
 *  `header.bytes`, and may stop the hashing by throwing. */
export async function loadModelFiles(
  source: FileSource,
  onHashed: (done: number, total: number) => void = () => {},
): Promise<ModelFiles> {
  const opened = await openModel(source);
  const { files, places, texts } = opened;
  const header = await withOwnHead(opened);
  const sums = await ModelSums.of(source, header.manifest);
  const hashes: string[] = [];
  let before = 0;
  for (const { path, file } of files) {
    const holes = header.holes.get(path);
    const read = holes ? withoutHoles(file, holes) : file;
    const hash = await fileSha256(read, (done) => onHashed(before + done, header.bytes));
    sums.check(holes ? sumWithoutHoles(path) : path, hash);
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
    nameInFiles: (name) => placeOf(source, places, name).name,
  };
}

interface OpenModel {
  source: FileSource;
  header: ModelHeader;
  files: readonly WeightFile[];
  /** Files that were read as text, by path. */
  texts: ReadonlyMap<string, string>;
  /** Place of each weight. */
  places: Map<string, Place>;
}

/** A weight's file, and its name there. */
interface Place {
  file: SafetensorsFile;
  name: string;
}

async function openModel(source: FileSource): Promise<OpenModel> {
  const { folder, texts } = await readFolderTexts(source);
  const { config } = folder;
  const { files, leftOut } = await openWeights(source);
  const hybrid = config.layerTypes ? await import('./hybrid-files.ts') : null;
  const nameOf = hybrid?.namesInFiles(source.label, files) ?? ((name: string) => name);
  const hybridRest = hybrid?.leftOut(files);
  const places = new Map<string, Place>();
  let parameters = 0;
  for (const [name, shape] of weightShapes(config)) {
    const own = nameOf(name);
    places.set(name, { file: place(source, files, own, shape), name: own });
    parameters += elements(shape);
  }
  const header: ModelHeader = {
    ...folder,
    parameters,
    bytes: files.reduce((sum, { file }) => sum + file.size, 0),
    ignored: [...checkRest(source, files, places, config, hybridRest?.names), ...(hybridRest?.words ?? [])],
    holes: hybridRest?.holes ?? new Map(),
    notes: [...folder.notes, ...leftOut, ...(hybridRest?.notes ?? [])],
  };
  return { source, header, files, places, texts };
}

type Places = ReadonlyMap<string, Place>;

async function readWeight(source: FileSource, places: Places, name: string): Promise<Tensor> {
  const { file, name: own } = placeOf(source, places, name);
  const { shape } = file.info(own);
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
  const { file, name: own } = placeOf(source, places, name);
  await file.readF32Part(own, from, into);
  for (let i = 0; i < into.length; i++) {
    if (Number.isFinite(into[i])) continue;
    throw new FormatError(
      `${source.label}: element ${from + i} of ${JSON.stringify(name)} is ${into[i]}.`,
      'Get the weights again from their source.',
    );
  }
}

function placeOf(source: FileSource, places: Places, name: string): Place {
  const found = places.get(name);
  if (found) return found;
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

/** Opened headers, and notes on files beside them that are left out. */
async function openWeights(source: FileSource): Promise<{ files: WeightFile[]; leftOut: string[] }> {
  const open = async (path: string, file: FileLike): Promise<WeightFile> => ({
    path,
    file,
    header: await SafetensorsFile.open(file, path),
  });
  const whole = await source.read(WEIGHTS);
  // If both exist, model.safetensors has priority, whichever is newer, as in transformers.
  if (whole) {
    const index = await source.read(INDEX);
    return { files: [await open(WEIGHTS, whole)], leftOut: index ? indexNotes(await index.text()) : [] };
  }
  const index = await readJson(source, INDEX);
  if (index === null) throw await missingFile(source, WEIGHTS);
  const files: WeightFile[] = [];
  for (const path of shardPaths(source.label, index)) {
    const file = await source.read(path);
    if (!file)
      throw new FormatError(
        `${source.label}: ${INDEX} names ${JSON.stringify(path)}, which is not there.`,
        'Put all shards that the index names into the folder.',
      );
    files.push(await open(path, file));
  }
  checkIndex(source, index, files);
  return { files, leftOut: [] };
}

/** Note on an index beside model.safetensors, unless it names only that file. */
function indexNotes(text: string): string[] {
  let shards: string[] | null = null;
  try {
    shards = shardPaths('', parseJsonText(text)).filter((path) => path !== WEIGHTS);
  } catch {
    // The index is not read, so a malformed one is no error.
  }
  if (shards?.length === 0) return [];
  const named = shards ? ` and the ${shards.length} files that it names (${shown(shards[0])}, …)` : '';
  return [`${WEIGHTS} is read, as in transformers; ${INDEX}${named} are left out. Delete what is stale.`];
}

/** Throws FormatError if a shard contradicts the index: then they belong to different models, or to different versions of one. */
function checkIndex(source: FileSource, index: unknown, files: readonly WeightFile[]): void {
  const byPath = new Map(files.map(({ path, header }) => [path, header.tensors]));
  const { weight_map } = ShardIndex.parse(index);
  const remedy =
    'The index and the shards do not belong together: get the model again, or delete the index and merge the shards.';
  for (const [name, path] of Object.entries(weight_map))
    if (!byPath.get(path)?.has(name))
      throw new FormatError(
        `${source.label}: ${INDEX} says that ${quote(name)} is in ${shown(path)}, which does not have it.`,
        remedy,
      );
  for (const { path, header } of files)
    for (const name of header.tensors.keys())
      if (!Object.hasOwn(weight_map, name))
        throw new FormatError(
          `${source.label}: ${shown(path)} has ${quote(name)}, which ${INDEX} does not name.`,
          remedy,
        );
}

/** Number of elements of head and embedding that are compared at once. */
const COMPARED = 2 ** 20;

/** Decides the head under `tie_word_embeddings`: one that differs from the embedding is used, with a note, as in transformers 5; an equal
 *  one is left out. Throws FormatError for a head of another shape. */
async function withOwnHead({ header, files, places, source }: OpenModel): Promise<ModelHeader> {
  if (!header.ignored.includes(HEAD)) return header;
  const shape = [header.config.vocab, header.config.hiddenSize];
  const head = place(source, files, HEAD, shape);
  const embedding = places.get(EMBEDDING)!;
  const total = elements(shape);
  const part = Math.min(COMPARED, total);
  const rows = [new Float32Array(part), new Float32Array(part)];
  for (let at = 0; at < total; at += part) {
    const [own, tied] = rows.map((row) => row.subarray(0, Math.min(part, total - at)));
    await head.readF32Part(HEAD, at, own);
    await embedding.file.readF32Part(embedding.name, at, tied);
    if (own.every((x, i) => x === tied[i])) continue;
    places.set(HEAD, { file: head, name: HEAD });
    return {
      ...header,
      config: { ...header.config, tied: false },
      parameters: header.parameters + total,
      ignored: header.ignored.filter((name) => name !== HEAD),
      notes: [
        ...header.notes,
        `config.json says tie_word_embeddings, and ${HEAD} differs from ${EMBEDDING} (first in row ${Math.floor((at + own.findIndex((x, i) => x !== tied[i])) / shape[1])}): the head of the file is used, as in transformers 5; transformers 4 would use the embedding. Write tie_word_embeddings false if the head is meant.`,
      ],
    };
  }
  return header;
}

/** Files named in a parsed model.safetensors.index.json. Throws FormatError. */
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

/** The only file that has this weight, with a usable shape and dtype. */
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
  if (!READABLE.includes(dtype)) {
    throw new FormatError(
      `${source.label}: ${JSON.stringify(name)} is stored as ${JSON.stringify(dtype.slice(0, 20))}; ${READABLE.join(', ')} can be read.`,
      'Use the unquantised weights, or convert them to BF16, F16 or F32.',
    );
  }
  if (found.join('×') !== shape.join('×')) {
    throw new FormatError(
      `${source.label}: ${JSON.stringify(name)} is ${found.join('×')}, config.json implies ${shape.join('×')}.`,
      belongs,
    );
  }
  return holders[0].header;
}

/** Whether the model does not use a tensor that exporters leave in files: rotary tables of old Llamas, the head of a tied model. */
function isUnused(name: string, config: ModelConfig): boolean {
  return name.endsWith('.rotary_emb.inv_freq') || (config.tied && name === HEAD);
}

/** Refuses weights that this engine would ignore, since that would change the model's answers, unless they are known to be unused. */
function checkRest(
  source: FileSource,
  files: readonly WeightFile[],
  places: Places,
  config: ModelConfig,
  leftOut: ReadonlySet<string> = new Set(),
): string[] {
  const used = new Set([...places.values()].map(({ name }) => name));
  const rest = files.flatMap(({ header }) =>
    [...header.tensors.keys()].filter((name) => !used.has(name) && !leftOut.has(name)),
  );
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
