// A folder in Hugging Face's layout with a small random Qwen3 that reads the embedded model's tokens; for tests of `--model`.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseConfig } from '../../engine/config-reading.ts';
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
