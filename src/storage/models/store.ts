// Where models of other hands are kept between visits: weight files of gigabytes, written piece by piece and read lazily. In the
// browser the origin-private file system (opfs.ts), in tests and in Node memory or a folder; `lab` asks for this interface alone.
import type { FileSource } from '../sources.ts';

/** What is known of a model that is kept, or half kept. */
export interface StoredModel {
  /** Folder-safe and unique in the store: what a run's `spec.model` names. */
  id: string;
  /** Where it came from, for people: a Hub id with its revision, or the dropped folder's name. */
  origin: { kind: 'hub'; repo: string; revision: string } | { kind: 'folder'; name: string };
  /** Files in bytes as they shall be; `sha256` where the source said so, else null until it is computed. */
  files: readonly StoredFile[];
  /** Whether every file is here and was checked. A half-kept model goes on where it was left. */
  complete: boolean;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

export interface StoredFile {
  path: string;
  bytes: number;
  sha256: string | null;
}

/** A file that is being written; bytes are appended, and what was appended is there after a crash. */
export interface PartialFile {
  /** Bytes that are there. */
  size(): Promise<number>;
  append(bytes: Uint8Array): Promise<void>;
  /** Drops what is there: its bytes were wrong. */
  clear(): Promise<void>;
  /** What is there, read lazily. */
  read(): Promise<Blob>;
  close(): Promise<void>;
}

export interface ModelStore {
  list(): Promise<StoredModel[]>;
  /** Null when there is none. */
  get(id: string): Promise<StoredModel | null>;
  /** Writes the record; the files come after it. */
  save(model: StoredModel): Promise<void>;
  partial(id: string, path: string): Promise<PartialFile>;
  /** Lazily read files of a complete model. Throws FormatError for one that is not here or not complete. */
  source(id: string): Promise<FileSource>;
  /** The record and all files. */
  delete(id: string): Promise<void>;
}
