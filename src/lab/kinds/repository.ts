// How a kind is kept: what the worker must be able to do with it, the same for all.
import type { KindId } from '../../experiments/records/kind.ts';
import type { Annotation } from '../protocol/experiments.ts';
import type { KeptKind, LoadedOf, SummaryOf } from '../protocol/kept.ts';
import type { BasisTarget } from '../records/bases.ts';
import type { LabParts } from '../work/parts.ts';

export interface RepositoryPorts {
  lab(): Promise<LabParts>;
  /** The adapter parameters and the model that files are checked against. */
  target(): Promise<BasisTarget>;
  isProbing(id: string): boolean;
}

/** Of a zip, by their paths in it. */
export type ArchiveFiles = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** Each throws SpecError where there is no such id. */
export interface Repository<K extends KeptKind> {
  /** Newest first. */
  list(): Promise<SummaryOf<K>[]>;
  load(id: string): Promise<LoadedOf<K>>;
  /** Throws SpecError for words that are too long. */
  annotate(id: string, changes: Annotation): Promise<SummaryOf<K>>;
  /** Throws SpecError for what is at work. */
  delete(id: string): Promise<void>;
  /** Everything kept of it as one zip, which `import` takes. */
  export(id: string): Promise<Blob>;
  /** The file that its zip is known by. */
  readonly mark: string;
  recognises(files: ArchiveFiles): boolean;
  /** Throws FormatError for what is damaged, before anything is kept. */
  import(files: ArchiveFiles, label: string): Promise<SummaryOf<K>>;
}

/** Null where nothing of its own is kept: KeptOf says why. */
export type Repositories = { readonly [K in KindId]: K extends KeptKind ? Repository<K> : null };
