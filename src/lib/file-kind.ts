// Recognises the kind of a file by its first bytes, not its name, so that a reader can distinguish a PDF from a damaged file of the
// expected kind. Lowest layer; pure.

export type FileKind =
  | 'safetensors'
  | 'zip'
  | 'log'
  | 'gzip'
  | 'json'
  | 'table'
  | 'jsonl'
  | 'foreign'
  | 'text'
  | 'empty'
  | 'unknown';

export interface KnownFile {
  kind: FileKind;
  /** Description for messages: `a PDF`, `a zip archive`. */
  name: string;
}

/** Number of first bytes that are examined. */
export const HEAD_BYTES = 4096;

/** Header limit of the reference implementation of safetensors, and of this lab's reader. */
const MAX_HEADER_BYTES = 100_000_000;

/** Magic bytes of known kinds, at offset `at` (default 0). */
const MAGIC: readonly { name: string; kind?: FileKind; bytes: readonly number[] | string; at?: number }[] = [
  { name: 'a zip archive', kind: 'zip', bytes: 'PK\x03\x04' },
  { name: 'an empty zip archive', kind: 'zip', bytes: 'PK\x05\x06' },
  { name: 'a gzip file', kind: 'gzip', bytes: [0x1f, 0x8b] },
  { name: 'a PDF', bytes: '%PDF-' },
  { name: 'a PNG picture', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { name: 'a JPEG picture', bytes: [0xff, 0xd8, 0xff] },
  { name: 'a GIF picture', bytes: 'GIF8' },
  { name: 'a WebP picture', bytes: 'WEBP', at: 8 },
  { name: 'an SVG picture', bytes: '<svg' },
  { name: 'a video or audio file', bytes: 'ftyp', at: 4 },
  { name: 'a GGUF model', bytes: 'GGUF' },
  { name: 'a Parquet table', kind: 'table', bytes: 'PAR1' },
  { name: 'an Arrow table', bytes: 'ARROW1' },
  { name: 'an HDF5 file', bytes: '\x89HDF' },
  { name: 'a NumPy array', bytes: '\x93NUMPY' },
  { name: 'a Python pickle', bytes: [0x80, 0x02] },
  { name: 'a Python pickle', bytes: [0x80, 0x04] },
  { name: 'a 7-zip archive', bytes: '7z\xbc\xaf\x27\x1c' },
  { name: 'an xz archive', bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
  { name: 'a Zstandard archive', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: 'a tar archive', bytes: 'ustar', at: 257 },
  { name: 'an SQLite database', bytes: 'SQLite format 3' },
  { name: 'a program', bytes: '\x7fELF' },
  { name: 'a program', bytes: 'MZ\x90' },
];

/** @param head the file's first bytes, up to HEAD_BYTES */
export function fileKind(head: Uint8Array): KnownFile {
  if (head.length === 0) return { kind: 'empty', name: 'an empty file' };
  if (isPackedLog(head)) return LOG;
  for (const { name, kind = 'foreign', bytes, at = 0 } of MAGIC) if (begins(head, bytes, at)) return { kind, name };
  if (isSafetensors(head)) return { kind: 'safetensors', name: 'a safetensors file' };
  const text = textOf(head);
  if (text === null) return { kind: 'unknown', name: 'a file of no kind that the lab knows' };
  const start = text.trimStart();
  if (/^<(!doctype html|html|\?xml)/i.test(start))
    return { kind: 'foreign', name: /^<\?xml/i.test(start) ? 'an XML file' : 'a web page' };
  // A log begins with these members in this order.
  if (/^\{\s*"version":\s*\d+,\s*"status":\s*"/.test(start)) return LOG;
  if (/^\{.*\}[ \t]*\r?\n\s*\{/.test(start)) return { kind: 'jsonl', name: 'JSON lines' };
  if (/^[[{]/.test(start)) return { kind: 'json', name: 'a JSON file' };
  return { kind: 'text', name: 'a text file' };
}

const LOG: KnownFile = { kind: 'log', name: 'a log of Inspect' };

/** Whether a zip's first file is one with which a log of Inspect begins. Its name starts at byte 30 (APPNOTE 4.3.7). */
const isPackedLog = (head: Uint8Array): boolean =>
  begins(head, 'PK\x03\x04', 0) && ['_journal/', 'samples/', 'header.json'].some((name) => begins(head, name, 30));

function begins(head: Uint8Array, bytes: readonly number[] | string, at: number): boolean {
  for (let i = 0; i < bytes.length; i++)
    if (head[at + i] !== (typeof bytes === 'string' ? bytes.charCodeAt(i) : bytes[i])) return false;
  return true;
}

/** Whether a file begins with the length of a header that is a JSON object. */
function isSafetensors(head: Uint8Array): boolean {
  if (head.length < 9) return false;
  const length = new DataView(head.buffer, head.byteOffset, 8).getBigUint64(0, true);
  return length >= 2n && length <= BigInt(MAX_HEADER_BYTES) && head[8] === 0x7b;
}

/** Null for bytes that are not UTF-8 text. The last character may be truncated. */
function textOf(head: Uint8Array): string | null {
  if (head.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch {
    return null;
  }
}
