// Files of rows, a JSON line each, that commands append to as they compute: one form for all of them. Each line ends with the sha-256 of
// what is before, as its last member, so that any tool still reads it and a changed bit is met as an error, and not as a number. A
// line that a full disk or a kill cut off is set aside and said. What an earlier lab wrote has no checksums, and is read; that is said.
import { appendFile, open, rm, truncate } from 'node:fs/promises';
import { resolve } from 'node:path';
import type * as z from 'zod/mini';
import { FormatError, SpecError } from '../errors.ts';
import { diskError, readOrNull, writeWhole } from './disk.node.ts';
import { holdFile } from './lock.node.ts';
import { DamagedError, sealJson, unsealLine } from './sealed.ts';

export interface RowKind<T> {
  /** As a person types it: `are bench`. */
  readonly command: string;
  /** null where a value is no row of it. */
  read(value: Record<string, unknown>): T | null;
}

/** Of rows that a schema describes. */
export const rowsOf = <T>(command: string, schema: z.ZodMiniType<T>): RowKind<T> => ({
  command,
  read: (value) => schema.safeParse(value).data ?? null,
});

/** Says a line to the person. */
export type Note = (line: string) => void;

interface Found<T> {
  readonly rows: T[];
  /** Bytes of the last line where it was cut off; it is none of the rows. */
  readonly torn: Uint8Array | null;
  /** The last row's line has no end. */
  readonly isOpen: boolean;
  /** Rows without a checksum. */
  readonly unsealed: number;
}

export function sayUnsealed(path: string, count: number, note: Note): void {
  if (count === 0) return;
  const words = count === 1 ? '1 row has' : `${count} rows have`;
  note(`${path}: ${words} no checksum (an earlier lab wrote them): a change in them is not noticed.`);
}

/** Files that this process writes in, by path, each with what gives it back: held until it ends, where nothing gave it back before. */
const held = new Map<string, Promise<() => Promise<void>>>();

/** No other process writes in the file from now on; what is in it, null where it is not there yet. Throws InUseError, StorageError. */
async function hold(path: string, note: Note): Promise<Buffer | null> {
  const whole = resolve(path);
  const holding = held.get(whole) ?? holdFile(whole, note);
  held.set(whole, holding);
  await holding.catch((error: unknown) => {
    held.delete(whole);
    throw error;
  });
  return readOrNull(path).catch((error: unknown) => {
    throw diskError(error, path);
  });
}

/** A file that rows are added to. */
export class RowFile<T extends object> {
  /** Those that were there; rows that are added are not among them. */
  readonly rows: readonly T[];
  #writing: Promise<unknown> = Promise.resolve();
  /** What each row says of its making, as its member `by`. */
  by: (() => object) | null = null;

  private constructor(
    readonly path: string,
    rows: readonly T[],
  ) {
    this.rows = rows;
  }

  /** A file that may have rows of the same kind already. Throws FormatError where it is of something else, DamagedError, InUseError,
   *  StorageError. */
  static async open<T extends object>(path: string, kind: RowKind<T>, note: Note): Promise<RowFile<T>> {
    const bytes = await hold(path, note);
    if (bytes === null) return new RowFile<T>(path, []);
    const { rows, torn, isOpen, unsealed } = await rowsIn(bytes, path, kind);
    sayUnsealed(path, unsealed, note);
    try {
      if (torn !== null) {
        await appendFile(`${path}.torn`, Buffer.concat([torn, Buffer.from('\n')]));
        await truncate(path, bytes.length - torn.length);
        note(`${path}: the last line was cut off after ${torn.length} bytes. It is set aside in ${path}.torn.`);
      }
      if (isOpen) await appendFile(path, '\n');
    } catch (error) {
      throw diskError(error, path);
    }
    return new RowFile(path, rows);
  }

  /** `made`: the key that each row has of what it was made of; `what`: that in words. Throws SpecError where it was something else. */
  checkMade(this: RowFile<{ made?: string }>, made: string, what: string): void {
    if (this.rows.some((row) => row.made !== made))
      throw new SpecError(
        `${this.path} has rows of another model, ${what}.`,
        'Name another file with --out, or move that one away.',
      );
  }

