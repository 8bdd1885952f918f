// A set of damaged and inconsistent model folders, opened as the command line does: headers, weights, tokenizer, device. Each must end in a
// LabError with a remedy, before any of its bytes are on the device unless the fault is a weight's value.

import { DeviceError, FormatError, LabError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configToJson } from '../engine/config.ts';
import { parseConfig } from '../engine/config-reading.ts';
import { Engine } from '../engine/decoder/engine.ts';
import { weightShapes } from '../engine/weight-names.ts';
import { readAll } from '../engine/weights/reader.ts';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import type { Device } from '../kernels/device.ts';
import { createWebGpuDevice } from '../kernels/webgpu/device.ts';
import { openNodeGpu } from '../lib/gpu.node.ts';
import { trainTokenizer } from '../text/bpe-train.ts';
import { loadModelFiles, type ModelFiles } from './model-files.ts';
import { openModelText } from './model-text.ts';
import { type TensorToWrite, writeSafetensors } from './safetensors-write.ts';
import { type FileLike, memorySource } from './sources.ts';

const { tokenizer, config: tokenizerConfig } = trainTokenizer(['def f(x): return x\n'.repeat(9)], 262);
const config = parseConfig({
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

type Tensors = Map<string, TensorToWrite>;
type Files = Map<string, FileLike>;

function tensors(dtype: 'F32' | 'F16' = 'F32'): Tensors {
  let next = 0;
  return new Map(
    [...weightShapes(config)].map(([name, shape]) => {
      const data = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => (next++ % 64) / 64);
      return [name, { dtype, shape, data }];
    }),
  );
}
const json = (value: unknown) => new Blob([JSON.stringify(value)]);

const DEVICES: Record<'cpu' | 'webgpu', () => Promise<Device>> = {
  cpu: () => createCpuDevice(),
  webgpu: async () => createWebGpuDevice({ gpu: await openNodeGpu() }),
};

/** A valid folder. */
function folder(weights: Uint8Array<ArrayBuffer> = writeSafetensors(tensors())): Files {
  return new Map<string, FileLike>([
    ['config.json', json(configToJson(config))],
    ['model.safetensors', new Blob([weights])],
    ['tokenizer.json', json(tokenizer)],
    ['tokenizer_config.json', json(tokenizerConfig)],
  ]);
}

/** Opens the model and generates an answer. */
async function answer(files: Files, device: Device): Promise<{ model: ModelFiles; tokens: number }> {
  const model = await loadModelFiles(memorySource(files, 'models/broken'));
  const { codec, chat } = await openModelText(model, 'models/broken');
  const prompt = codec.encode(await chat([{ role: 'user', content: 'f' }]));
  const engine = await Engine.create({ device, config: model.config, weights: model.weights, adapter: 'none' });
  const [said] = await engine.generate({
    prompts: [prompt.slice(0, 16)],
    sequences: [{ prompt: 0, key: [0, 0] }],
    maxNew: 2,
    temperature: 0,
    endTokens: [],
  });
  engine.free();
  return { model, tokens: said.tokens.length };
}

/** Wraps a device so that it counts allocated and live buffers, and runs out of memory after `room` allocations. */
function counting(device: Device) {
  const count = { taken: 0, live: 0, room: Number.POSITIVE_INFINITY };
  let named = 0;
  const counted = new Proxy(device, {
    get(target, key) {
      // Each run needs a new device name, since cached factors (engine/adapters/factored.ts) would allocate no buffers.
      if (key === 'name') return `${target.name}, ${++named}`;
      const value: unknown = Reflect.get(target, key, target);
      if (key !== 'alloc') return typeof value === 'function' ? value.bind(target) : value;
      return (...args: Parameters<Device['alloc']>) => {
        if (count.taken >= count.room) throw new DeviceError('the device is full', 'Use a smaller model.');
        const buffer = target.alloc(...args);
        count.taken++;
        count.live++;
        const free = buffer.free.bind(buffer);
        buffer.free = () => {
          count.live--;
          free();
        };
        return buffer;
      };
    },
  });
  return { device: counted, count };
}

/** Rewrites the safetensors header; the data stays the same. */
function withHeader(change: (header: Record<string, { dtype: string; data_offsets: number[] }>) => void): Files {
  const bytes = writeSafetensors(tensors());
  const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  change(header);
  const text = new TextEncoder().encode(JSON.stringify(header));
  const size = new Uint8Array(8);
  new DataView(size.buffer).setBigUint64(0, BigInt(text.length), true);
  return folder(new Uint8Array([...size, ...text, ...bytes.subarray(8 + length)]));
}
function withTensors(change: (all: Tensors) => void, dtype: 'F32' | 'F16' = 'F32'): Files {
  const all = tensors(dtype);
  change(all);
  return folder(writeSafetensors(all));
}
function withFiles(change: (files: Files) => void): Files {
  const files = folder();
  change(files);
  return files;
}
function claiming(headerBytes: bigint): Files {
  const bytes = writeSafetensors(tensors());
  new DataView(bytes.buffer).setBigUint64(0, headerBytes, true);
  return folder(bytes);
}
/** The weights in two shards, with a matching index. */
function sharded(change: (files: Files, map: Record<string, string>) => void): Files {
  const all = [...tensors()];
  const files = folder();
  files.delete('model.safetensors');
  files.set('a.safetensors', new Blob([writeSafetensors(new Map(all.slice(0, 5)))]));
  files.set('b.safetensors', new Blob([writeSafetensors(new Map(all.slice(5)))]));
  const map = Object.fromEntries(all.map(([name], i) => [name, i < 5 ? 'a.safetensors' : 'b.safetensors']));
  files.set('model.safetensors.index.json', json({ weight_map: map }));
  change(files, map);
  return files;
}
const vector = (data: number[], dtype: 'F32' | 'F16' = 'F32'): TensorToWrite => ({
  dtype,
  shape: [data.length],
  data: Float32Array.from(data),
});

const CORPUS: Record<string, { files: () => Files; says: RegExp; remedy: RegExp; begun?: true }> = {
  'a truncated header': {
    files: () => folder(writeSafetensors(tensors()).slice(0, 200)),
    says: /model\.safetensors: its header claims \d+ bytes, but the file has only 192/,
    remedy: /Get the file again/,
  },
  'an empty file': {
    files: () => folder(new Uint8Array(0)),
    says: /model\.safetensors: 0 bytes are too few/,
    remedy: /Get the file again/,
  },
  'a header of 2 GB': {
    files: () => claiming(2n ** 31n),
    says: /its header claims 2147483648 bytes \(2 to 100000000 are allowed\)/,
    remedy: /Get the file again/,
  },
  'a header of 2^64 − 1 bytes': {
    files: () => claiming(2n ** 64n - 1n),
    says: /its header claims 18446744073709552000 bytes/,
    remedy: /Get the file again/,
  },
  'a header that is no JSON': {
    files: () => claiming(100n),
    says: /its header is not JSON/,
    remedy: /Get the file again/,
  },
  'truncated data': {
    files: () => folder(writeSafetensors(tensors()).slice(0, -20)),
    says: /tensor "model\.norm\.weight" lies at \d+\.\.\d+ of \d+ data bytes/,
    remedy: /Get the file again/,
  },
  'overlapping offsets': {
    files: () =>
      withHeader((header) => {
        const name = 'model.norm.weight';
        header[name].data_offsets = header[name].data_offsets.map((at) => at - 4);
      }),
    says: /tensor "model\.norm\.weight" at \d+ overlaps the one before it/,
    remedy: /Get the file again/,
  },
  'an integer dtype': {
    files: () =>
      withHeader((header) => {
        header['model.norm.weight'].dtype = 'I32';
      }),
    says: /"model\.norm\.weight" is stored as "I32"; F32, F16, BF16, F64 can be read/,
    remedy: /unquantised/,
  },
  'a dtype of quantised weights': {
    files: () =>
      withHeader((header) => {
        const tensor = header['model.layers.1.mlp.up_proj.weight'];
        Object.assign(tensor, { dtype: 'F8_E4M3', shape: [tensor.data_offsets[1] - tensor.data_offsets[0]] });
      }),
    says: /"model\.layers\.1\.mlp\.up_proj\.weight" is stored as "F8_E4M3"/,
    remedy: /unquantised/,
  },
  'NaN among the weights': {
    files: () => withTensors((all) => all.set('model.norm.weight', vector([1, 1, 1, 1, 1, 1, Number.NaN, 1]))),
    says: /models\/broken: element 6 of "model\.norm\.weight" is NaN/,
    remedy: /Get the weights again/,
    begun: true,
  },
  'an infinity among weights in F16': {
    files: () => withTensors((all) => all.set('model.norm.weight', vector([1e9, 1, 1, 1, 1, 1, 1, 1], 'F16')), 'F16'),
    says: /element 0 of "model\.norm\.weight" is Infinity/,
    remedy: /Get the weights again/,
    begun: true,
  },
  'a missing tensor': {
    files: () => withTensors((all) => all.delete('model.layers.1.self_attn.k_proj.bias')),
    says: /no tensor "model\.layers\.1\.self_attn\.k_proj\.bias" in model\.safetensors, which config\.json implies/,
    remedy: /belong together/,
  },
  'an extra tensor that another architecture needs': {
    files: () => withTensors((all) => all.set('model.layers.0.self_attn.q_norm.weight', vector([1, 1, 1, 1]))),
    says: /"model\.layers\.0\.self_attn\.q_norm\.weight" belong to no qwen2 of this config\.json/,
    remedy: /Check model_type/,
  },
  'four extra tensors': {
    files: () => withTensors((all) => ['w', 'x', 'y', 'z'].map((name) => all.set(name, vector([1])))),
    says: /"w", "x", "y" and 1 more belong to no qwen2/,
    remedy: /merge an adapter/,
  },
  'an index that names a missing shard': {
    files: () => sharded((files) => files.delete('b.safetensors')),
    says: /model\.safetensors\.index\.json names "b\.safetensors", which is not there/,
    remedy: /all shards/,
  },
  'an index without a map': {
    files: () => sharded((files) => files.set('model.safetensors.index.json', json({ weight_map: [1] }))),
    says: /model\.safetensors\.index\.json has no weight_map/,
    remedy: /Get the model again/,
  },
  'a tensor in two shards': {
    files: () => sharded((files) => files.set('b.safetensors', new Blob([writeSafetensors(tensors())]))),
    says: /"model\.embed_tokens\.weight" is in 2 files \(a\.safetensors, b\.safetensors\)/,
    remedy: /Remove shards/,
  },
  'a config that contradicts the shapes': {
    files: () =>
      withFiles((files) => files.set('config.json', json({ ...configToJson(config), intermediate_size: 16 }))),
    says: /"model\.layers\.0\.mlp\.gate_proj\.weight" is 12×8, config\.json implies 16×8/,
    remedy: /belong together/,
  },
  'a config that has fewer layers than the weights': {
    files: () =>
      withFiles((files) => files.set('config.json', json({ ...configToJson(config), num_hidden_layers: 1 }))),
    says: /"model\.layers\.1\.input_layernorm\.weight".* and \d+ more belong to no qwen2/,
    remedy: /belong together/,
  },
  'a config that is no JSON': {
    files: () => withFiles((files) => files.set('config.json', new Blob(['{"model_type": ']))),
    says: /config\.json is not JSON/,
    remedy: /Get the model again/,
  },
  'no config': {
    files: () => withFiles((files) => files.delete('config.json')),
    says: /models\/broken has no config\.json/,
    remedy: /A model folder holds/,
  },
  'no weights': {
    files: () => withFiles((files) => files.delete('model.safetensors')),
    says: /models\/broken has no model\.safetensors/,
    remedy: /A model folder holds/,
  },
  'a tokenizer without the template': {
    files: () =>
      withFiles((files) => {
        const { chat_template: _, ...rest } = tokenizerConfig;
        files.set('tokenizer_config.json', json(rest));
      }),
    says: /models\/broken has no chat template/,
    remedy: /--chat-template chatml, none or FILE/,
  },
  'a template that cannot be read': {
    files: () => withFiles((files) => files.set('chat_template.jinja', new Blob(['{% for m in messages %}']))),
    says: /models\/broken: its chat template cannot be rendered/,
    remedy: /plain text/,
  },
  'a template that refuses the messages': {
    files: () =>
      withFiles((files) => files.set('chat_template.jinja', new Blob(["{{ raise_exception('no user here') }}"]))),
    says: /cannot be rendered \(no user here\)/,
    remedy: /plain text/,
  },
  'no tokenizer': {
    files: () => withFiles((files) => files.delete('tokenizer.json')),
    says: /models\/broken has no tokenizer\.json/,
    remedy: /beside the weights/,
  },
  'a tokenizer that is none': {
    files: () => withFiles((files) => files.set('tokenizer.json', json({}))),
    says: /the tokenizer cannot be read/,
    remedy: /belong to the model/,
  },
  'another model’s tokenizer': {
    files: () => {
      const all = trainTokenizer(['def f(x): return x + 1234 # abcdef ghijkl\n'.repeat(9)], 270);
      return withFiles((files) =>
        files.set('tokenizer.json', json(all.tokenizer)).set('tokenizer_config.json', json(all.config)),
      );
    },
    says: /the tokenizer has 270 tokens, the model only 264/,
    remedy: /belongs to the model/,
  },
  'the files of two tokenizers': {
    files: () => {
      const all = trainTokenizer(['def f(x): return x + 1234 # abcdef ghijkl\n'.repeat(9)], 270);
      return withFiles((files) => files.set('tokenizer.json', json(all.tokenizer)));
    },
    says: /added_tokens_decoder gives ".*" the id "\d+"; the library that transformers reads it with gives it \d+/,
    remedy: /saved together/,
  },
  'an end token that is none': {
    files: () => withFiles((files) => files.set('generation_config.json', json({ eos_token_id: 'the end' }))),
    says: /generation_config\.json: eos_token_id is invalid/,
    remedy: /Get the file again/,
  },
};

describe('a model folder with', () => {
  it('no fault answers, and frees everything', async () => {
    const { device, count } = counting(await createCpuDevice());
    for (const files of [folder(), folder(writeSafetensors(tensors('F16'))), sharded(() => {})]) {
      const { model, tokens } = await answer(files, device);
      expect(tokens).toBe(2);
      expect(model.ignored).toEqual([]);
    }
    expect(count.taken).toBeGreaterThan(100);
    expect([count.live, device.memory().allocated]).toEqual([0, 0]);
  });

  let gpu: Device | null = null;
  beforeAll(async () => {
    // Null without an adapter; then only the CPU is tested.
    gpu = await DEVICES.webgpu().catch(() => null);
  });
  afterAll(() => gpu?.destroy());

  it.each(Object.entries(CORPUS))(
    '%s is refused with a remedy, and nothing of it stays on either device',
    async (_, { files, says, remedy, begun = false }) => {
      for (const base of [await DEVICES.cpu(), gpu]) {
        if (!base) continue;
        const { device, count } = counting(base);
        const error: unknown = await answer(files(), device).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(FormatError);
        expect((error as FormatError).message).toMatch(says);
        expect((error as FormatError).remedy).toMatch(remedy);
        // An engine may start only if the fault cannot be known before a weight is read.
        expect(count.taken > 0).toBe(begun);
        expect([count.live, base.memory().allocated]).toEqual([0, 0]);
      }
    },
  );

  it('unused tensors is accepted, and names what was left out', async () => {
    const files = withTensors((all) => {
      all.set('lm_head.weight', all.get('model.embed_tokens.weight')!);
      all.set('model.layers.0.self_attn.rotary_emb.inv_freq', vector([1, 0.01]));
    });
    const { model } = await answer(files, await createCpuDevice());
    expect(model.ignored).toEqual(['lm_head.weight', 'model.layers.0.self_attn.rotary_emb.inv_freq']);
    expect(model.weights.shapes.has('lm_head.weight')).toBe(false);
    const plain = await answer(folder(), await createCpuDevice());
    expect(await readAll(model.weights)).toEqual(await readAll(plain.model.weights));
  });
});

describe('a device without room for the model', () => {
  for (const [kind, make] of Object.entries(DEVICES)) {
    it(`gets all its memory back (${kind})`, async ({ skip }) => {
      let base: Device;
      try {
        base = await make();
      } catch (error) {
        if (kind === 'cpu') throw error;
        return skip(`no WebGPU adapter here: ${String(error)}`);
      }
      const { config: shape, weights } = await loadModelFiles(memorySource(folder()));
      const before = base.memory().allocated;
      const { device, count } = counting(base);
      const adapters = ['none', 'svd', { adapter: 'lora', loraRank: 2 }] as const;
      const storages = ['f32', 'f16', 'q8'] as const;
      for (const [adapter, storage] of adapters.flatMap((one) => storages.map((as) => [one, as] as const))) {
        Object.assign(count, { taken: 0, room: Number.POSITIVE_INFINITY });
        (await Engine.create({ device, config: shape, weights, adapter, storage })).free();
        const whole = count.taken;
        // The device runs out of memory during the weights, at the tables, while factors are computed, between factors, and at the very end.
        const lacks = [9, 27, 28, 40, whole - 50, whole - 2, whole - 1].filter((room) => room > 0 && room < whole);
        expect(lacks.length).toBeGreaterThan(1);
        for (const room of lacks) {
          Object.assign(count, { taken: 0, room });
          await expect(
            Engine.create({ device, config: shape, weights, adapter, storage }),
            `${adapter} ${storage} ${room}`,
          ).rejects.toThrow(DeviceError);
          expect([count.taken, count.live, base.memory().allocated]).toEqual([room, 0, before]);
        }
      }
      // Weights of another config are refused before anything is allocated.
      Object.assign(count, { taken: 0, room: 9 });
      const fewer = await readAll(weights);
      fewer.delete('model.norm.weight');
      await expect(Engine.create({ device, config: shape, weights: fewer })).rejects.toThrow(LabError);
      expect(count.taken).toBe(0);
      base.destroy();
    });
  }
});
