import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { configToJson } from '../engine/config.ts';
import { parseConfig } from '../engine/config-reading.ts';
import { weightShapes } from '../engine/weight-names.ts';
import { readAll } from '../engine/weights/reader.ts';
import { inspectModelFiles, loadModelFiles, storedSha256 } from './model-files.ts';
import { type TensorToWrite, writeSafetensors } from './safetensors-write.ts';
import { diskSource } from './sources.node.ts';
import { type FileLike, fetchSource, fileSha256, memorySource, sha256 } from './sources.ts';

const config = parseConfig({
  model_type: 'qwen2',
  hidden_size: 4,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 6,
  vocab_size: 10,
  tie_word_embeddings: true,
});

function tensors(dtype: 'F32' | 'F16'): Map<string, TensorToWrite> {
  let next = 0;
  return new Map(
    [...weightShapes(config)].map(([name, shape]) => {
      const data = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => (next++ % 64) / 8);
      return [name, { dtype, shape, data }];
    }),
  );
}
const folder = (weights: Uint8Array<ArrayBuffer>): Map<string, FileLike> =>
  new Map<string, FileLike>([
    ['config.json', new Blob([JSON.stringify(configToJson(config))])],
    ['model.safetensors', new Blob([weights])],
    ['tokenizer.json', new Blob(['{"model":{"type":"BPE"}}'])],
  ]);

afterEach(() => vi.unstubAllGlobals());

