// Models for the tests of the stores: the embedded one as files, and a random one in three shards.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { configToJson } from '../../../engine/config.ts';
import { randomWeights, SMALL } from '../../../engine/testing/models.ts';
import { writeSafetensors } from '../../safetensors-write.ts';
import { type HubFiles, lfs, plain } from './hub-server.ts';

const TINY = new URL('../../../../public/models/tiny-coder/', import.meta.url);

/** The embedded model as a repository: 1.7 MB of weights in LFS, and files that the lab does not use. */
export async function tinyCoder(): Promise<HubFiles> {
  const read = async (name: string) => new Uint8Array(await readFile(fileURLToPath(new URL(name, TINY))));
  return {
    'config.json': plain(await read('config.json')),
    'tokenizer.json': lfs(await read('tokenizer.json')),
    'tokenizer_config.json': plain(await read('tokenizer_config.json')),
    'model.safetensors': lfs(await read('model.safetensors')),
    'pytorch_model.bin': lfs(new Uint8Array(1000)),
    'README.md': plain('# Tiny coder'),
    'onnx/model.onnx': lfs(new Uint8Array(1000)),
  };
}

/** A random Llama with its tensors in three shards, without a tokenizer. */
export function sharded(seed = 7): HubFiles {
  const shards: Map<string, { dtype: 'F32'; shape: readonly number[]; data: Float32Array }>[] = [0, 1, 2].map(
    () => new Map(),
  );
  const nameOf = (n: number) => `model-0000${n + 1}-of-00003.safetensors`;
  const map: Record<string, string> = {};
  let next = 0;
  for (const [name, { shape, data }] of randomWeights(SMALL.llama, seed)) {
    const n = next++ % 3;
    shards[n].set(name, { dtype: 'F32', shape, data });
    map[name] = nameOf(n);
  }
  const weights = shards.map((tensors, n): [string, HubFiles[string]] => [nameOf(n), lfs(writeSafetensors(tensors))]);
  return {
    'config.json': plain(JSON.stringify(configToJson(SMALL.llama))),
    'model.safetensors.index.json': plain(JSON.stringify({ metadata: {}, weight_map: map })),
    ...Object.fromEntries(weights),
    // Other tools store this file beside the shards.
    'consolidated.safetensors': lfs(new Uint8Array(1000)),
  };
}
