// Tests model folders that state one fact in two places: read as transformers 5 does, or refused with a message. Expected ids are those of
// an independent float64 forward pass (../shared/stranger/expected.json); tests that need it are skipped with a message if it is missing.
import { existsSync, readFileSync } from 'node:fs';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../engine/decoder/engine.ts';
import { EMBEDDING, HEAD } from '../engine/weight-names.ts';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { filesBesideWeights } from './model-export.ts';
import { inspectModelFiles, loadModelFiles, type ModelFiles } from './model-files.ts';
import { wantedFiles } from './models/files.ts';
import { inspectSource } from './models/inspect.ts';
import type { FileSource } from './sources.ts';
import { folderOf, ownJson, ownTensors, shardsOf, type Tensors } from './testing/folders.node.ts';

const EXPECTED = '../shared/stranger/expected.json';
const expected = existsSync(EXPECTED) ? JSON.parse(readFileSync(EXPECTED, 'utf8')) : null;
const config = (changes: Record<string, unknown>, without: readonly string[] = []) =>
  Object.fromEntries(
    Object.entries({ ...ownJson('config.json'), ...changes }).filter(([key]) => !without.includes(key)),
  );

let own: Tensors;
beforeAll(async () => {
  own = await ownTensors();
});
const withTensor = (name: string, of: string, change: (data: Float32Array) => Float32Array): Tensors => {
  const { shape, data, dtype } = own.get(of)!;
  return new Map([...own, [name, { dtype, shape, data: change(data as Float32Array) }]]);
};
const rolled = (data: Float32Array) => Float32Array.from(data, (_, i) => data.at(i - 128)!);
const negated = (data: Float32Array) => data.map((x) => -x);

async function greedy(files: ModelFiles, prompt: readonly number[], maxNew: number): Promise<number[]> {
  const { config: shape, weights } = files;
  const engine = await Engine.create({ device: await createCpuDevice(), config: shape, weights, adapter: 'none' });
  const sequences = [{ prompt: 0, key: [0, 0] as const }];
  const [said] = await engine.generate({ prompts: [prompt], sequences, maxNew, temperature: 0, endTokens: [] });
  engine.free();
  return said.tokens;
}

const FOLDERS: Record<string, { make: () => FileSource; says: RegExp | null }> = {
  'm1-theta-in-rope_scaling': {
    make: () =>
      folderOf(own, {
        'config.json': config({ rope_scaling: { rope_type: 'default', rope_theta: 1e6 } }, ['rope_theta']),
      }),
    says: null,
  },
  'm2-two-thetas': {
    make: () =>
      folderOf(own, {
        'config.json': config({ rope_theta: 10000, rope_parameters: { rope_type: 'default', rope_theta: 1e6 } }),
      }),
    says: /rope_theta is 10000, and 1000000 within rope_parameters; the one within is read/,
  },
  'm3-empty-rope_scaling': {
    make: () =>
      folderOf(own, {
        'config.json': config(
          { rope_scaling: {}, rope_parameters: { rope_type: 'linear', factor: 4, rope_theta: 1e4 } },
          ['rope_theta'],
        ),
      }),
    says: null,
  },
  'm6-stale-shards': {
    make: () => {
      const name = 'model.norm.weight';
      return folderOf(withTensor(name, name, negated), shardsOf(own));
    },
    says: /model\.safetensors is read.*model\.safetensors\.index\.json and the 2 files that it names.*left out/,
  },
  'm8-tied-other-head': {
    make: () => folderOf(withTensor(HEAD, EMBEDDING, rolled)),
    says: /tie_word_embeddings, and lm_head\.weight differs from model\.embed_tokens\.weight/,
  },
};

