// A small random Qwen3.5 in its published form: sizes in text_config, the long prefix, mixed dtypes, and further parts for images and for
// predicting more tokens. It has the tokenizer of the embedded model and a template that enables or disables thoughts.
import { configToJson } from '../../engine/config.ts';
import { randomWeights, SMALL } from '../../engine/testing/models.ts';
import type { ModelConfig, Weights } from '../../engine/types.ts';
import type { TensorToWrite } from '../safetensors-write.ts';
import { ownJson } from './folders.node.ts';
import { publishedJson } from './random-model.node.ts';

type Json = Record<string, unknown>;

const tokens = ownJson('tokenizer.json') as { model: { vocab: object }; added_tokens: { id: number }[] };
const vocab = Math.max(...Object.values(tokens.model.vocab), ...tokens.added_tokens.map(({ id }) => id)) + 20;

export const HYBRID_CONFIG: ModelConfig = { ...SMALL.qwen35, vocab };
export const HYBRID_WEIGHTS: Weights = randomWeights(HYBRID_CONFIG, 11);
/** The token that stands for an image. */
export const IMAGE = vocab - 2;

/** Templates of this family end a prompt with an open thought, or with an empty one. */
export const HYBRID_TEMPLATE = [
  "{%- for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endfor %}",
  "{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}",
  "{%- if enable_thinking is defined and enable_thinking is true %}{{ '<think>\\n' }}",
  "{%- else %}{{ '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}",
].join('');

export function hybridConfigJson(changes: Json = {}): Json {
  const { text_config, ...outer } = publishedJson(configToJson(HYBRID_CONFIG));
  return {
    ...outer,
    image_token_id: IMAGE,
    video_token_id: IMAGE + 1,
    text_config: { ...text_config, eos_token_id: 1 },
    ...changes,
  };
}

/** Weights of a part that must not be read; they are NaN, so that reading them fails. */
const unread = (...shape: number[]): TensorToWrite => ({
  dtype: 'BF16',
  shape,
  data: new Float32Array(shape.reduce((n, size) => n * size, 1)).fill(Number.NaN),
});

/** The tensors in the order of a file: the vision part between embedding and layers, the multi-token part at the end. */
export function hybridTensors(prefix = 'model.language_model.'): Map<string, TensorToWrite> {
  const all = new Map<string, TensorToWrite>();
  for (const [name, { shape, data }] of HYBRID_WEIGHTS) {
    const isExact = name.endsWith('A_log') || name.endsWith('linear_attn.norm.weight');
    all.set(name.replace(/^model\./, prefix), { dtype: isExact ? 'F32' : 'BF16', shape, data });
    if (name !== 'model.embed_tokens.weight') continue;
    all.set('model.visual.patch_embed.proj.weight', unread(64, 1024));
    all.set('model.visual.merger.norm.weight', unread(64));
  }
  all.set('mtp.fc.weight', unread(64, 512));
  return all;
}
