// A model folder in Hugging Face's layout (config.json, model.safetensors or its shards, tokenizer.json) → what the
// engine and the tokenizer are built from.
import * as z from 'zod/mini';
import { parseConfig, weightShapes } from '../engine/config.ts';
import type { ModelConfig, Tensor, Weights } from '../engine/types.ts';
import { FormatError } from '../lib/errors.ts';
import { SafetensorsFile } from './safetensors.ts';
import { type FileSource, sha256 } from './sources.ts';

export interface ModelFiles {
  config: ModelConfig;
  /** f32 on the host; converted from F16, BF16 or F64 where stored so. */
  weights: Weights;
  /** Hex sha-256 of model.safetensors; of the shards' hashes, in order, where there are several. */
  sha256: string;
  /** Parsed tokenizer.json and tokenizer_config.json; null where the folder has none. */
  tokenizerJson: unknown;
  tokenizerConfig: unknown;
  /** Parsed manifest.json, where there is one. */
  manifest: unknown;
  parameters: number;
  /** Bytes of the weight files. */
  bytes: number;
}

const ShardIndex = z.object({ weight_map: z.record(z.string(), z.string()) });

/** Throws FormatError, naming the file, for anything missing or malformed. */
export async function loadModelFiles(source: FileSource): Promise<ModelFiles> {
  const config = parseConfig(await readJson(source, 'config.json', true));
  const paths = await shardPaths(source);
  const shards: SafetensorsFile[] = [];
  const hashes: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    const file = await source.read(path);
    if (!file) throw missing(source, path);
    bytes += file.size;
    hashes.push(await sha256(file));
    shards.push(await SafetensorsFile.open(file, path));
  }
  const weights = new Map<string, Tensor>();
  let parameters = 0;
  for (const [name, shape] of weightShapes(config)) {
    const shard = shards.find((file) => file.tensors.has(name));
    if (!shard) {
      throw new FormatError(
        `${source.label}: no tensor ${JSON.stringify(name)} in ${paths.join(', ')}, which config.json implies.`,
        'Check that weights and config.json belong together.',
      );
    }
    const found = shard.info(name).shape;
    if (found.join('×') !== shape.join('×')) {
      throw new FormatError(
        `${source.label}: ${JSON.stringify(name)} is ${found.join('×')}, config.json implies ${shape.join('×')}.`,
        'Check that weights and config.json belong together.',
      );
    }
    const data = await shard.readF32(name);
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
    tokenizerJson: await readJson(source, 'tokenizer.json', false),
    tokenizerConfig: await readJson(source, 'tokenizer_config.json', false),
    manifest: await readJson(source, 'manifest.json', false),
    parameters,
    bytes,
  };
}

async function shardPaths(source: FileSource): Promise<string[]> {
  const index = await readJson(source, 'model.safetensors.index.json', false);
  if (index === null) return ['model.safetensors'];
  const parsed = ShardIndex.safeParse(index);
  if (!parsed.success) {
    throw new FormatError(
      `${source.label}: model.safetensors.index.json has no weight_map of names to files.`,
      'Take the model again.',
    );
  }
  return [...new Set(Object.values(parsed.data.weight_map))].sort();
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
