// A zip of named files with a manifest that lists them: the format in which an experiment moves between browsers. It is written in chunks,
// so that a long run needs no second copy in memory; it is read under limits that are checked before a byte is unpacked, since a dropped
// file may come from anyone. The meaning of the files is defined in src/lab.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { listOf } from '@projected-grpo-lab/base/lists.ts';
import { strToU8, type UnzipFileInfo, unzipSync, Zip, ZipDeflate } from 'fflate';
import * as z from 'zod/mini';
import { inflateUpTo } from '../lib/inflate.ts';

const MiB = 2 ** 20;
export const LIMITS = {
  /** Bytes of the packed zip. */
  archiveBytes: 512 * MiB,
  entries: 4096,
  entryBytes: 384 * MiB,
  totalBytes: 1024 * MiB,
  /** Most unpacked bytes per packed byte, beyond `freeBytes`: the lab's text packs to a thirtieth at best, zeros to a thousandth. Up to
   *  `freeBytes` zeros are allowed: the optimizer state of a fully trained model before its first step. */
  ratio: 100,
  freeBytes: 256 * MiB,
  nameLength: 160,
};
export type Limits = typeof LIMITS;

export const MANIFEST = 'manifest.json';
const ARCHIVE_FORMAT = 'projected-grpo-lab';
const ARCHIVE_VERSION = 1;

const Manifest = z.strictObject({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.literal(ARCHIVE_VERSION),
  appVersion: z.string().check(z.maxLength(64)),
  files: listOf(
    z.strictObject({
      name: z.string().check(z.maxLength(LIMITS.nameLength)),
      bytes: z.int().check(z.nonnegative()),
      crc32: z.int().check(z.nonnegative()),
    }),
    LIMITS.entries,
  ),
});

/** The date is fixed, so that equal runs give equal bytes at any time of export. 1980 is the earliest year in a zip. */
const MTIME = '1980-01-02T00:00:00';

export class ArchiveWriter {
  readonly #zip: Zip;
  readonly #parts: Uint8Array<ArrayBuffer>[] = [];
  readonly #files: { name: string; bytes: number; crc32: number }[] = [];
  #failure: Error | null = null;

