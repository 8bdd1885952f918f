import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { floatToHalf, halfToFloat } from '../lib/half.ts';
import { bytesSource, SafetensorsFile } from './safetensors.ts';
import { writeSafetensors } from './safetensors-write.ts';

const open = (bytes: Uint8Array) => SafetensorsFile.open(bytesSource(bytes), 'test.safetensors');

/** A file with exactly this header text and this many data bytes. */
function raw(header: string, dataBytes: number, claimed?: bigint): Uint8Array {
  const json = new TextEncoder().encode(header);
  const file = new Uint8Array(8 + json.length + dataBytes);
  new DataView(file.buffer).setBigUint64(0, claimed ?? BigInt(json.length), true);
  file.set(json, 8);
  return file;
}

const sample = () =>
  writeSafetensors(
    new Map([
      ['a', { dtype: 'F32', shape: [2, 3], data: new Float32Array([1, 2, 3, -4, 5.5, 6]) }],
      ['b/ünïcode', { dtype: 'F16', shape: [2], data: new Float32Array([0.5, -2]) }],
      ['ids', { dtype: 'I32', shape: [2], data: new Int32Array([7, -1]) }],
      ['empty', { dtype: 'F32', shape: [0, 4], data: new Float32Array(0) }],
    ]),
    { k: '5', note: 'hello' },
  );

const HEADERS = '../shared/stranger/safetensors/headers.json';
interface HeaderCase {
  header: string;
  dataBytes: number;
  right: 'open' | 'refuse';
  refusalNames?: string;
}
const headers: [string, HeaderCase][] = existsSync(HEADERS)
  ? Object.entries(JSON.parse(readFileSync(HEADERS, 'utf8')))
  : [['(skipped: no ../shared/stranger)', { header: '', dataBytes: 0, right: 'open' }]];

