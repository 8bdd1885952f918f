// A sha-256 of stored contents, so that a flipped bit is an error and not another number. Three forms: bytes below one line of text
// (`lab-sealed 1 <sha-256> <length>`), a JSON object whose last member is the hash of the text without it (so that any tool can read it),
// and a record of the browser's database with the hash of its contents as a member. Contents of earlier versions have no hash, and still
// open.
import { FormatError } from '../errors.ts';
import { parseJsonText } from '../json.ts';
import { digestOf, Sha256 } from '../sha256.ts';

/** Contents differ from those written: cut off, changed, or of another file. */
export class DamagedError extends FormatError {}

/** A page outside a secure context lacks crypto.subtle, and uses the slower implementation. */
const sha256 = async (bytes: Uint8Array): Promise<string> =>
  globalThis.crypto?.subtle ? digestOf('SHA-256', bytes) : new Sha256().update(bytes).digest();

const DELETE = 'Delete it, and give the same command again.';

// ---- bytes -------------------------------------------------------------------------------------------------------------

const MAGIC = 'lab-sealed 1 ';
/** Digits of the length, fixed so that the header has a fixed size. */
const DIGITS = 15;
const HEADER = MAGIC.length + 64 + 1 + DIGITS + 1;
const text = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes);

export async function seal(contents: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const sealed = new Uint8Array(HEADER + contents.length);
  const length = String(contents.length).padStart(DIGITS, '0');
  sealed.set(new TextEncoder().encode(`${MAGIC}${await sha256(contents)} ${length}\n`));
  sealed.set(contents, HEADER);
  return sealed;
}

/** The bytes given to `seal`; null for bytes without a header. Throws DamagedError. */
export async function unseal(bytes: Uint8Array, label: string, remedy = DELETE): Promise<Uint8Array | null> {
  if (text(bytes.subarray(0, MAGIC.length)) !== MAGIC) return null;
  const parts = /^([0-9a-f]{64}) (\d{15})\n$/.exec(text(bytes.subarray(MAGIC.length, HEADER)));
  if (!parts) throw new DamagedError(`${label} is damaged: its first line is invalid.`, remedy);
  const contents = bytes.subarray(HEADER);
  if (contents.length !== Number(parts[2]))
    throw new DamagedError(`${label} is damaged: it has ${contents.length} of ${Number(parts[2])} bytes.`, remedy);
  checkHash(await sha256(contents), parts[1]!, label, remedy);
  return contents;
}

// ---- JSON --------------------------------------------------------------------------------------------------------------

const TAIL = /,"sha256":"([0-9a-f]{64})"\}$/;
const TAIL_BYTES = `,"sha256":"${'0'.repeat(64)}"}`.length;

/** One object on one line, with its hash. */
export async function sealJson(value: object): Promise<string> {
  const plain = JSON.stringify(value);
  return `${plain.slice(0, -1)},"sha256":"${await sha256(new TextEncoder().encode(plain))}"}`;
}

/**
 * The object given to `sealJson`, or one of an earlier version, which has no hash and only members listed in `members`. Throws DamagedError
 * for everything else. `T`: its type when sealed; its members are not checked.
 */
export async function unsealJson<T extends object = Record<string, unknown>>(
  bytes: Uint8Array,
  members: readonly (keyof T & string)[],
  label: string,
  remedy = DELETE,
): Promise<T> {
  const isSealed = await checkTail(bytes, label, remedy);
  let value: unknown;
  try {
    value = parseJsonText(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    const what = bytes.length === 0 ? 'it is empty' : 'it is not JSON, or was cut off';
    throw new DamagedError(`${label} is damaged: ${what}.`, remedy, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DamagedError(`${label} is invalid: not an object.`, remedy);
  const { sha256: hash, ...rest } = value as Record<string, unknown>;
  const other = Object.keys(rest).find((name) => !members.some((member) => member === name));
  if (!isSealed && (hash !== undefined || other !== undefined))
    throw new DamagedError(
      `${label} is damaged, or holds something else: its member ${JSON.stringify((other ?? 'sha256').slice(0, 60))} is invalid.`,
      remedy,
    );
  return rest as T;
}

/** Whether a text ends like a sealed one. Throws DamagedError for a wrong hash. */
async function checkTail(bytes: Uint8Array, label: string, remedy: string): Promise<boolean> {
  const at = Math.max(0, bytes.length - TAIL_BYTES);
  const tail = TAIL.exec(text(bytes.subarray(at)));
  if (!tail) return false;
  const plain = new Uint8Array(at + 1);
  plain.set(bytes.subarray(0, at));
  plain[at] = '}'.charCodeAt(0);
  checkHash(await sha256(plain), tail[1]!, label, remedy);
  return true;
}

/** A line of a file of rows: the object without its hash, and whether it had one. Throws DamagedError for a wrong hash, or no object. */
export async function unsealLine(
  line: Uint8Array,
  label: string,
  remedy: string,
): Promise<{ value: Record<string, unknown>; isSealed: boolean }> {
  const isSealed = await checkTail(line, label, remedy);
  let value: unknown = null;
  try {
    value = parseJsonText(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line));
  } catch (cause) {
    throw new DamagedError(`${label} is damaged: it is not JSON, or was cut off.`, remedy, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DamagedError(`${label} is invalid: not an object.`, remedy);
  if (!isSealed) return { value: value as Record<string, unknown>, isSealed };
  const { sha256: _, ...rest } = value as Record<string, unknown>;
  return { value: rest, isSealed };
}

function checkHash(found: string, wanted: string, label: string, remedy: string): void {
  if (found === wanted) return;
  throw new DamagedError(
    `${label} is damaged: its contents have the sha-256 ${found.slice(0, 12)}…, and ${wanted.slice(0, 12)}… was written.`,
    remedy,
  );
}

// ---- records -----------------------------------------------------------------------------------------------------------

/** Member with the hash, separate from the record's own members. */
const SEAL = '__sha256';

/** The record with its hash: a plain object of plain objects, arrays, typed arrays, strings and numbers. */
export async function sealRecord<T extends object>(record: T): Promise<T> {
  return { ...record, [SEAL]: await recordSha256(record) };
}

/** The record given to `sealRecord`, or a record without a hash unchanged. Throws DamagedError. */
export async function unsealRecord<T extends object>(kept: T, label: string, remedy: string): Promise<T> {
  const { [SEAL]: hash, ...rest } = kept as Record<string, unknown>;
  if (hash === undefined) return kept;
  checkHash(await recordSha256(rest), String(hash), label, remedy);
  return rest as T;
}

/** Hash of a record: typed arrays by their bytes, numbers that JSON lacks by their names, and members in any order. */
async function recordSha256(record: object): Promise<string> {
  const arrays: ArrayBufferView[] = [];
  const skeleton = JSON.stringify(record, (_, value: unknown) => {
    if (ArrayBuffer.isView(value)) return { $array: arrays.push(value), of: value.constructor.name };
    if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
      return { $number: Object.is(value, -0) ? '-0' : String(value) };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  const hashes: string[] = [];
  for (const { buffer, byteOffset, byteLength } of arrays)
    hashes.push(await sha256(new Uint8Array(buffer, byteOffset, byteLength)));
  return sha256(new TextEncoder().encode([skeleton, ...hashes].join('\n')));
}
