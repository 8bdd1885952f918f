// Good inputs for the readers: small, whole, and made by the lab's own writers.

import { adapterLayout } from '../../src/engine/adapter-layout.ts';
import { configToJson } from '../../src/engine/config.ts';
import { parseConfig } from '../../src/engine/config-reading.ts';
import { weightShapes } from '../../src/engine/weight-names.ts';
import type { StepRow } from '../../src/experiments/records/events.ts';
import { ratesMade } from '../../src/experiments/testing/statistics-runs.ts';
import { type TensorToWrite, writeSafetensors } from '../../src/storage/safetensors-write.ts';
import { type FileLike, type FileSource, memorySource } from '../../src/storage/sources.ts';
import { trainTokenizer } from '../../src/text/bpe-train.ts';
import { bytesOf, mutateBytes, mutateJson } from '../mutate.ts';
import type { Random } from '../random.ts';

export const CONFIG = parseConfig({
  model_type: 'qwen2',
  hidden_size: 8,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 12,
  vocab_size: 264,
  tie_word_embeddings: true,
  max_position_embeddings: 32,
});
export const LAYOUT = adapterLayout(CONFIG);
export const SHA = 'ab'.repeat(32);
export const TOKENIZER = trainTokenizer(['def f(x): return x\n'.repeat(9)], 262);

const numbers = (length: number) => Float32Array.from({ length }, (_, i) => ((i * 7) % 64) / 64);
export const tensor = (shape: readonly number[], dtype: 'F32' | 'F16' = 'F32'): TensorToWrite => ({
  dtype,
  shape,
  data: numbers(shape.reduce((a, b) => a * b, 1)),
});

export const WEIGHTS = writeSafetensors(
  new Map([...weightShapes(CONFIG)].map(([name, shape]) => [name, tensor(shape)])),
);

/** A model folder's files as texts and bytes. */
export const FOLDER: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  'config.json': bytesOf(JSON.stringify(configToJson(CONFIG))),
  'model.safetensors': WEIGHTS,
  'tokenizer.json': bytesOf(JSON.stringify(TOKENIZER.tokenizer)),
  'tokenizer_config.json': bytesOf(JSON.stringify(TOKENIZER.config)),
  'generation_config.json': bytesOf(
    JSON.stringify({ do_sample: true, temperature: 0.7, eos_token_id: [1, 2], top_k: 20 }),
  ),
};

export function folder(change: Readonly<Record<string, Uint8Array>> = {}): FileSource {
  const files = Object.entries({ ...FOLDER, ...change }).map(([name, bytes]): [string, FileLike] => [
    name,
    new Blob([bytes as Uint8Array<ArrayBuffer>]),
  ]);
  return memorySource(new Map(files), 'the model');
}

/** A safetensors file with its header changed and its data as they were, or with its bytes changed. */
export function mutateSafetensors(file: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  if (random.oneIn(4)) return mutateBytes(file, random);
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const header = new TextDecoder().decode(file.subarray(8, 8 + length));
  const changed = bytesOf(
    mutateJson(header, random, ['F32', 'F16', 'BF16', 'I32', 'U8', '__metadata__', 'V/x', 'S/x']),
  );
  const data = file.subarray(8 + length);
  const whole = new Uint8Array(8 + changed.length + data.length);
  new DataView(whole.buffer).setBigUint64(0, BigInt(changed.length), true);
  whole.set(changed, 8);
  whole.set(data, 8 + changed.length);
  return whole;
}

/** A step as a run logs it, with every figure. */
export const ROW: StepRow = {
  step: 1,
  student: ratesMade(0.5, 0.25),
  teacher: ratesMade(1, 0),
  reward: 1,
  rewardStd: 0.5,
  fracRewardZeroStd: 0,
  loss: 0.1,
  kl: null,
  entropy: 1,
  gradNorm: 1,
  lr: 0.01,
  cinStudent: 0.1,
  cinTeacher: null,
  cin: 0.1,
  cinNull: 0,
  cout: 0,
  coutUpdate: 0.1,
  fired: 1,
  normDeltaS: 1,
  normDeltaSHack: 1,
  completionMeanLength: 5,
  completionClippedRatio: 0,
  rolloutTokens: 9,
  shadowNorms: {},
  shadowCin: {},
} as StepRow;