describe('a header of safetensors', () => {
  it.for(headers)('%s is opened or refused as the format requires', async ([, given], { skip }) => {
    if (!existsSync(HEADERS)) skip('no ../shared/stranger');
    const opened = open(raw(given.header, given.dataBytes));
    if (given.right === 'open') await expect(opened).resolves.toBeInstanceOf(SafetensorsFile);
    else await expect(opened).rejects.toThrow(new RegExp(given.refusalNames!));
  });

  const entry = '{"dtype":"F32","shape":[1],"data_offsets":[0,4]}';
  it.each([
    ['a name twice, written otherwise', `{"a":${entry},"\\u0061":${entry}}`, 4, /has the key "a" twice/],
    [
      'a key of an entry twice',
      '{"a":{"dtype":"F32","dtype":"F16","shape":[1],"data_offsets":[0,4]}}',
      4,
      /"dtype" twice/,
    ],
    ['metadata twice', `{"__metadata__":{},"a":${entry},"__metadata__":{}}`, 4, /"__metadata__" twice/],
    ['a key of metadata twice', `{"__metadata__":{"x":"1","x":"2"},"a":${entry}}`, 4, /"x" twice/],
    ['a mark of bytes first', `\ufeff{"a":${entry}}`, 4, /does not begin with \{/],
    ['a list', '[]', 0, /not a map of tensors/],
    ['bits that are no bytes', '{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}', 2, /needs 1\.5 bytes, not 2/],
    ['a quote within a name', `{"a\\"":${entry},"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`, 4, null],
    ['a name as a value', `{"__metadata__":{"k":"k","a":"k"},"a":${entry}}`, 4, null],
  ])('with %s is told apart', async (_, header, dataBytes, says) => {
    const opened = open(raw(header, dataBytes));
    if (says) await expect(opened).rejects.toThrow(says);
    else await expect(opened).resolves.toBeInstanceOf(SafetensorsFile);
  });
});

describe('safetensors', () => {
  it('reads back what it writes', async () => {
    const file = await open(sample());
    expect(file.metadata).toEqual({ k: '5', note: 'hello' });
    expect([...file.tensors.keys()]).toEqual(['a', 'b/ünïcode', 'ids', 'empty']);
    expect(file.info('a').shape).toEqual([2, 3]);
    expect([...(await file.readF32('a'))]).toEqual([1, 2, 3, -4, 5.5, 6]);
    expect([...(await file.readF32('b/ünïcode'))]).toEqual([0.5, -2]);
    expect([...(await file.readI32('ids'))]).toEqual([7, -1]);
    expect((await file.readF32('empty')).length).toBe(0);
  });

  it('reads a Blob lazily: only the bytes of a requested tensor', async () => {
    const blob = new Blob([sample()]);
    const asked: number[] = [];
    const file = await SafetensorsFile.open(
      {
        size: blob.size,
        slice: (start, end) => {
          asked.push(end - start);
          return blob.slice(start, end);
        },
      },
      'blob',
    );
    asked.length = 0;
    await file.readF32('b/ünïcode');
    expect(asked).toEqual([4]);
  });

  it('reads BF16 and F64', async () => {
    const bytes = raw(
      '{"x":{"dtype":"BF16","shape":[3],"data_offsets":[0,6]},"y":{"dtype":"F64","shape":[1],"data_offsets":[6,14]}}',
      14,
    );
    const view = new DataView(bytes.buffer, bytes.length - 14);
    for (const [i, bits] of [0x3f80, 0xc000, 0x7f80].entries()) view.setUint16(2 * i, bits, true);
    view.setFloat64(6, 0.1, true);
    const file = await open(bytes);
    expect([...(await file.readF32('x'))]).toEqual([1, -2, Number.POSITIVE_INFINITY]);
    expect([...(await file.readF32('y'))]).toEqual([Math.fround(0.1)]);
  });

  it('reads a part of a tensor into a given array, only its bytes, bit for bit', async () => {
    const dtypes = { F32: 4, F16: 2, BF16: 2, F64: 8 } as const;
    const count = 37;
    for (const [dtype, width] of Object.entries(dtypes)) {
      const size = width * count;
      const bytes = raw(`{"x":{"dtype":"${dtype}","shape":[${count}],"data_offsets":[0,${size}]}}`, size);
      const at = bytes.length - size;
      // No exponent has only ones, so every number is finite.
      for (let i = at; i < bytes.length; i++) bytes[i] = (i * 89) % 113;
      const asked: number[] = [];
      const readInto = async (start: number, into: Uint8Array) => {
        asked.push(into.length);
        into.set(bytes.subarray(start, start + into.length));
        return Math.min(into.length, bytes.length - start);
      };
      const held = await SafetensorsFile.open({ ...bytesSource(bytes), readInto }, 'held');
      const plain = await open(bytes);
      const whole = await plain.readF32('x');
      for (const file of [held, plain])
        for (const [from, n] of [
          [0, count],
          [5, 1],
          [3, 30],
        ]) {
          const room = new Float32Array(n + 2).fill(7);
          await file.readF32Part('x', from, room.subarray(1, n + 1));
          expect([...room]).toEqual([7, ...whole.subarray(from, from + n), 7]);
        }
      expect(asked).toEqual([count, 1, 30].map((n) => n * width));
      await expect(plain.readF32Part('x', 30, new Float32Array(8))).rejects.toThrow(/elements 30 to 38 of tensor "x"/);
    }
    await expect((await open(sample())).readF32Part('ids', 0, new Float32Array(1))).rejects.toThrow(/not a float/);
  });

  it('converts every f16 to f32 and back, and rounds to nearest even', () => {
    const all = Uint16Array.from({ length: 65536 }, (_, i) => i);
    const back = floatToHalf(halfToFloat(all));
    for (let i = 0; i < 65536; i++) {
      const isNan = (i & 0x7c00) === 0x7c00 && (i & 0x3ff) !== 0;
      if (!isNan && back[i] !== i) throw new Error(`${i.toString(16)} became ${back[i].toString(16)}`);
    }
    // 2049 is between 2048 and 2050: ties go to the even significand; 65520 is the first number that overflows.
    const rounded = halfToFloat(
      floatToHalf(new Float32Array([2049, 2051, 65519, 65520, 2 ** -25, 2 ** -24 * 1.5, 1e-30])),
    );
    expect([...rounded]).toEqual([2048, 2052, 65504, Number.POSITIVE_INFINITY, 0, 2 ** -23, 0]);
  });

  it.each([
    ['too short', new Uint8Array(5), /5 bytes are too few/],
    ['a huge header', raw('{}', 0, 1n << 62n), /header claims/],
    ['a PDF', new TextEncoder().encode('%PDF-1.7 and so on'), /this is a PDF, not a safetensors file/],
    ['a zip', new TextEncoder().encode('PK\x03\x04 and so on'), /this is a zip archive, not a safetensors file/],
    ['a header longer than the file', raw('{}', 0, 4000n), /claims 4000 bytes, but the file has only 2/],
    ['no JSON', raw('{"a":', 0), /not JSON/],
    ['an array as header', raw('[1]', 0), /malformed/],
    ['a negative size', raw('{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}', 4), /malformed at a/],
    ['a fractional offset', raw('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0.5,4]}}', 4), /malformed/],
    ['offsets behind the end', raw('{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', 4), /0\.\.8 of 4/],
    ['offsets turned round', raw('{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}', 4), /4\.\.0/],
    ['a wrong byte count', raw('{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}', 4), /needs 8 bytes, not 4/],
    [
      'an overlap',
      raw(
        '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}',
        8,
      ),
      /overlaps/,
    ],
    ['a hole', raw('{"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}', 8), /leaves 4 bytes unused/],
    ['bytes behind', raw('{"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', 6), /2 bytes follow/],
    [
      'an impossible shape',
      raw('{"a":{"dtype":"F32","shape":[9e15,9e15],"data_offsets":[0,4]}}', 4),
      /claims the shape/,
    ],
    ['a text for a shape', raw('{"a":{"dtype":"F32","shape":"abc","data_offsets":"04"}}', 4), /malformed at a\.shape/],
    ['a text for offsets', raw('{"a":{"dtype":"F32","shape":[1],"data_offsets":"04"}}', 4), /malformed at a\.data_off/],
    ['a text for a tensor', raw('{"a":"b"}', 0), /malformed at a/],
    ['a tensor for metadata', raw('{"__metadata__":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', 4), /malformed/],
    [
      'twenty dimensions',
      raw(`{"a":{"dtype":"F32","shape":[${Array(20).fill(1)}],"data_offsets":[0,4]}}`, 4),
      /20 elements, 16 are allowed/,
    ],
    ['50,000 brackets', raw(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 0), /65 deep or deeper/],
    ['300,000 tensors of texts', raw(`{${Array.from({ length: 3e5 }, (_, i) => `"${i}":""`)}}`, 0), /malformed at 0/],
    ['metadata of numbers', raw('{"__metadata__":{"k":5}}', 0), /malformed/],
  ])('refuses %s', async (_what, bytes, message) => {
    const error = await open(bytes).then(
      () => null,
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(FormatError);
    expect((error as FormatError).message).toMatch(message);
  });

  it('refuses every truncation, with a FormatError', async () => {
    const whole = sample();
    for (let cut = 0; cut < whole.length; cut++) {
      await expect(open(whole.slice(0, cut))).rejects.toBeInstanceOf(FormatError);
    }
  });

  it('survives random bytes and random flips: a file or a FormatError, nothing else', async () => {
    // A linear congruential generator is reproducible, and its quality does not matter here.
    let state = 12345;
    const next = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state >>> 8;
    };
    const whole = sample();
    let refused = 0;
    for (let round = 0; round < 2000; round++) {
      const bytes = round % 2 ? whole.slice() : new Uint8Array(next() % 200).map(() => next());
      if (round % 2) bytes[next() % 200] = next();
      try {
        const file = await open(bytes);
        for (const name of file.tensors.keys())
          await file.readF32(name).catch((e) => expect(e).toBeInstanceOf(FormatError));
      } catch (error) {
        refused++;
        expect(error).toBeInstanceOf(FormatError);
      }
    }
    expect(refused).toBeGreaterThan(1000);
  });

  it('names a tensor that is missing or has another type', async () => {
    const file = await open(sample());
    await expect(file.readF32('nope')).rejects.toThrow(/no tensor "nope"/);
    await expect(file.readF32('ids')).rejects.toThrow(/"ids" is "I32", not a float/);
    await expect(file.readI32('a')).rejects.toThrow(/not I32/);
  });

  it('reads the reference fixtures (written by Python)', async (context) => {
    const folder = new URL('../../../shared/oracle/', import.meta.url);
    let names: string[];
    try {
      names = readdirSync(folder).filter((name) => !name.includes('.'));
    } catch {
      return context.skip('../shared is not here');
    }
    for (const name of names) {
      const file = await open(readFileSync(new URL(`${name}/expected.safetensors`, folder)));
      expect(file.info('forward.logits').dtype).toBe('F32');
      const logps = await file.readF32('forward.logps');
      expect(logps.every((x) => x < 0 && Number.isFinite(x))).toBe(true);
    }
  });
});