describe('model files', () => {
  it('loads f16 weights as f32, with their hash', async () => {
    const bytes = writeSafetensors(tensors('F16'));
    const model = await loadModelFiles(memorySource(folder(bytes)));
    expect(model.config).toEqual(config);
    expect(model.weights.shapes).toEqual(weightShapes(config));
    const weights = await readAll(model.weights);
    expect([...weights.keys()]).toEqual([...weightShapes(config).keys()]);
    expect(weights.get('model.norm.weight')?.data).toEqual(tensors('F32').get('model.norm.weight')?.data);
    expect(model.sha256).toBe(await sha256(bytes));
    expect(model.tokenizerJson).toEqual({ model: { type: 'BPE' } });
    expect(model.tokenizerConfig).toBeNull();
    expect(model.parameters).toBe([...weights.values()].reduce((n, t) => n + t.data.length, 0));
  });

  it('refuses files whose hash differs from a manifest’s or record’s, but accepts other line ends', async () => {
    const bytes = writeSafetensors(tensors('F32'));
    const text = '{\n  "model": {"type": "BPE"}\n}\n';
    const sumOf = async (contents: Uint8Array) => ({ sha256: await sha256(contents) });
    const sums = {
      'model.safetensors': await sumOf(bytes),
      'tokenizer.json': await sumOf(new TextEncoder().encode(text)),
    };
    const made = (weights: Uint8Array<ArrayBuffer>, tokenizer: string) =>
      folder(weights)
        .set('tokenizer.json', new Blob([tokenizer]))
        .set('manifest.json', new Blob([JSON.stringify({ files: sums })]));
    await loadModelFiles(memorySource(made(bytes, text)));
    await loadModelFiles(memorySource(made(bytes, text.replaceAll('\n', '\r\n'))));
    const flipped = bytes.slice();
    flipped[bytes.length - 2] ^= 1;
    await expect(loadModelFiles(memorySource(made(flipped, text)))).rejects.toThrow(/model\.safetensors is damaged/);
    const other = text.replace('BPE', 'BPF');
    await expect(loadModelFiles(memorySource(made(bytes, other)))).rejects.toThrow(/tokenizer\.json is damaged/);
    const template = new Map([['chat_template.jinja', (await sumOf(new TextEncoder().encode('{{ 1 }}'))).sha256]]);
    const changed = folder(bytes).set('chat_template.jinja', new Blob(['{{ 2 }}']));
    const vouched = { ...memorySource(changed), sums: async () => template };
    await expect(loadModelFiles(vouched)).rejects.toThrow(/chat_template\.jinja is damaged/);
    // A folder without known hashes is accepted.
    await loadModelFiles(memorySource(folder(flipped)));
    const expected = new Map([['model.safetensors', sums['model.safetensors'].sha256]]);
    const fetched = { ...memorySource(folder(flipped)), sums: async () => expected };
    await expect(loadModelFiles(fetched)).rejects.toThrow(/model\.safetensors is damaged/);
  });

  it('loads shards', async () => {
    const all = [...tensors('F32')];
    const files = folder(new Uint8Array(0));
    files.delete('model.safetensors');
    files.set('a.safetensors', new Blob([writeSafetensors(new Map(all.slice(0, 5)))]));
    files.set('b.safetensors', new Blob([writeSafetensors(new Map(all.slice(5)))]));
    const weight_map = Object.fromEntries(all.map(([name], i) => [name, i < 5 ? 'a.safetensors' : 'b.safetensors']));
    files.set('model.safetensors.index.json', new Blob([JSON.stringify({ weight_map })]));
    const model = await loadModelFiles(memorySource(files));
    expect((await model.weights.read('model.norm.weight')).data).toEqual(tensors('F32').get('model.norm.weight')?.data);
  });

  it('names a missing file, and a missing, misshapen or non-finite tensor', async () => {
    await expect(loadModelFiles(memorySource(new Map(), 'nowhere'))).rejects.toThrow('nowhere has no config.json');
    const files = folder(writeSafetensors(tensors('F32')));
    files.delete('model.safetensors');
    await expect(loadModelFiles(memorySource(files))).rejects.toThrow(/has no model\.safetensors/);

    const fewer = tensors('F32');
    fewer.delete('model.norm.weight');
    await expect(loadModelFiles(memorySource(folder(writeSafetensors(fewer))))).rejects.toThrow(
      /no tensor "model.norm.weight"/,
    );

    const other = tensors('F32');
    other.set('model.norm.weight', { dtype: 'F32', shape: [2, 2], data: new Float32Array(4) });
    await expect(loadModelFiles(memorySource(folder(writeSafetensors(other))))).rejects.toThrow(
      /is 2×2, config.json implies 4/,
    );

    const nan = tensors('F32');
    nan.set('model.norm.weight', { dtype: 'F32', shape: [4], data: new Float32Array([1, 1, Number.NaN, 1]) });
    const { weights } = await loadModelFiles(memorySource(folder(writeSafetensors(nan))));
    await expect(weights.read('model.norm.weight')).rejects.toThrow(/element 2 of "model.norm.weight" is NaN/);
    await expect(weights.read('model.tone.weight')).rejects.toThrow(/has no weight "model.tone.weight"/);
  });

  it('describes a folder from its headers alone', async () => {
    const files = folder(writeSafetensors(tensors('F16')));
    const weights = files.get('model.safetensors') as Blob;
    const asked: number[] = [];
    const watched: FileLike = {
      size: weights.size,
      slice: (start, end) => {
        asked.push(end - start);
        return weights.slice(start, end);
      },
      arrayBuffer: () => Promise.reject(new Error('the whole file was asked for')),
      text: () => Promise.reject(new Error('the whole file was asked for')),
    };
    files.set('model.safetensors', watched);
    const header = await inspectModelFiles(memorySource(files));
    // Only the header's length and the header are read.
    expect(asked).toHaveLength(2);
    expect(asked[0]).toBe(8);
    const whole = new Map(files).set('model.safetensors', weights);
    const { weights: _, sha256: hash, nameInFiles, ...same } = await loadModelFiles(memorySource(whole));
    expect(header).toEqual(same);
    expect(nameInFiles('model.norm.weight')).toBe('model.norm.weight');
    expect(hash).toHaveLength(64);
  });

  it('reads a tensor on demand, and keeps none in memory', async () => {
    const files = folder(writeSafetensors(tensors('F32')));
    const weights = files.get('model.safetensors') as Blob;
    const asked: number[] = [];
    files.set('model.safetensors', {
      size: weights.size,
      slice: (start, end) => {
        asked.push(end - start);
        return weights.slice(start, end);
      },
      arrayBuffer: () => weights.arrayBuffer(),
      text: () => weights.text(),
    });
    const model = await loadModelFiles(memorySource(files));
    asked.length = 0;
    const first = await model.weights.read('model.norm.weight');
    const again = await model.weights.read('model.norm.weight');
    expect(asked).toEqual([4 * config.hiddenSize, 4 * config.hiddenSize]);
    expect(again.data).not.toBe(first.data);
    expect(again).toEqual(first);
  });

  it('reads from disk, lazily, and stays inside the folder', async () => {
    const root = mkdtempSync(join(tmpdir(), 'model-'));
    try {
      for (const [name, file] of folder(writeSafetensors(tensors('F32')))) {
        writeFileSync(join(root, name), new Uint8Array(await file.arrayBuffer()));
      }
      const source = diskSource(root);
      const model = await loadModelFiles(source);
      expect((await readAll(model.weights)).size).toBe(weightShapes(config).size);
      const file = await source.read('config.json');
      expect(new TextDecoder().decode(await file!.slice(0, 2).arrayBuffer())).toBe((await file!.text()).slice(0, 2));
      expect(await source.read('nothing.bin')).toBeNull();
      await expect(source.read('../../etc/passwd')).rejects.toThrow(/outside/);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it('hashes a large file in parts, never whole', async () => {
    const bytes = new Uint8Array(65 * 2 ** 20).map((_, i) => (i * 31) >> 3);
    const parts: number[] = [];
    const file: FileLike = {
      size: bytes.length,
      slice: (start, end) => ({
        arrayBuffer: async () => {
          parts.push(end - start);
          return bytes.slice(start, end).buffer;
        },
      }),
      arrayBuffer: () => Promise.reject(new Error('the whole file was asked for')),
      text: () => Promise.reject(new Error('the whole file was asked for')),
    };
    expect(await fileSha256(file)).toBe(await sha256(bytes));
    expect(parts).toEqual([16, 16, 16, 16, 1].map((n) => n * 2 ** 20));
    const short = { ...file, slice: () => ({ arrayBuffer: async () => new ArrayBuffer(0) }) };
    await expect(fileSha256(short)).rejects.toThrow(/ended after 0 of/);
  });

  it('treats a server’s index page as a missing file, and counts bytes', async () => {
    const answers: Record<string, Response> = {
      'http://x/m/a.bin': new Response('12345', { headers: { 'content-length': '5' } }),
      'http://x/m/b.json': new Response('<html>', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
      'http://x/m/c.json': new Response('', { status: 404 }),
      'http://x/m/d.json': new Response('', { status: 500 }),
    };
    vi.stubGlobal('fetch', async (url: string) => answers[url]);
    const seen: number[][] = [];
    const source = fetchSource('http://x/m/', (_path, done, total) => seen.push([done, total]));
    expect(await (await source.read('a.bin'))!.text()).toBe('12345');
    expect(seen.at(-1)).toEqual([5, 5]);
    expect(await source.read('b.json')).toBeNull();
    expect(await source.read('c.json')).toBeNull();
    await expect(source.read('d.json')).rejects.toThrow(/status 500/);
  });

  it('reports a broken connection as such, not as invalid JSON', async () => {
    const broken = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(new Uint8Array([0x7b]));
          controller.error(new TypeError('terminated'));
        },
      });
    vi.stubGlobal('fetch', async () => new Response(broken()));
    for (const onProgress of [undefined, () => {}]) {
      const error: unknown = await inspectModelFiles(fetchSource('http://x/m/', onProgress)).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(FormatError);
      expect((error as FormatError).message).toMatch(
        /^http:\/\/x\/m\/config\.json could not be fetched \(terminated\)/,
      );
      expect((error as FormatError).remedy).toMatch(/connection/);
    }
  });

  it('passes on the error of a file that can no longer be read', async () => {
    const files = folder(writeSafetensors(tensors('F32')));
    const gone = new DOMException('The file was moved.', 'NotReadableError');
    files.set('tokenizer.json', Object.assign(new Blob(['{}']), { text: () => Promise.reject(gone) }));
    await expect(loadModelFiles(memorySource(files))).rejects.toBe(gone);
  });

  it('has another hash if it is stored in fewer bits', async () => {
    const { sha256: exact } = await loadModelFiles(memorySource(folder(writeSafetensors(tensors('F32')))));
    expect(await storedSha256(exact, 'f32')).toBe(exact);
    const packed = await Promise.all(
      (['f16', 'q8', 'q8g32', 'q8t16'] as const).map((storage) => storedSha256(exact, storage)),
    );
    expect(new Set([exact, ...packed]).size).toBe(5);
    // Stored records contain this hash, so it must not change.
    expect(packed[1]).toBe(await sha256(new TextEncoder().encode(`${exact} q8`)));
    expect(packed[0]).toBe(await sha256(new TextEncoder().encode(`${exact} f16`)));
  });
});