describe('a third-party folder', () => {
  it.for(Object.entries(FOLDERS))(
    '%s is read as transformers 5 reads it, and so is what is exported',
    async ([name, { make, says }], { skip }) => {
      const files = await loadModelFiles(make());
      const notes = files.notes.join('\n');
      if (says) expect(notes).toMatch(says);
      else expect(notes).toBe('');
      // The export has each fact in one place: reading it gives no notes, and the same model.
      const written = await filesBesideWeights(files, make());
      const exported = JSON.parse(new TextDecoder().decode(written.get('config.json')));
      const head = files.config.tied ? own : withTensor(HEAD, EMBEDDING, rolled);
      const again = await inspectModelFiles(folderOf(head, { 'config.json': exported }));
      expect([again.config, again.notes]).toEqual([files.config, []]);
      if (!expected) skip('no ../shared/stranger');
      const { promptIds, models } = expected.greedy;
      const { ids } = models[name];
      expect(await greedy(files, promptIds, ids.length)).toEqual(ids);
    },
  );

  it('with a head equal to the embedding is the same model as without one', async () => {
    const files = await loadModelFiles(folderOf(withTensor(HEAD, EMBEDDING, (data) => data)));
    const plain = await loadModelFiles(folderOf(own));
    expect([files.config, files.notes, files.ignored]).toEqual([plain.config, [], [HEAD]]);
  });

  it('with an adapter, or a config with a duplicate key, has a note, also before loading', async () => {
    const text = JSON.stringify(config({})).replace('{', '{"rope_theta":5,');
    const source = folderOf(own, {
      'adapter_config.json': { peft_type: 'LORA' },
      'config.json': new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>,
      'model.safetensors.index.json': { weight_map: { x: 'a.safetensors' } },
    });
    const says = [/rope_theta" twice; the last one counts/, /adapter.*is left out/, /index\.json.*left out/];
    const { notes, config: read } = await loadModelFiles(source);
    expect(read.ropeTheta).toBe(10000);
    const all = ['config.json', 'model.safetensors', 'model.safetensors.index.json', 'adapter_config.json', 'x.bin'];
    const wanted = await wantedFiles(all, async () => '', 'x');
    expect(wanted).toEqual(['adapter_config.json', 'config.json', 'model.safetensors.index.json', 'model.safetensors']);
    const files = wanted.map((path) => ({ path, bytes: 1 }));
    const { warnings } = await inspectSource(source, files);
    for (const [i, pattern] of says.entries()) {
      expect(notes[i]).toMatch(pattern);
      expect(warnings.filter((warning) => pattern.test(warning))).toHaveLength(1);
    }
    // An index that names only model.safetensors is not a second source.
    const same = { 'model.safetensors.index.json': { weight_map: { x: 'model.safetensors' } } };
    expect((await loadModelFiles(folderOf(own, same))).notes).toEqual([]);
  });

  const REFUSED: Record<string, { make: () => FileSource; says: RegExp }> = {
    'shards that have not what the index says': {
      make: () => {
        const { 'model.safetensors.index.json': index, ...shards } = shardsOf(own);
        const { weight_map } = index as { weight_map: Record<string, string> };
        const moved = { ...weight_map, 'model.norm.weight': 'model-00001-of-00002.safetensors' };
        const files = { ...shards, 'model.safetensors.index.json': { weight_map: moved } };
        return folderOf(own, { 'model.safetensors': null, ...files });
      },
      says: /index\.json says that "model\.norm\.weight" is in "model-00001-of-00002\.safetensors", which does not have it/,
    },
    'shards that have more than the index names': {
      make: () => {
        const { 'model.safetensors.index.json': index, ...shards } = shardsOf(own);
        const { 'model.norm.weight': _, ...fewer } = (index as { weight_map: Record<string, string> }).weight_map;
        const files = { ...shards, 'model.safetensors.index.json': { weight_map: fewer } };
        return folderOf(own, { 'model.safetensors': null, ...files });
      },
      says: /"model-00002-of-00002\.safetensors" has "model\.norm\.weight", which model\.safetensors\.index\.json does not name/,
    },
    'an adapter alone': {
      make: () => folderOf(own, { 'model.safetensors': null, 'adapter_config.json': { peft_type: 'LORA' } }),
      says: /has adapter_config\.json and no model\.safetensors: it is an adapter/,
    },
    'an adapter alone, as PEFT saves it': {
      make: () =>
        folderOf(own, { 'model.safetensors': null, 'config.json': null, 'adapter_config.json': { peft_type: 'LORA' } }),
      says: /has adapter_config\.json and no config\.json: it is an adapter/,
    },
    'a missing shard': {
      make: () => {
        const { 'model-00002-of-00002.safetensors': _, ...rest } = shardsOf(own);
        return folderOf(own, { 'model.safetensors': null, ...rest });
      },
      says: /names "model-00002-of-00002\.safetensors", which is not there/,
    },
    'a head of another shape under tie_word_embeddings': {
      make: () => folderOf(new Map([...own, [HEAD, { dtype: 'F16', shape: [128], data: new Float32Array(128) }]])),
      says: /"lm_head\.weight" is 128, config\.json implies 512×128/,
    },
  };
  it.each(Object.entries(REFUSED))('with %s is refused with both names', async (_, { make, says }) => {
    const error: unknown = await loadModelFiles(make()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(FormatError);
    expect((error as FormatError).message).toMatch(says);
    expect((error as FormatError).remedy).not.toBe('');
  });
});
