// A model as a folder for other tools: the files beside the weights in Hugging Face's layout, and the weights as F32 safetensors, in shards
// if a single file would be too large for memory.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { ropeScalingToJson } from '../engine/rope.ts';
import type { ModelConfig, Weights } from '../engine/types.ts';
import { weightShapes } from '../engine/weight-names.ts';
import { endsOf } from '../text/generation.ts';
import type { ModelFiles } from './model-files.ts';
import { tokenizerOf } from './model-text.ts';
import { type TensorToWrite, writeSafetensors } from './safetensors-write.ts';
import type { FileSource } from './sources.ts';

/** Files that are copied byte for byte if the source has them. */
const KEPT = [
  ...['tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json', 'chat_template.jinja'],
  ...['added_tokens.json', 'vocab.json', 'merges.txt', 'generation_config.json'],
];

/** Largest weight file in bytes; larger weights are split into shards. */
const SHARD_BYTES = 2 ** 31;

/** config.json, the tokenizer's files and generation_config.json (made from the end tokens if there is none). */
export async function filesBesideWeights(files: ModelFiles, source: FileSource): Promise<Map<string, Uint8Array>> {
  const result = new Map([['config.json', json(configAsUsed(files))]]);
  for (const path of KEPT) {
    const file = await source.read(path);
    if (file) result.set(path, new Uint8Array(await file.arrayBuffer()));
  }
  if (!result.has('generation_config.json')) {
    const generation = await generationConfigOf(files);
    if (generation !== null) result.set('generation_config.json', json(generation));
  }
  return result;
}

/**
 * Returns the source's own config, so that other tools lose nothing, with the values that the lab used: the dtype, whether the head is the
 * embedding, and theta and the scaling of positions in the fields that transformers 4 and 5 both read. The model's own code is not named, since
 * it was not run.
 */
export function configAsUsed({
  rawConfig,
  config: used,
}: Pick<ModelFiles, 'rawConfig' | 'config'>): Record<string, unknown> {
  const config = { ...(rawConfig as Record<string, unknown>) };
  if (used.layerTypes) return hybridAsUsed(config, used);
  delete config.auto_map;
  // transformers 5 writes `dtype`, earlier versions `torch_dtype`.
  if ('dtype' in config) config.dtype = 'float32';
  if ('torch_dtype' in config || !('dtype' in config)) config.torch_dtype = 'float32';
  if ((config.tie_word_embeddings ?? false) !== used.tied) config.tie_word_embeddings = used.tied;
  const { rope_parameters, rope_scaling } = config;
  const isReadByAll =
    rope_parameters == null &&
    (rope_scaling == null || (used.ropeScaling && !Object.hasOwn(rope_scaling, 'rope_theta')));
  if (isReadByAll) return config;
  delete config.rope_parameters;
  delete config.rope_scaling;
  config.rope_theta = used.ropeTheta;
  if (used.ropeScaling) config.rope_scaling = ropeScalingToJson(used.ropeScaling);
  return config;
}

/** A Qwen3.5 config keeps its layout, which transformers 4 does not know. The dtype becomes F32, and images are left out. */
function hybridAsUsed({ auto_map: _, ...config }: Record<string, unknown>, { tied }: ModelConfig) {
  const typed = (json: Record<string, unknown>) => ({ ...json, dtype: 'float32' });
  if ((config.tie_word_embeddings ?? !tied) !== tied) config.tie_word_embeddings = tied;
  const text = config.text_config as Record<string, unknown> | undefined;
  return typed(text ? { ...config, text_config: typed(text) } : config);
}

/** End tokens from config.json and the tokenizer, which the lab uses too; null if neither has one. */
async function generationConfigOf(files: ModelFiles): Promise<Record<string, unknown> | null> {
  const config = files.rawConfig as Record<string, unknown>;
  const ids = ['bos_token_id', 'pad_token_id'].filter((key) => config[key] != null);
  const named = Object.fromEntries(ids.map((key) => [key, config[key]]));
  if (!files.tokenizerJson || !files.tokenizerConfig)
    return config.eos_token_id == null ? null : { ...named, eos_token_id: config.eos_token_id };
  const { endTokens, padToken } = await tokenizerOf(files, 'the model', endsOf(null, config));
  const eos = endTokens.length === 1 ? endTokens[0] : endTokens;
  return { ...(config.eos_token_id == null ? { pad_token_id: padToken } : {}), ...named, eos_token_id: eos };
}

export interface WeightFileToWrite {
  path: string;
  /** Bytes are created on demand, so that only one shard at a time is in memory. */
  bytes(): Uint8Array;
}

interface WrittenForm {
  shardBytes?: number;
  /** Name of a weight in the written files; its own by default. */
  nameOf?: (name: string) => string;
}

/** `model.safetensors`, or shards of at most `shardBytes` each (a larger tensor gets its own) and their index. config.json determines names,
 *  shapes and order. `metadata` is added to the entry that transformers requires. */
export function weightFiles(
  config: ModelConfig,
  weights: Weights,
  metadata: Readonly<Record<string, string>>,
  { shardBytes = SHARD_BYTES, nameOf = (name) => name }: WrittenForm = {},
): WeightFileToWrite[] {
  const shards: { names: string[]; bytes: number }[] = [];
  let total = 0;
  for (const name of weightShapes(config).keys()) {
    const tensor = weights.get(name);
    if (!tensor)
      throw new FormatError(
        `the weights have no tensor "${name}"`,
        'This is a bug in the lab: report it with this message.',
      );
    const bytes = tensor.data.byteLength;
    const last = shards.at(-1);
    if (last && last.bytes + bytes <= shardBytes) {
      last.names.push(name);
      last.bytes += bytes;
    } else shards.push({ names: [name], bytes });
    total += bytes;
  }
  // transformers refuses a file whose metadata does not name the framework.
  const header = { format: 'pt', ...metadata };
  const bytesOf = (names: readonly string[]) => () =>
    writeSafetensors(
      new Map(names.map((name): [string, TensorToWrite] => [nameOf(name), { dtype: 'F32', ...weights.get(name)! }])),
      header,
    );
  if (shards.length === 1) return [{ path: 'model.safetensors', bytes: bytesOf(shards[0].names) }];
  const number = (n: number) => String(n).padStart(5, '0');
  const pathOf = (i: number) => `model-${number(i + 1)}-of-${number(shards.length)}.safetensors`;
  const weight_map = Object.fromEntries(
    shards.flatMap(({ names }, i) => names.map((name) => [nameOf(name), pathOf(i)])),
  );
  return [
    ...shards.map(({ names }, i) => ({ path: pathOf(i), bytes: bytesOf(names) })),
    { path: 'model.safetensors.index.json', bytes: () => json({ metadata: { total_size: total }, weight_map }) },
  ];
}

export function json(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
}
