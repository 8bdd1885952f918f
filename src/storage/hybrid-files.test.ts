// Tests folders of Qwen3.5: both prefixes, mixed dtypes, the parts that are never read, and refusals.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { floatToBfloat } from '../lib/half.ts';
import { bytesOutside, withoutHoles } from './byte-holes.ts';
import { configAsUsed, weightFiles } from './model-export.ts';
import { inspectModelFiles, loadModelFiles } from './model-files.ts';
import { openModelText } from './model-text.ts';
import { SafetensorsFile } from './safetensors.ts';
import { type TensorToWrite, writeSafetensors } from './safetensors-write.ts';
import { type FileLike, type FileSource, fileSha256, memorySource, sha256 } from './sources.ts';
import { folderOf, ownJson } from './testing/folders.node.ts';
import {
  HYBRID_CONFIG,
  HYBRID_TEMPLATE,
  HYBRID_WEIGHTS,
  hybridConfigJson,
  hybridTensors,
  IMAGE,
} from './testing/hybrid.ts';

type Files = NonNullable<Parameters<typeof folderOf>[1]>;
const LONG = 'model.language_model.';

const folder = (tensors = hybridTensors(), files: Files = {}) =>
  folderOf(tensors, { 'config.json': hybridConfigJson(), 'chat_template.jinja': null, ...files });
const textOnly = (prefix = LONG) =>
  new Map([...hybridTensors(prefix)].filter(([name]) => !/^(model\.visual|mtp)\./.test(name)));

/** Wraps a source so that reads of the omitted parts of its weight file fail. */
async function guarded(source: FileSource): Promise<FileSource & { reads: number }> {
  const file = (await source.read('model.safetensors'))!;
  const { tensors } = await SafetensorsFile.open(file, 'guarded');
  const parts = [...tensors].filter(([name]) => /^(model\.visual|mtp)\./.test(name)).map(([, part]) => part);
  const result = { ...source, reads: 0 };
  const blob: FileLike = {
    size: file.size,
    text: () => Promise.reject(new Error('read whole')),
    arrayBuffer: () => Promise.reject(new Error('read whole')),
    slice: (start, end) => {
      result.reads++;
      if (parts.some((part) => start < part.end && part.start < end)) throw new Error(`read ${start}..${end}`);
      return file.slice(start, end);
    },
  };
  result.read = async (path) => (path === 'model.safetensors' ? blob : source.read(path));
  return result;
}