  constructor() {
    this.#zip = new Zip((error, chunk) => {
      if (error) this.#failure = error;
      else this.#parts.push(chunk as Uint8Array<ArrayBuffer>);
    });
  }

  /** Adds a file whose content comes in chunks (texts become UTF-8). */
  async add(name: string, chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>): Promise<void> {
    let bytes = 0;
    let crc = 0;
    const entry = this.#begin(name);
    for await (const chunk of chunks) {
      const part = typeof chunk === 'string' ? strToU8(chunk) : chunk;
      bytes += part.length;
      crc = crc32(part, crc);
      // The part is copied, since the stream holds its input until it is packed.
      entry.push(part.slice());
    }
    entry.push(new Uint8Array(0), true);
    this.#files.push({ name, bytes, crc32: crc });
  }

  /** Ends the zip with its manifest. */
  finish(appVersion: string): Blob {
    const manifest = { format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, appVersion, files: this.#files };
    this.#begin(MANIFEST).push(strToU8(`${JSON.stringify(manifest, null, 1)}\n`), true);
    this.#zip.end();
    if (this.#failure) throw this.#failure;
    return new Blob(this.#parts, { type: 'application/zip' });
  }

  #begin(name: string): ZipDeflate {
    const entry = new ZipDeflate(name, { level: 6 });
    entry.mtime = MTIME;
    this.#zip.add(entry);
    return entry;
  }
}

/** Rules that differ between kinds of zips. */
export interface ZipRules {
  isAllowed(name: string): boolean;
  /** Whether a name may be repeated; then its last entry counts. */
  mayRepeat: boolean;
  /** Unpacks Zstandard, at most `most` bytes; if absent, it is refused. */
  unzstd?: (packed: Uint8Array, most: number) => Uint8Array<ArrayBuffer>;
  remedy: string;
}

/** Unpacks a zip: name → content. Throws FormatError for anything over a limit, a forbidden name or damage. */
export const unzipChecked = (
  bytes: Uint8Array,
  label: string,
  limits: Limits = LIMITS,
): Map<string, Uint8Array<ArrayBuffer>> =>
  new Map(
    unzipEach(bytes, label, limits, {
      isAllowed: (name) => isPlainName(name, limits),
      mayRepeat: false,
      remedy: REMEDY,
    }),
  );

/** Like unzipChecked, but one file at a time, so that only one need be in memory. The whole directory is checked before the first. */
export function* unzipEach(
  bytes: Uint8Array,
  label: string,
  limits: Limits,
  rules: ZipRules,
): Generator<[name: string, content: Uint8Array<ArrayBuffer>]> {
  const fail = (what: string, remedy = rules.remedy): never => {
    throw new FormatError(`${label}: ${what}`, remedy);
  };
  if (bytes.length > limits.archiveBytes)
    fail(`${bytes.length} bytes are more than the ${limits.archiveBytes} that are allowed.`, 'Use a smaller archive.');
  if (!(bytes[0] === 0x50 && bytes[1] === 0x4b)) fail('this is not a zip file.');
  /** Index of each name's last entry. */
  const names = new Map<string, number>();
  let count = 0;
  let total = 0;
  let packed = 0;
  // It is called for every entry of the directory before any data is read.
  const filter = ({ name, originalSize, size, compression }: UnzipFileInfo): boolean => {
    if (count >= limits.entries) fail(`it holds more than ${limits.entries} files.`);
    if (!rules.isAllowed(name)) fail(`the file name ${quote(name)} is not allowed.`);
    if (!rules.mayRepeat && names.has(name)) fail(`the file ${quote(name)} occurs twice.`);
    if (compression === ZSTD && !rules.unzstd) fail(`${quote(name)} is packed with Zstandard, which is not read here.`);
    if (![STORED, DEFLATED, ZSTD].includes(compression))
      fail(`${quote(name)} is packed by an unknown method (${compression}).`);
    if (originalSize > limits.entryBytes)
      fail(`${quote(name)} claims ${originalSize} bytes; ${limits.entryBytes} are allowed.`);
    if (size > bytes.length) fail(`${quote(name)} claims ${size} packed bytes, but the archive has ${bytes.length}.`);
    // Entries that share their bytes would be unpacked repeatedly.
    packed += size;
    if (packed > bytes.length) fail(`its files take more than its ${bytes.length} bytes: they lie over one another.`);
    names.set(name, count++);
    total += originalSize;
    if (total > limits.totalBytes) fail(`unpacked it claims more than ${limits.totalBytes} bytes.`);
    if (total > limits.freeBytes + limits.ratio * bytes.length)
      fail(`unpacked it claims more than ${limits.ratio} bytes for each of its ${bytes.length}.`);
    return true;
  };
  try {
    // The library reads the directory; entries are unpacked here under the sizes given there.
    const found: UnzipFileInfo[] = [];
    unzipSync(bytes, { filter: (info) => filter(info) && found.push(info) < 0 });
    for (const [i, { from, size, crc }] of placesOf(bytes, found.length).entries()) {
      const { name, originalSize, compression } = found[i];
      if (names.get(name) !== i) continue;
      const packed = bytes.subarray(from, from + size);
      const unpack = compression === ZSTD ? rules.unzstd! : inflateUpTo;
      const content = compression === STORED ? packed.slice() : unpack(packed, originalSize);
      if (content.length !== originalSize) fail(`${quote(name)} has ${content.length} bytes, not ${originalSize}.`);
      if (crc32(content) !== crc) fail(`${quote(name)} is damaged: its checksum is another.`);
      yield [name, content as Uint8Array<ArrayBuffer>];
    }
  } catch (error) {
    if (error instanceof FormatError) throw error;
    fail(`it cannot be unpacked (${error instanceof Error ? error.message : String(error)}).`);
  }
}

/** Compression methods (APPNOTE 4.4.5). */
const [STORED, DEFLATED, ZSTD] = [0, 8, 93];
const [DIRECTORY_END, DIRECTORY_ENTRY] = [0x06054b50, 0x02014b50];

/** Position of each entry's packed bytes, and checksum of its content, in the directory's order (APPNOTE 4.3.7, 4.3.12, 4.3.16). Throws RangeError. */
function placesOf(bytes: Uint8Array, count: number): { from: number; size: number; crc: number }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (view.getUint32(end, true) !== DIRECTORY_END) end--;
  let at = view.getUint32(end + 16, true);
  return Array.from({ length: count }, () => {
    if (view.getUint32(at, true) !== DIRECTORY_ENTRY) throw new RangeError('its directory is damaged');
    const [crc, size, local] = [16, 20, 42].map((field) => view.getUint32(at + field, true));
    const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    return { from, size, crc };
  });
}

