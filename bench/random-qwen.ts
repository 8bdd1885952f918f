// Entry of scripts/random-qwen.mjs: a folder with random weights in the shape of a model that is too large to ship.
import { parseArgs } from 'node:util';
import { QWEN3_06B, QWEN35_08B, withLayers } from '../src/engine/testing/qwen3.ts';
import { writeRandomModel } from '../src/storage/testing/random-model.node.ts';

const SHAPES: Readonly<Record<string, typeof QWEN3_06B>> = { 'qwen3-0.6b': QWEN3_06B, 'qwen3.5-0.8b': QWEN35_08B };
const USAGE = `node scripts/random-qwen.mjs --out DIR [--layers N] [--shape ${Object.keys(SHAPES).join('|')}] [--seed N]
Writes random weights in Hugging Face's layout: config.json, model.safetensors (BF16), Qwen3's tokenizer. A Qwen3.5 is written as it is
published, in the wrapper of a model with images, without those.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      layers: { type: 'string' },
      shape: { type: 'string', default: 'qwen3-0.6b' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const shape = SHAPES[values.shape];
  const layers = values.layers === undefined ? shape?.layers : Number(values.layers);
  const seed = Number(values.seed);
  const isRight = shape && values.out && Number.isInteger(layers) && layers > 0 && Number.isSafeInteger(seed);
  if (!isRight) throw new Error(`--out is missing, or a value is not what it should be.\n${USAGE}`);
  const tokenizer = process.env.LAB_TOKENIZER ?? null;
  let said = -1;
  await writeRandomModel(values.out!, withLayers(shape, layers), {
    seed,
    tokenizer,
    onProgress: (done, total) => {
      const percent = Math.floor((100 * done) / total);
      if (percent % 10 === 0 && percent !== said)
        console.error(`${percent}% of ${(total / 1e6).toFixed(1)} M parameters`);
      said = percent;
    },
  });
  console.log(values.out);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
