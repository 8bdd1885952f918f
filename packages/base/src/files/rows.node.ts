// Files of rows, one JSON line each, that commands append to as they compute, in one format for all commands. Each line's last member is
// the sha-256 of the text before it, so any tool can still read it and a changed bit is an error, not another number. A line cut off by a
// full disk or a kill is set aside and reported. Rows of earlier versions have no checksums, and are read with a note.
import { appendFile, open, rm, truncate } from 'node:fs/promises';
import { resolve } from 'node:path';
import type * as z from 'zod/mini';
import { FormatError, SpecError } from '../errors.ts';
import { diskError, readOrNull, writeWhole } from './disk.node.ts';
import { holdFile } from './lock.node.ts';
import { DamagedError, sealJson, unsealLine } from './sealed.ts';

export interface RowKind<T> {
  /** The command's name as typed: `are bench`. */
  readonly command: string;
  /** Null if the value is no row of this command. */
  read(value: Record<string, unknown>): T | null;
}

/** Rows described by a schema. */
export const rowsOf = <T>(command: string, schema: z.ZodMiniType<T>): RowKind<T> => ({
  command,
  read: (value) => schema.safeParse(value).data ?? null,
});

/** Shows a line to the user. */
export type Note = (line: string) => void;

interface Found<T> {
  readonly rows: T[];
  /** Bytes of a cut-off last line, which is no row. */
  readonly torn: Uint8Array | null;
  /** Whether the last row's line lacks its line break. */
  readonly isOpen: boolean;
  /** Number of rows without a checksum. */
  readonly unsealed: number;
}

export function sayUnsealed(path: string, count: number, note: Note): void {
  if (count === 0) return;
  const words = count === 1 ? '1 row has' : `${count} rows have`;
  note(`${path}: ${words} no checksum (an earlier lab wrote them): a change in them is not noticed.`);
}

/** Files locked by this process, by path, each with its release function; locked until the process ends unless released. */
const held = new Map<string, Promise<() => Promise<void>>>();

/** Locks the file against other processes; returns its contents, null if it does not exist. Throws InUseError, StorageError. */
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

/** A file to which rows are appended. */
export class RowFile<T extends object> {
  /** Rows that existed when the file was opened. */
  readonly rows: readonly T[];
  #writing: Promise<unknown> = Promise.resolve();
  /** Returns each row's provenance, which is stored as its member `by`. */
  by: (() => object) | null = null;

  private constructor(
    readonly path: string,
    rows: readonly T[],
  ) {
    this.rows = rows;
  }

  /**
   * Opens a file that may already have rows of the same command. Throws FormatError for a file of another kind, DamagedError, InUseError,
   * StorageError.
   */
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

  /** `made`: the hash of its inputs that each row must have; `what`: the inputs in words. Throws SpecError if a row has another. */
  checkMade(this: RowFile<{ made?: string }>, made: string, what: string): void {
    if (this.rows.some((row) => row.made !== made))
      throw new SpecError(
        `${this.path} has rows of another model, ${what}.`,
        'Name another file with --out, or move that one away.',
      );
  }

  /** Creates a file. Throws SpecError if it exists and is not empty, since it is never overwritten. */
  static async create<T extends object>(path: string, note: Note): Promise<RowFile<T>> {
    const bytes = await hold(path, note);
    if (bytes !== null && bytes.length > 0)
      throw new SpecError(`${path} is there already (${bytes.length} bytes).`, 'Name another file, or move it away.');
    return new RowFile<T>(path, []);
  }

  /** Appends all rows or none, even on a failing disk. Throws StorageError. */
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

  /** Replaces all rows, if any has changed. Throws StorageError. */
  rewrite(rows: readonly T[]): Promise<void> {
    return this.#after(async () => writeWhole(this.path, await linesOf(rows)));
  }

  /** Removes the file and its lock. */
  remove(): Promise<void> {
    return this.#after(async () => {
      await rm(this.path, { force: true });
      const whole = resolve(this.path);
      const release = await held.get(whole);
      held.delete(whole);
      await release?.();
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

/** Lines without checksums, as printed by --json. */
export const jsonLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const linesOf = async (rows: readonly object[]): Promise<string> =>
  (await Promise.all(rows.map(sealJson))).map((line) => `${line}\n`).join('');

// Byte values of line break, carriage return, space, opening brace and quotation mark.
const [LINE_END, RETURN, SPACE, BRACE, QUOTE] = [10, 13, 32, 123, 34] as const;

/** Throws FormatError for a line that is no row of the command, DamagedError for a wrong checksum. */
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
      // A file of another kind must not pass as a cut-off row.
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
