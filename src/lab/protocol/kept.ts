// What the page and the worker say of kept things, the same for every kind: a part of the table in protocol.ts. What differs, what
// a list shows and what comes whole, is said once a kind, in KeptOf.
import type { KindId } from '../../experiments/records/kind.ts';
import type { Annotation, ExperimentSummary, LoadedExperiment, Words } from './experiments.ts';
import type { PoolReport } from './pools.ts';
import type { LoadedProbe, ProbeRecord } from './probe.ts';

/** What every list entry has. */
interface Entry extends Words {
  id: string;
  createdAt: number;
}
type Table<T extends Partial<Record<KindId, { summary: Entry; loaded: object }>>> = T;

/**
 * `summary`: as a list shows it; `loaded`: whole. A study is not among them: it is kept as its runs (in the browser among the others, found
 * again by what decides them; on the command line in the study's folder), and has nothing of its own to name, delete or export.
 */
type KeptOf = Table<{
  run: { summary: ExperimentSummary; loaded: LoadedExperiment };
  probe: { summary: ProbeRecord; loaded: LoadedProbe };
}>;
/** Kinds that have something of their own to keep. Every table of what is kept is over them. */
export const KEPT_KINDS = ['run', 'probe'] as const satisfies readonly (keyof KeptOf)[];
export type KeptKind = (typeof KEPT_KINDS)[number];
export type SummaryOf<K extends KeptKind> = KeptOf[K]['summary'];
export type LoadedOf<K extends KeptKind> = KeptOf[K]['loaded'];

export interface KeptRequests<K extends KeptKind = KeptKind> {
  /** Newest first. */
  'kept.list': { params: { kind: K }; result: SummaryOf<K>[] };
  'kept.load': { params: { kind: K; id: string }; result: LoadedOf<K> };
  'kept.annotate': { params: { kind: K; id: string; changes: Annotation }; result: SummaryOf<K> };
  /** Refused for what is at work. */
  'kept.delete': { params: { kind: K; id: string }; result: null };
  /** Everything kept of it, as one zip. */
  'kept.export': { params: { kind: K; id: string }; result: Blob };
}

/** What a dropped zip was. */
export type Imported =
  | { [K in KeptKind]: { kind: K; summary: SummaryOf<K> } }[KeptKind]
  | { kind: 'pool'; report: PoolReport };

export interface ImportRequests {
  /** A zip that kept.export made, or one with a teacher pool; which, its content says. */
  importArchive: { params: { file: Blob; name: string }; result: Imported };
}

/** Something was begun that is listed from now on, or came as a file. */
export interface KeptEvent {
  type: 'kept';
  kind: KeptKind;
  id: string;
}
