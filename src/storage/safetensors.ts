// Safetensors: u64 header length, JSON header, then the tensors' bytes. Tensors are read lazily (one slice each), and all claims of a header
// are checked before data is read. safetensors-write.ts writes them. Format: https://github.com/huggingface/safetensors#format

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText, repeatedMember } from '@projected-grpo-lab/base/json.ts';
import { listOf, mapOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { bfloatToFloat, halfToFloat } from '../lib/half.ts';

export type SafetensorsDType = 'F64' | 'F32' | 'F16' | 'BF16' | 'U32' | 'I32';
export const BYTES: Readonly<Record<SafetensorsDType, number>> = { F64: 8, F32: 4, F16: 2, BF16: 2, U32: 4, I32: 4 };
/** Bits per element of every dtype of the format. */
const BITS: Readonly<Record<string, number>> = {
  BOOL: 8,
  U8: 8,
  I8: 8,
  F8_E5M2: 8,
  F8_E4M3: 8,
  F8_E8M0: 8,
  F8_E4M3FNUZ: 8,
  F8_E5M2FNUZ: 8,
  U16: 16,
  I16: 16,
  F16: 16,
  BF16: 16,
  U32: 32,
  I32: 32,
  F32: 32,
  U64: 64,
  I64: 64,
  F64: 64,
  C64: 64,
  F4: 4,
  F6_E2M3: 6,
  F6_E3M2: 6,
};
const BRACE = 0x7b;
/** The reference implementation has the same limit on a header. */
const MAX_HEADER_BYTES = 100_000_000;
const REMEDY = 'Get the file again from its source; it is damaged or not a safetensors file.';

/** The interface that a reader needs; Blob and `bytesSource` have it. */
export interface ByteSource {
  readonly size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
  /** Fills `into` with the bytes from `start` on and returns their number. Without it, `slice` allocates an array per call. */
  readInto?(start: number, into: Uint8Array): Promise<number>;
}

export interface TensorInfo {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Absolute position in the file. */
  readonly start: number;
  readonly end: number;
}

const size = z.int().check(z.nonnegative());
/** Most dimensions; no tensor in use has more. */
const MAX_RANK = 16;
const Entry = z.object({
  dtype: z.string().check(z.maxLength(20)),
  shape: listOf(size, MAX_RANK),
  data_offsets: z.tuple([size, size]),
});
const Metadata = mapOf(z.string());

export function bytesSource(bytes: Uint8Array): ByteSource {
  // Node's Buffer.slice shares its memory, unlike Uint8Array's, so a plain view is made of either.
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: view.byteLength,
    slice: (start, end) => ({ arrayBuffer: async () => view.slice(start, end).buffer as ArrayBuffer }),
  };
}

export class SafetensorsFile {
  private constructor(
    private readonly source: ByteSource,
    readonly label: string,
    readonly tensors: ReadonlyMap<string, TensorInfo>,
    readonly metadata: Readonly<Record<string, string>>,
  ) {}

