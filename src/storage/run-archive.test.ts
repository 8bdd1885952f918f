import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import {
  ArchiveWriter,
  crc32,
  LIMITS,
  MANIFEST,
  parseJson,
  readArchive,
  stringify,
  unzipChecked,
} from './run-archive.ts';

const text = (s: string) => new TextEncoder().encode(s);

async function archive(files: Record<string, string>): Promise<Uint8Array> {
  const writer = new ArchiveWriter();
  for (const [name, content] of Object.entries(files)) {
    await writer.add(name, [content.slice(0, 3), text(content.slice(3))]);
  }
  return new Uint8Array(await writer.finish('1.2.3').arrayBuffer());
}

describe('run archive', () => {
  it('returns its contents unchanged, and has the same bytes for the same contents', async () => {
    const files = { 'experiment.json': '{"a":1}', 'runs/0/rollouts.jsonl': 'x'.repeat(100_000), empty: '' };
    const bytes = await archive(files);
    expect(bytes.length).toBeLessThan(2000);
    expect(await archive(files)).toEqual(bytes);
    const read = readArchive(unzipChecked(bytes, 'a.zip'), 'a.zip');
    expect(read.appVersion).toBe('1.2.3');
    expect([...read.files.keys()].sort()).toEqual(Object.keys(files).sort());
    expect(new TextDecoder().decode(read.files.get('runs/0/rollouts.jsonl'))).toBe(files['runs/0/rollouts.jsonl']);
  });

  it('refuses a truncated or damaged file, or one that is not a zip', async () => {
    const bytes = await archive({ 'a.json': 'hello hello hello' });
    const read = (content: Uint8Array) => readArchive(unzipChecked(content, 'a.zip'), 'a.zip');
    for (const cut of [0, 1, 3, 30, bytes.length >> 1, bytes.length - 1]) {
      expect(() => read(bytes.slice(0, cut)), `cut at ${cut}`).toThrow(FormatError);
    }
    expect(() => read(Uint8Array.from({ length: 4000 }, (_, i) => (i * 31) % 256))).toThrow(/not a zip/);
    for (let at = 0; at < bytes.length; at += 7) {
      const damaged = bytes.slice();
      damaged[at] ^= 0x55;
      try {
        const { files } = read(damaged);
        // A flipped bit in a date, or in a local header's copy of a length, does not change the content.
        expect(new TextDecoder().decode(files.get('a.json'))).toBe('hello hello hello');
      } catch (error) {
        expect(error, `byte ${at}`).toBeInstanceOf(FormatError);
      }
    }
  });

  it('refuses names that point elsewhere, and unlisted files', async () => {
    for (const name of [
      '../evil',
      '/etc/passwd',
      'a/../../b',
      'C:\\x',
      'a//b',

      'a\u0000b',
      `${'n'.repeat(300)}`,
    ]) {
      expect(() => unzipChecked(zipSync({ [name]: text('x') }), 'evil.zip'), name).toThrow(FormatError);
    }
    const manifest = { format: 'projected-grpo-lab', version: 1, appVersion: '1', files: [] };
    const extra = zipSync({ [MANIFEST]: text(JSON.stringify(manifest)), 'payload.js': text('x') });
    expect(() => readArchive(unzipChecked(extra, 'x.zip'), 'x.zip')).toThrow(/does not name/);
    const listed = [{ name: 'gone', bytes: 1, crc32: 0 }];
    const missing = zipSync({ [MANIFEST]: text(JSON.stringify({ ...manifest, files: listed })) });
    expect(() => readArchive(unzipChecked(missing, 'x.zip'), 'x.zip')).toThrow(/missing/);
    const newer = zipSync({ [MANIFEST]: text(JSON.stringify({ ...manifest, version: 2 })) });
    expect(() => readArchive(unzipChecked(newer, 'x.zip'), 'x.zip')).toThrow(/not one of this lab \(version/);
  });

  it('checks sizes before it unpacks', () => {
    const bomb = zipSync({ zeros: new Uint8Array(5_000_000), more: new Uint8Array(5_000_000) });
    expect(bomb.length).toBeLessThan(20_000);
    expect(() => unzipChecked(bomb, 'b.zip', { ...LIMITS, entryBytes: 1e6 })).toThrow(/claims 5000000 bytes/);
    expect(() => unzipChecked(bomb, 'b.zip', { ...LIMITS, totalBytes: 8e6 })).toThrow(/more than 8000000/);
    expect(() => unzipChecked(bomb, 'b.zip', { ...LIMITS, entries: 1 })).toThrow(/more than 1 files/);
    expect(() => unzipChecked(bomb, 'b.zip', { ...LIMITS, archiveBytes: 100 })).toThrow(/are allowed/);
    // If a directory entry claims too small a size, its file is not unpacked beyond that size.
    const liar = bomb.slice();
    const view = new DataView(liar.buffer);
    for (let i = 0; i + 4 < liar.length; i++) if (view.getUint32(i, true) === 5_000_000) view.setUint32(i, 1000, true);
    try {
      expect(unzipChecked(liar, 'l.zip').get('zeros')?.length).toBeLessThanOrEqual(1000);
    } catch (error) {
      expect(error).toBeInstanceOf(FormatError);
    }
  });

  it('unpacks no byte twice, and none beyond the directory’s sizes', async () => {
    // The directory names one entry of a megabyte eight hundred times.
    const one = zipSync({ a000: new Uint8Array(1e6).map((_, i) => i % 251) });
    const view = new DataView(one.buffer, one.byteOffset);
    const end = one.length - 22;
    const start = view.getUint32(end + 16, true);
    const entries = Array.from({ length: 800 }, (_, i) => {
      const entry = one.slice(start, end);
      entry.set(text(`a${String(i).padStart(3, '0')}`), 46);
      return entry;
    });
    const tail = one.slice(end);
    const tailView = new DataView(tail.buffer);
    for (const at of [8, 10]) tailView.setUint16(at, 800, true);
    tailView.setUint32(12, 800 * (end - start), true);
    const many = new Uint8Array(await new Blob([one.slice(0, start), ...entries, tail]).arrayBuffer());
    expect(unzipChecked(one, 'a.zip').get('a000')).toHaveLength(1e6);
    const beyond = one.slice();
    new DataView(beyond.buffer).setUint32(start + 20, one.length + 1, true);
    expect(() => unzipChecked(beyond, 'b.zip')).toThrow(
      `"a000" claims ${one.length + 1} packed bytes, but the archive has`,
    );
    expect(() => unzipChecked(many, 'a.zip')).toThrow(/they lie over one another|more than 100 bytes for each/);

    const zeros = zipSync({ zeros: new Uint8Array(4e7) });
    const strict = { ...LIMITS, freeBytes: 4 * 2 ** 20 };
    expect(() => unzipChecked(zeros, 'z.zip', strict)).toThrow(/more than 100 bytes for each of its \d+/);
    // The lab itself packs such zeros: the state of an optimizer before its first step.
    const writer = new ArchiveWriter();
    await writer.add('state.safetensors', [new Uint8Array(2e7)]);
    const own = readArchive(unzipChecked(new Uint8Array(await writer.finish('1').arrayBuffer()), 'o.zip'), 'o.zip');
    expect(own.files.get('state.safetensors')).toHaveLength(2e7);
    const liar = zeros.slice();
    const sizes = new DataView(liar.buffer);
    for (let i = 0; i + 4 < liar.length; i++) if (sizes.getUint32(i, true) === 4e7) sizes.setUint32(i, 1000, true);
    expect(() => unzipChecked(liar, 'l.zip')).toThrow(/it holds more than 1000 bytes/);
  });

  it('preserves numbers that JSON cannot express', () => {
    const value = { a: [Number.NaN, Number.POSITIVE_INFINITY, -0, 0.1, Number.NEGATIVE_INFINITY], b: 'NaN' };
    expect(parseJson(text(stringify(value)), 'v')).toEqual(value);
    expect(() => parseJson(text('{'), 'v')).toThrow(FormatError);
  });

  it('computes the CRC-32 of the standard', () => {
    expect(crc32(text('123456789'))).toBe(0xcbf43926);
    expect(crc32(text('6789'), crc32(text('12345')))).toBe(0xcbf43926);
  });
});