/** Checks the files against their manifest: all are present, there are no others, and every byte is unchanged. */
export function readArchive(
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  label: string,
): { appVersion: string; files: Map<string, Uint8Array<ArrayBuffer>> } {
  const fail = (what: string): never => {
    throw new FormatError(`${label}: ${what}`, REMEDY);
  };
  const parsed = Manifest.safeParse(parseJson(files.get(MANIFEST) ?? new Uint8Array(), `${label}: ${MANIFEST}`));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return fail(`its ${MANIFEST} is not one of this lab (${issue.path.join('.') || 'top'}: ${issue.message}).`);
  }
  const listed = new Map(parsed.data.files.map((file) => [file.name, file]));
  if (listed.size !== parsed.data.files.length) fail('its manifest names a file twice.');
  const checked = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const [name, content] of files) {
    if (name === MANIFEST) continue;
    const entry = listed.get(name);
    if (!entry) return fail(`it holds ${quote(name)}, which its manifest does not name.`);
    if (entry.bytes !== content.length || entry.crc32 !== crc32(content)) fail(`${quote(name)} is damaged.`);
    checked.set(name, content);
  }
  for (const name of listed.keys()) if (!checked.has(name)) fail(`${quote(name)} is missing.`);
  return { appVersion: parsed.data.appVersion, files: checked };
}

const REMEDY = 'Export the run again from the lab that has it, and drop that file.';

/** Whether a name is relative, with forward slashes and without `.` or `..`, so that it cannot point outside the archive. */
function isPlainName(name: string, { nameLength }: Limits): boolean {
  if (name.length === 0 || name.length > nameLength || !/^[\w.,@()+ -][\w.,@()+ /-]*$/.test(name)) return false;
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part !== '__proto__');
}

/** Names come from the file, so they are shortened and made printable for messages. */
const quote = (name: string) => JSON.stringify(name.length > 60 ? `${name.slice(0, 57)}...` : name);

/** JSON that preserves every number: those that JSON cannot express are written as marked texts. */
export function stringify(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'number' && (!Number.isFinite(item) || Object.is(item, -0))
      ? `${MARK}${Object.is(item, -0) ? '-0' : item}`
      : item,
  );
}

/** Throws FormatError. */
export function parseJson(content: Uint8Array, label: string): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    if (!text.includes('\\u0000#')) return parseJsonText(text);
    return parseJsonText(text, (_, item: unknown) =>
      typeof item === 'string' && item.startsWith(MARK) ? Number(item.slice(MARK.length)) : item,
    );
  } catch (error) {
    throw new FormatError(`${label} is not JSON (${error instanceof Error ? error.message : String(error)}).`, REMEDY, {
      cause: error,
    });
  }
}

const MARK = '\u0000#';

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

/** CRC-32 (IEEE 802.3); `before` is the result of an earlier part. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let c = ~before >>> 0;
  for (let i = 0; i < bytes.length; i++) c = TABLE[(c ^ bytes[i]) & 255] ^ (c >>> 8);
  return ~c >>> 0;
}
