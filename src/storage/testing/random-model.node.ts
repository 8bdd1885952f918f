// A model folder with random weights in Hugging Face's layout, written tensor by tensor: it has the shape and size of a real model that is not
// available. Weights are BF16, as Qwen's; entries are random numbers whose standard deviations keep a residual stream of this depth finite,
// so that logits have the size of a trained model's.
import { copyFile, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configToJson } from '../../engine/config.ts';
import type { ModelConfig } from '../../engine/types.ts';
import { isVocab, isZeroCentred, weightShapes } from '../../engine/weight-names.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';

interface RandomModelOptions {
  seed?: number;
  /** A folder whose tokenizer.json and tokenizer_config.json are copied beside the weights. */
  tokenizer?: string | null;
  /** A tensor larger than one chunk repeats its first elements, since drawing a large table takes longer than a training step. */
  repeats?: boolean;
  /** All weights are zeros, which need no space on the disk; for readers of shapes. */
  isHollow?: boolean;
  onProgress?(parameters: number, total: number): void;
}

/** Number of elements generated and written at a time. */
const CHUNK = 1 << 20;

/** Writes config.json, model.safetensors and, if given, a tokenizer. The same config and seed give the same bytes. */
export async function writeRandomModel(
  folder: string,
  config: ModelConfig,
  { seed = 1, tokenizer = null, repeats = false, isHollow = false, onProgress }: RandomModelOptions = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const shapes = [...weightShapes(config)];
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let end = 0;
  for (const [name, shape] of shapes) {
    const from = end;
    end += widthOf(name) * sizeOf(shape);
    const published = config.layerTypes ? name.replace(/^model\./, 'model.language_model.') : name;
    header[published] = { dtype: widthOf(name) === 4 ? 'F32' : 'BF16', shape, data_offsets: [from, end] };
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const file = await open(join(folder, 'model.safetensors'), 'w');
  try {
    const start = new Uint8Array(8 + Math.ceil(json.length / 8) * 8).fill(0x20);
    new DataView(start.buffer).setBigUint64(0, BigInt(start.length - 8), true);
    start.set(json, 8);
    await file.write(start);
    if (isHollow) await file.truncate(start.length + end);
    const total = shapes.reduce((sum, [, shape]) => sum + sizeOf(shape), 0);
    let done = 0;
    for (const [index, [name, shape]] of isHollow ? [] : shapes.entries()) {
      const random = new CounterRng(keyFor(seed, STREAMS.init, index));
      let made: Uint16Array = new Uint16Array(0);
      for (let left = sizeOf(shape); left > 0; left -= CHUNK) {
        const count = Math.min(CHUNK, left);
        if (!repeats || made.length < count) made = bfloats(random, count, spreadOf(config, name, shape));
        const bytes = widthOf(name) === 4 ? widened(made) : made;
        await file.write(new Uint8Array(bytes.buffer, 0, widthOf(name) * count));
        done += count;
        onProgress?.(done, total);
      }
    }
  } finally {
    await file.close();
  }
  const flat = configToJson(config);
  const rest = config.layerTypes ? publishedJson(flat) : { ...flat, torch_dtype: 'bfloat16' };
  await writeFile(join(folder, 'config.json'), `${JSON.stringify(rest, null, 2)}\n`);
  if (tokenizer !== null)
    for (const name of ['tokenizer.json', 'tokenizer_config.json'])
      await copyFile(join(tokenizer, name), join(folder, name));
}

/** Wraps a flat Qwen3.5 config.json in the form in which its models are published. */
export function publishedJson({ architectures: _, tie_word_embeddings, ...text }: Record<string, unknown>) {
  return {
    architectures: ['Qwen3_5ForConditionalGeneration'],
    model_type: 'qwen3_5',
    tie_word_embeddings,
    text_config: { ...text, dtype: 'bfloat16', mtp_num_hidden_layers: 1, mamba_ssm_dtype: 'float32' },
    vision_config: { depth: 12, hidden_size: 768 },
  };
}

/** Bytes per element: a few small tensors of Qwen3.5 are published in f32. */
const widthOf = (name: string) => (name.endsWith('A_log') || name.endsWith('linear_attn.norm.weight') ? 4 : 2);
const widened = (halves: Uint16Array) => Uint32Array.from(halves, (half) => half << 16);

const sizeOf = (shape: readonly number[]) => shape.reduce((product, n) => product * n, 1);

/** Mean and standard deviation: matrices preserve the size of their inputs; a head row of 0.05 makes logits of about 1.6. */
function spreadOf(config: ModelConfig, name: string, shape: readonly number[]): { mean: number; sd: number } {
  if (isVocab(name)) return { mean: 0, sd: 0.05 };
  if (shape.length === 2) return { mean: 0, sd: 1 / Math.sqrt(shape[1]) };
  return { mean: name.endsWith('norm.weight') && !isZeroCentred(config, name) ? 1 : 0, sd: 0.1 };
}

/** Rounded to nearest, ties to even. Each is the sum of two 16-bit uniforms, which is bounded, bell-shaped, and needs one word per element. */
function bfloats(random: CounterRng, count: number, { mean, sd }: { mean: number; sd: number }): Uint16Array {
  // The sum of two uniforms on [0, 1) has the variance 1/6.
  const scale = Math.sqrt(6) * sd;
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const word = random.uint32();
    values[i] = mean + scale * (((word & 0xffff) + (word >>> 16)) / 65536 - 1);
  }
  const bits = new Uint32Array(values.buffer);
  const out = new Uint16Array(count);
  for (let i = 0; i < count; i++) out[i] = (bits[i] + 0x7fff + ((bits[i] >>> 16) & 1)) >>> 16;
  return out;
}