  /** A new file. Throws SpecError where there is one with something in it: it is never written over. */
  static async create<T extends object>(path: string, note: Note): Promise<RowFile<T>> {
    const bytes = await hold(path, note);
    if (bytes !== null && bytes.length > 0)
      throw new SpecError(`${path} is there already (${bytes.length} bytes).`, 'Name another file, or move it away.');
    return new RowFile<T>(path, []);
  }

  /** All or none of them, whatever the disk says. Throws StorageError. */
  append(...rows: readonly T[]): Promise<void> {
    return this.#after(async () => {
      if (rows.length === 0) return;
      const { by } = this;
      const text = await linesOf(by === null ? rows : rows.map((row) => ({ ...row, by: by() })));
      const file = await open(this.path, 'a');
      try {
        const { size } = await file.stat();
        try {
          await file.writeFile(text);
          await file.sync();
        } catch (error) {
          await file.truncate(size).catch(() => {});
          throw error;
        }
      } finally {
        await file.close();
      }
    });
  }

  /** All rows anew, where one of them has changed. Throws StorageError. */
  rewrite(rows: readonly T[]): Promise<void> {
    return this.#after(async () => writeWhole(this.path, await linesOf(rows)));
  }

  /** Takes the file away, and its lock. */
  remove(): Promise<void> {
    return this.#after(async () => {
      await rm(this.path, { force: true });
      const whole = resolve(this.path);
      const giveBack = await held.get(whole);
      held.delete(whole);
      await giveBack?.();
    });
  }

  #after(work: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(work).catch((error: unknown) => {
      throw diskError(error, this.path);
    });
    this.#writing = done.catch(() => {});
    return done;
  }
}

/** Without checksums: what --json prints. */
export const jsonLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const linesOf = async (rows: readonly object[]): Promise<string> =>
  (await Promise.all(rows.map(sealJson))).map((line) => `${line}\n`).join('');

// The bytes of a line break, a carriage return, a space, an opening brace and a quotation mark.
const [LINE_END, RETURN, SPACE, BRACE, QUOTE] = [10, 13, 32, 123, 34] as const;

/** Throws FormatError for a line that is no row of the kind, DamagedError for one whose checksum is another's. */
export async function rowsIn<T>(bytes: Uint8Array, path: string, kind: RowKind<T>): Promise<Found<T>> {
  const rows: T[] = [];
  let unsealed = 0;
  for (let from = 0, next = 0, line = 1; from < bytes.length; from = next, line++) {
    const end = bytes.indexOf(LINE_END, from);
    const isLast = end < 0;
    const to = isLast ? bytes.length : end;
    const own = bytes.subarray(from, to > from && bytes[to - 1] === RETURN ? to - 1 : to);
    next = to + 1;
    if (own.every((byte) => byte === SPACE)) continue;
    const where = `${path}:${line}`;
    const remedy = 'Take the line out (its row is made again), or name another file.';
    const found = await unsealLine(own, where, remedy).catch((error: unknown) => {
      // A file of something else is not taken for the beginning of a row.
      if (
        isLast &&
        error instanceof DamagedError &&
        own[0] === BRACE &&
        (line > 1 || own.length === 1 || own[1] === QUOTE)
      )
        return null;
      throw error;
    });
    if (found === null) return { rows, torn: bytes.slice(from), isOpen: false, unsealed };
    const { value, isSealed } = found;
    if (!isSealed && unsealed < rows.length)
      throw new DamagedError(`${where} has no checksum, though lines before it have.`, remedy);
    const row = kind.read(value);
    if (row === null)
      throw new FormatError(
        `${where} is no row of \`${kind.command}\`.`,
        'Name a file that it has written, or a new one.',
      );
    if (!isSealed) unsealed++;
    rows.push(row);
    if (isLast) return { rows, torn: null, isOpen: true, unsealed };
  }
  return { rows, torn: null, isOpen: false, unsealed };
}
