// The fields of a config.json that Qwen3.5 adds to Qwen3: the type of each layer, sizes of the linear layers, RoPE on a part of each head,
// and the wrapper around the text part of a model with images. Separate from config.ts, since few models need them.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { PARTIAL_FACTOR, shown } from './rope.ts';
import type { DeltaShape, LayerType, ModelConfig } from './types.ts';

type Json = Readonly<Record<string, unknown>>;

/** model_type of a published file, whose text part is in `text_config`. */
export const WRAPPER = 'qwen3_5';
export const HYBRID = 'qwen3_5_text';
export const LAYER_TYPES: readonly LayerType[] = ['linear_attention', 'full_attention'];

const DEFAULT_INTERVAL = 4;
const DEFAULT_FACTOR = 0.25;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Flattens a config.json: fields of `text_config` override those of its wrapper, except that the outermost `tie_word_embeddings` counts.
 * Other files are returned unchanged. Throws FormatError for a wrapper without a text part.
 */
export function flatConfig(raw: unknown): unknown {
  if (!isObject(raw) || raw.model_type !== WRAPPER) return raw;
  const { text_config: text } = raw;
  if (!isObject(text))
    throw new FormatError(
      `config.json: model_type "${WRAPPER}" has text_config ${shown(text)}, not an object.`,
      `Give the published config.json, or a flat one of model_type "${HYBRID}".`,
    );
  const presentEntries = (json: Json) =>
    Object.entries(json).filter(([, value]) => value !== null && value !== undefined);
  const flat = new Map([...presentEntries(raw), ['model_type', HYBRID], ...presentEntries(text)] as [
    string,
    unknown,
  ][]);
  flat.delete('text_config');
  if (typeof raw.tie_word_embeddings === 'boolean') flat.set('tie_word_embeddings', raw.tie_word_embeddings);
  return Object.fromEntries(flat);
}

/** Describes what is wrong with `layer_types`; null if every layer has a supported type. */
export function layerTypesProblem(value: unknown, config: Json): string | null {
  if (!Array.isArray(value)) return `${shown(value)}, not a list of one type a layer`;
  const known: readonly unknown[] = config.model_type === HYBRID ? LAYER_TYPES : ['full_attention'];
  const other = value.find((type) => !known.includes(type));
  if (other !== undefined) return `with ${shown(other)}`;
  const layers = config.num_hidden_layers;
  return value.length === layers ? null : `of ${value.length} entries for ${shown(layers)} layers`;
}

/** The config without the RoPE fields that only a hybrid has, for shapeOf. */
export function plainPart(json: Json): Json {
  const plain = new Map(Object.entries(json));
  for (const name of ['rope_parameters', 'rope_scaling']) {
    const positions = json[name];
    if (!isObject(positions)) continue;
    const kept = Object.entries(positions).filter(([key]) => key !== PARTIAL_FACTOR && !key.startsWith('mrope_'));
    plain.set(name, Object.fromEntries(kept));
  }
  return Object.fromEntries(plain);
}

/** Reads a hybrid's fields and checks them against the rest of its shape. `count` reads a whole number within its limit. Throws FormatError. */
export function hybridShape(
  json: Json,
  shape: ModelConfig,
  count: (json: Json, key: string, fallback?: number) => number,
): { config: ModelConfig; notes: string[] } {
  const delta: DeltaShape = {
    keyHeads: count(json, 'linear_num_key_heads'),
    valueHeads: count(json, 'linear_num_value_heads'),
    keyDim: count(json, 'linear_key_head_dim'),
    valueDim: count(json, 'linear_value_head_dim'),
    convWidth: count(json, 'linear_conv_kernel_dim'),
  };
  if (delta.valueHeads % delta.keyHeads !== 0)
    throw new FormatError(
      `config.json: ${delta.valueHeads} linear value heads cannot share ${delta.keyHeads} linear key heads evenly`,
      'linear_num_value_heads must be a multiple of linear_num_key_heads.',
    );
  const interval = count(json, 'full_attention_interval', DEFAULT_INTERVAL);
  const regular = Array.from(
    { length: shape.layers },
    (_, layer): LayerType => ((layer + 1) % interval === 0 ? 'full_attention' : 'linear_attention'),
  );
  const listed = json.layer_types as readonly LayerType[] | null | undefined;
  const differs = listed && json.full_attention_interval != null && listed.some((type, i) => type !== regular[i]);
  return {
    config: {
      ...shape,
      layerTypes: listed ?? regular,
      delta,
      rotaryDim: rotatedDims(json, shape.headDim),
      outputGate: true,
      zeroCentredNorms: true,
    },
    notes: differs
      ? [
          `config.json: layer_types is read; full_attention_interval ${interval} would put full attention into other layers.`,
        ]
      : [],
  };
}

/** headDim · factor, truncated to a whole number as transformers does. */
function rotatedDims(json: Json, headDim: number): number {
  const objects = [json.rope_scaling, json.rope_parameters].filter(isObject);
  const factor =
    [...objects, json].map((held) => held[PARTIAL_FACTOR]).find((value) => value != null) ?? DEFAULT_FACTOR;
  const turned = typeof factor === 'number' ? Math.trunc(headDim * factor) : Number.NaN;
  if (typeof factor === 'number' && factor > 0 && factor <= 1 && turned > 0 && turned % 2 === 0) return turned;
  throw new FormatError(
    `config.json: ${PARTIAL_FACTOR} ${shown(factor)} turns ${turned} numbers of a head of ${headDim}.`,
    'It must be above 0, 1 at most, and turn an even count of them.',
  );
}
