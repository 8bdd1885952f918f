// Third-party folders made from the embedded tiny-coder: its files, with one change.
import { readFileSync } from 'node:fs';
import { weightShapes } from '../../engine/weight-names.ts';
import { loadModelFiles } from '../model-files.ts';
import { type TensorToWrite, writeSafetensors } from '../safetensors-write.ts';
import { diskSource } from '../sources.node.ts';
import { memorySource } from '../sources.ts';

type Json = Record<string, unknown>;
export type Tensors = Map<string, TensorToWrite>;

const FOLDER = new URL('../../../public/models/tiny-coder/', import.meta.url);
/** One of tiny-coder's JSON files, parsed on each call. */
export const ownJson = (path: string): Json => JSON.parse(readFileSync(new URL(path, FOLDER), 'utf8'));

/** tiny-coder's weights in F16, as in its file. */
export async function ownTensors(): Promise<Tensors> {
  const { weights, config } = await loadModelFiles(diskSource(FOLDER.pathname));
  const tensors: Tensors = new Map();
  for (const name of weightShapes(config).keys()) tensors.set(name, { dtype: 'F16', ...(await weights.read(name)) });
  return tensors;
}

/** A folder with these files. JSON is written as given; null leaves a file out. */
export function folderOf(
  tensors: Tensors,
  files: Readonly<Record<string, Json | Uint8Array<ArrayBuffer> | null>> = {},
) {
  const all: typeof files = {
    'config.json': ownJson('config.json'),
    'tokenizer.json': ownJson('tokenizer.json'),
    'tokenizer_config.json': ownJson('tokenizer_config.json'),
    'model.safetensors': writeSafetensors(tensors),
    ...files,
  };
  const blobs = new Map<string, Blob>();
  for (const [path, value] of Object.entries(all))
    if (value) blobs.set(path, new Blob([value instanceof Uint8Array ? value : JSON.stringify(value)]));
  return memorySource(blobs, 'models/stranger');
}

/** The weights in two shards and their index. */
export function shardsOf(tensors: Tensors): Record<string, Json | Uint8Array<ArrayBuffer>> {
  const names = [...tensors.keys()];
  const files: Record<string, Json | Uint8Array<ArrayBuffer>> = {};
  const weight_map: Record<string, string> = {};
  for (const [i, part] of [names.slice(0, 10), names.slice(10)].entries()) {
    const path = `model-0000${i + 1}-of-00002.safetensors`;
    files[path] = writeSafetensors(new Map(part.map((name) => [name, tensors.get(name)!])));
    for (const name of part) weight_map[name] = path;
  }
  return { ...files, 'model.safetensors.index.json': { metadata: {}, weight_map } };
}
