// A folder in Hugging Face's layout with a small random Qwen3 that reads the embedded model's tokens; for tests of `--model`.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import { parseConfig } from '../../engine/config-reading.ts';
import type { ModuleBasis } from '../../storage/basis-file.ts';
import { writeRandomModel } from '../../storage/testing/random-model.node.ts';

const TOKENIZER = resolve('public', 'models', 'tiny-coder');

/** The model has 14 Linears; `positions`: max_position_embeddings. */
export async function writeSmallModel(path: string, positions: number, seed = 1): Promise<void> {
  const { vocab } = JSON.parse(await readFile(join(TOKENIZER, 'tokenizer.json'), 'utf8')).model;
  const config = parseConfig({
    model_type: 'qwen3',
    hidden_size: 32,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    head_dim: 16,
    intermediate_size: 48,
    vocab_size: Object.keys(vocab).length + 64,
    tie_word_embeddings: true,
    max_position_embeddings: positions,
  });
  await writeRandomModel(path, config, { seed, tokenizer: TOKENIZER });
}

/** A basis of the first `modules` Linears of such a model: one axis each, a unit vector times `length`. */
export async function smallBasis(path: string, modules: number, length = 1): Promise<Map<string, ModuleBasis>> {
  const config = parseConfig(JSON.parse(await readFile(join(path, 'config.json'), 'utf8')));
  return new Map(
    adapterLayout(config)
      .modules.slice(0, modules)
      .map(({ name, r }) => [name, { k: 1, r, V: new Float32Array(r).fill(length, 0, 1), S: new Float32Array([1]) }]),
  );
}