  /** Reads and checks only the header. Throws FormatError. */
  static async open(source: ByteSource, label: string): Promise<SafetensorsFile> {
    const fail = (what: string): never => {
      throw new FormatError(`${label}: ${what}`, REMEDY);
    };
    if (source.size < 8) fail(`${source.size} bytes are too few for a safetensors file (8 at least).`);
    const prefix = new DataView(await source.slice(0, 8).arrayBuffer());
    const headerBytes = Number(prefix.getBigUint64(0, true));
    if (headerBytes > MAX_HEADER_BYTES || headerBytes < 2) {
      // A length beyond the file means that the file is of another kind. This code is loaded on demand, since most readers never need it.
      const { fileKind, HEAD_BYTES } = await import('../lib/file-kind.ts');
      const { kind, name } = fileKind(new Uint8Array(await source.slice(0, HEAD_BYTES).arrayBuffer()));
      if (kind !== 'unknown')
        throw new FormatError(
          `${label}: this is ${name}, not a safetensors file.`,
          'Choose the .safetensors file itself.',
        );
      fail(`its header claims ${headerBytes} bytes (2 to ${MAX_HEADER_BYTES} are allowed).`);
    }
    if (8 + headerBytes > source.size) {
      fail(`its header claims ${headerBytes} bytes, but the file has only ${source.size - 8} after the length.`);
    }
    const bytes = new Uint8Array(await source.slice(8, 8 + headerBytes).arrayBuffer());
    let json: unknown;
    let repeated: string | null = null;
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      json = parseJsonText(text);
      repeated = repeatedMember(text)?.name ?? null;
    } catch (error) {
      fail(`its header is not JSON (${error instanceof Error ? error.message : String(error)}).`);
    }
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      return fail('its header is malformed at the top: it is not a map of tensors.');
    // The format requires the brace, so that a reader can recognise the header before it parses.
    if (bytes[0] !== BRACE) fail('its header does not begin with {, which the format demands.');
    if (repeated !== null) fail(`its header has the key ${quote(repeated)} twice.`);
    const dataStart = 8 + headerBytes;
    const tensors = new Map<string, TensorInfo>();
    let metadata: Record<string, string> = {};
    const read = <T>(schema: z.ZodMiniType<T>, name: string, value: unknown): T => {
      const parsed = schema.safeParse(value);
      if (parsed.success) return parsed.data;
      const { path, message } = parsed.error.issues[0];
      return fail(`its header is malformed at ${[short(name), ...path].join('.')}: ${message}.`);
    };
    for (const [name, entry] of Object.entries(json)) {
      if (name === '__metadata__') {
        metadata = read(Metadata, name, entry);
        continue;
      }
      const info = read(Entry, name, entry);
      const [from, to] = info.data_offsets;
      if (from > to || dataStart + to > source.size) {
        fail(`tensor ${quote(name)} lies at ${from}..${to} of ${source.size - dataStart} data bytes.`);
      }
      const bits = Object.hasOwn(BITS, info.dtype) ? BITS[info.dtype] : undefined;
      const count = elements(info.shape);
      if (!Number.isSafeInteger(count)) fail(`tensor ${quote(name)} claims the shape [${info.shape}].`);
      if (bits !== undefined && (count * bits) / 8 !== to - from) {
        fail(
          `tensor ${quote(name)} of shape [${info.shape}] in ${info.dtype} needs ${(count * bits) / 8} bytes, not ${to - from}.`,
        );
      }
      tensors.set(name, { dtype: info.dtype, shape: info.shape, start: dataStart + from, end: dataStart + to });
    }
    checkCover(tensors, dataStart, source.size, fail);
    return new SafetensorsFile(source, label, tensors, metadata);
  }

  info(name: string): TensorInfo {
    const info = this.tensors.get(name);
    if (!info) {
      throw new FormatError(
        `${this.label} has no tensor ${quote(name)} (it has ${this.tensors.size}).`,
        'Check that the file belongs to this model.',
      );
    }
    return info;
  }

  /** Reads any float dtype as f32; F64 is rounded. */
  async readF32(name: string): Promise<Float32Array> {
    const data = new Float32Array(elements(this.#floats(name).shape));
    await this.readF32Part(name, 0, data);
    return data;
  }

  /** Reads elements [from, from + into.length) of any float dtype as f32: 16-bit numbers are read into the upper half of `into` and widened
   *  in place, so that no other memory is needed. F64 is rounded. */
  async readF32Part(name: string, from: number, into: Float32Array): Promise<void> {
    const { width, ...info } = this.#floats(name);
    const count = into.length;
    const start = info.start + from * width;
    if (!(Number.isInteger(from) && from >= 0 && start + count * width <= info.end)) {
      throw new FormatError(
        `${this.label}: elements ${from} to ${from + count} of tensor ${quote(name)} of shape [${info.shape}].`,
        'This is a bug in the lab: report it with this message.',
      );
    }
    if (width === 8) {
      const doubles = new Float64Array(count);
      await this.#fill(name, start, new Uint8Array(doubles.buffer));
      into.set(doubles);
      return;
    }
    const bytes = new Uint8Array(into.buffer, into.byteOffset + (4 - width) * count, width * count);
    await this.#fill(name, start, bytes);
    if (width === 4) return;
    const halves = new Uint16Array(bytes.buffer, bytes.byteOffset, count);
    if (info.dtype === 'F16') halfToFloat(halves, into);
    else bfloatToFloat(halves, into);
  }

  async readI32(name: string): Promise<Int32Array> {
    const info = this.info(name);
    if (info.dtype !== 'I32') throw unreadable(this.label, name, info.dtype, 'I32');
    const data = new Int32Array(elements(info.shape));
    await this.#fill(name, info.start, new Uint8Array(data.buffer));
    return data;
  }

  /** Throws FormatError for other dtypes. */
  #floats(name: string): TensorInfo & { width: number } {
    const info = this.info(name);
    const width = { F32: 4, F64: 8, F16: 2, BF16: 2 }[info.dtype];
    if (width === undefined) throw unreadable(this.label, name, info.dtype, 'a float');
    return { ...info, width };
  }

  async #fill(name: string, start: number, into: Uint8Array): Promise<void> {
    const source = this.source;
    let got: number;
    if (source.readInto) got = await source.readInto(start, into);
    else {
      const bytes = await source.slice(start, start + into.length).arrayBuffer();
      got = bytes.byteLength;
      into.set(new Uint8Array(bytes));
    }
    if (got === into.length) return;
    throw new FormatError(
      `${this.label}: tensor ${quote(name)} ended after ${got} of ${into.length} bytes from ${start} on.`,
      REMEDY,
    );
  }
}

/** The format requires that the tensors cover the data exactly, without overlaps, holes or trailing bytes. */
function checkCover(
  tensors: ReadonlyMap<string, TensorInfo>,
  dataStart: number,
  size: number,
  fail: (what: string) => never,
): void {
  const ordered = [...tensors].sort(([, a], [, b]) => a.start - b.start || a.end - b.end);
  let at = dataStart;
  for (const [name, info] of ordered) {
    if (info.start !== at) {
      const what = info.start < at ? 'overlaps the one before it' : `leaves ${info.start - at} bytes unused before it`;
      fail(`tensor ${quote(name)} at ${info.start - dataStart} ${what}.`);
    }
    at = info.end;
  }
  if (at !== size) fail(`${size - at} bytes follow the last tensor.`);
}

export function elements(shape: readonly number[]): number {
  return shape.reduce((product, n) => product * n, 1);
}

/** Names come from the file, so they are shortened and made printable for messages. */
const short = (name: string): string => (name.length > 80 ? `${name.slice(0, 77)}...` : name);
export function quote(name: string): string {
  return JSON.stringify(short(name));
}

function unreadable(label: string, name: string, dtype: string, wanted: string): FormatError {
  return new FormatError(
    `${label}: tensor ${quote(name)} is ${JSON.stringify(dtype.slice(0, 20))}, not ${wanted}.`,
    'Convert the file to F32, F16 or BF16 first.',
  );
}