describe('a folder of Qwen3.5', () => {
  it.each([LONG, 'model.'])('can be read under the prefix %s, with mixed dtypes', async (prefix) => {
    const files = await loadModelFiles(folder(hybridTensors(prefix)));
    expect(files.config).toEqual(HYBRID_CONFIG);
    for (const [name, { shape, data }] of HYBRID_WEIGHTS) {
      const read = await files.weights.read(name);
      expect(read.shape).toEqual(shape);
      const isExact = name.endsWith('A_log') || name.endsWith('linear_attn.norm.weight');
      const rounded = new Uint32Array(data.length);
      floatToBfloat(data).forEach((half, i) => {
        rounded[i] = half << 16;
      });
      expect(read.data, name).toEqual(isExact ? data : new Float32Array(rounded.buffer));
    }
    expect(files.nameInFiles('model.norm.weight')).toBe(`${prefix}norm.weight`);
  });

  it('never reads a byte of the vision and multi-token parts, and reports the size of the text part', async () => {
    const source = await guarded(folder());
    const files = await loadModelFiles(source);
    for (const name of HYBRID_WEIGHTS.keys()) await files.weights.read(name);
    expect(source.reads).toBeGreaterThan(HYBRID_WEIGHTS.size);
    expect(files.ignored).toEqual(['model.visual.* (2 tensors, images)', 'mtp.* (1 tensors, further tokens)']);
    const cut = 2 * (64 * 1024 + 64 + 64 * 512);
    expect(bytesOutside(files.holes.get('model.safetensors'), files.bytes)).toBe(files.bytes - cut);
    expect(files.notes).toEqual([
      expect.stringMatching(/^The text part needs [\d.,]+ kB of [\d.,]+ kB of weight files/),
    ]);
  });

  it('has a sha-256 that depends on the weights and not on the parts that are never read', async () => {
    const zeros = hybridTensors();
    for (const [name, tensor] of zeros) if (/^(model\.visual|mtp)\./.test(name)) tensor.data.fill(0);
    const { sha256: own } = await loadModelFiles(folder());
    expect((await loadModelFiles(folder(zeros))).sha256).toBe(own);
    const other = hybridTensors();
    const norm = other.get(`${LONG}norm.weight`)!;
    other.set(`${LONG}norm.weight`, { ...norm, data: Float32Array.from(norm.data, (x) => x + 1) });
    expect((await loadModelFiles(folder(other))).sha256).not.toBe(own);
    // Without omitted parts the hash is the file's.
    const plain = writeSafetensors(textOnly());
    expect((await loadModelFiles(folder(textOnly()))).sha256).toBe(await sha256(plain));
  });

  it('can be read from shards of which one has only the vision part', async () => {
    const all = [...hybridTensors()];
    const isText = ([name]: [string, TensorToWrite]) => !/^(model\.visual|mtp)\./.test(name);
    const parts = [all.filter(isText), all.filter((one) => !isText(one))];
    const paths = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
    const weight_map = Object.fromEntries(parts.flatMap((part, i) => part.map(([name]) => [name, paths[i]])));
    const shards = Object.fromEntries(parts.map((part, i) => [paths[i], writeSafetensors(new Map(part))]));
    const index = { metadata: {}, weight_map };
    const sharded = folder(new Map(), { ...shards, 'model.safetensors': null, 'model.safetensors.index.json': index });
    const files = await loadModelFiles(sharded);
    expect((await files.weights.read('model.norm.weight')).data.length).toBe(20);
    expect([...files.holes.keys()]).toEqual([paths[1]]);
  });

  const renamed = (from: string, to: string) =>
    new Map([...hybridTensors()].map(([name, tensor]) => [name.replace(from, to), tensor]));
  const A_LOG = `${LONG}layers.0.linear_attn.A_log`;
  it.each<[string, () => Map<string, TensorToWrite>, string]>([
    ['a doubled prefix', () => renamed(LONG, `${LONG}language_model.`), 'has its prefix twice'],
    [
      'a weight under both prefixes',
      () => hybridTensors().set('model.norm.weight', hybridTensors().get(`${LONG}norm.weight`)!),
      `both "model.norm.weight" and "${LONG}norm.weight"`,
    ],
    ['no A_log', () => renamed(A_LOG, 'mtp.moved'), 'no tensor "model.layers.0.linear_attn.A_log"'],
    ['a tensor of no layer', () => renamed('mtp.fc.weight', `${LONG}layers.0.other`), 'belong to no qwen3_5_text'],
    [
      'a convolution of another width',
      () =>
        hybridTensors().set(`${LONG}layers.0.linear_attn.conv1d.weight`, {
          dtype: 'F32',
          shape: [44, 1, 4],
          data: new Float32Array(176),
        }),
      'is 44×1×4, config.json implies 44×1×3',
    ],
  ])('with %s is refused', async (_, tensors, says) => {
    await expect(inspectModelFiles(folder(tensors()))).rejects.toThrow(FormatError);
    await expect(inspectModelFiles(folder(tensors()))).rejects.toThrow(says);
  });

  it('is exported with the original names and a config that is read in the same way', async () => {
    const files = await loadModelFiles(folder());
    const [written] = weightFiles(HYBRID_CONFIG, HYBRID_WEIGHTS, {}, { nameOf: files.nameInFiles });
    const bytes = written.bytes() as Uint8Array<ArrayBuffer>;
    const config = new Blob([JSON.stringify(configAsUsed(files))]);
    const again = await loadModelFiles(
      memorySource(
        new Map([
          ['config.json', config],
          ['model.safetensors', new Blob([bytes])],
        ]),
      ),
    );
    expect(again.config).toEqual(HYBRID_CONFIG);
    expect(again.nameInFiles('model.norm.weight')).toBe(`${LONG}norm.weight`);
    expect(again.ignored).toEqual([]);
    expect(configAsUsed(files)).toMatchObject({ dtype: 'float32', text_config: { dtype: 'float32' } });
  });
});

