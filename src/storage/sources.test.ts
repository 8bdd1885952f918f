// Tests hashes of files that are read in parts: equal to the hash of the whole, with progress, and stopped by the listener.
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskFile } from './sources.node.ts';
import { type FileLike, fileSha256, OWN_MODEL_FILES, onlyOf, sha256 } from './sources.ts';

/** A file of 65 MiB of zeros, whose parts are made when they are read. */
const SIZE = 65 * 2 ** 20;
const zeros = (size: number): FileLike => ({
  size,
  slice: (from: number, to: number) => zeros(to - from),
  arrayBuffer: async () => new ArrayBuffer(size),
  text: async () => '',
});

describe('a file that is hashed in parts', () => {
  it('has the hash of the whole file, with progress reports', async () => {
    const heard: number[] = [];
    expect(await fileSha256(zeros(SIZE), (done) => heard.push(done))).toBe(await sha256(zeros(SIZE)));
    expect(heard.length).toBeGreaterThan(2);
    expect(heard).toEqual([...heard].sort((a, b) => a - b));
    expect(heard.at(-1)).toBe(SIZE);
  });

  it('has the same hash on disk, where Node computes it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hashed-'));
    try {
      const path = join(folder, 'large');
      writeFileSync(path, 'begins with words');
      truncateSync(path, 17 * 2 ** 20 + 3);
      const file = (await diskFile(path))!;
      const { hasher, ...plain } = file;
      expect(hasher).toBeDefined();
      const own = await fileSha256(plain);
      expect(own).toBe(await sha256(file));
      expect(await fileSha256(file)).toBe(own);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is not read further after the listener throws', async () => {
    let parts = 0;
    const stop = () => {
      if (++parts === 2) throw new Error('enough');
    };
    await expect(fileSha256(zeros(SIZE), stop)).rejects.toThrow('enough');
    expect(parts).toBe(2);
  });
});

describe('the lab’s own models', () => {
  it('consist of the requested files, and nothing else is requested', async () => {
    for (const id of ['tiny-coder', 'tiny-lookup', 'tiny-arithmetic'])
      expect(readdirSync(new URL(`../../public/models/${id}`, import.meta.url)).sort(), id).toEqual([
        ...OWN_MODEL_FILES,
      ]);
    const asked: string[] = [];
    const read = async (path: string) => {
      asked.push(path);
      return null;
    };
    const source = onlyOf({ label: 'own', read }, OWN_MODEL_FILES);
    for (const path of ['config.json', 'chat_template.jinja']) await source.read(path);
    expect(asked).toEqual(['config.json']);
  });
});

it('a name with a zero byte has no file, on disk or elsewhere', async () => {
  expect(await diskFile('model\0.safetensors')).toBeNull();
});