describe('its text', () => {
  const texted = async (files: Files = {}, args: Record<string, boolean> = {}) => {
    const template = { ...ownJson('tokenizer_config.json'), chat_template: HYBRID_TEMPLATE };
    const model = await loadModelFiles(folder(hybridTensors(), { 'tokenizer_config.json': template, ...files }));
    return openModelText(model, 'hybrid', { args });
  };

  it('turns thoughts on and off with the template’s own argument', async () => {
    const messages = [{ role: 'user', content: 'f' } as const];
    const off = await texted();
    expect(off.chat(messages)).toMatch(/<think>\n\n<\/think>\n\n$/);
    expect(off.knowsThinking).toBe(true);
    const on = await off.withSettings({ args: { enable_thinking: true } });
    expect(on.chat(messages)).toMatch(/<think>\n$/);
    expect(await on.unread()).toBeNull();
  });

  it('ends an answer at every end token in the files', async () => {
    const own = (await texted()).codec.endTokens;
    expect(own).toContain(1);
    expect(own.length).toBeGreaterThan(1);
    const both = await texted({ 'generation_config.json': { eos_token_id: [2, 3] } });
    expect([...both.codec.endTokens].sort()).toEqual([...new Set([...own, 2, 3])].sort());
  });

  it('refuses a prompt with an image token', async () => {
    const tokenizer = ownJson('tokenizer.json') as { added_tokens: object[] };
    const image = { ...tokenizer.added_tokens[0], id: IMAGE, content: '<|image_pad|>' };
    const { codec } = await texted({
      'config.json': hybridConfigJson({ image_token_id: codecSize(tokenizer) }),
      'tokenizer.json': {
        ...tokenizer,
        added_tokens: [...tokenizer.added_tokens, { ...image, id: codecSize(tokenizer) }],
      },
    });
    expect(() => codec.encode('a <|image_pad|>')).toThrow(`the token ${codecSize(tokenizer)} (image_token_id)`);
    expect(codec.encode('a').length).toBeGreaterThan(0);
  });
});

/** The next free id. */
function codecSize(tokenizer: object): number {
  const { model, added_tokens } = tokenizer as { model: { vocab: object }; added_tokens: { id: number }[] };
  return Math.max(...Object.values(model.vocab), ...added_tokens.map(({ id }) => id)) + 1;
}

it('a file without its holes has the bytes outside of them', async () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, i) => i);
  for (const holes of [
    [],
    [[0, 3]],
    [
      [10, 20],
      [50, 51],
    ],
    [[90, 100]],
    [[0, 100]],
  ] as [number, number][][]) {
    const left = bytes.filter((at) => !holes.some(([from, to]) => at >= from && at < to));
    const file = withoutHoles(new Blob([bytes]), holes);
    expect(file.size).toBe(left.length);
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(left);
    for (const [start, end] of [
      [0, 7],
      [8, 13],
      [40, 1000],
    ])
      expect(new Uint8Array(await file.slice(start, end).arrayBuffer())).toEqual(left.slice(start, end));
    expect(await fileSha256(file)).toBe(await sha256(left));
    expect(bytesOutside(holes, 55)).toBe(left.filter((at) => at < 55).length);
  }
});
