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
type Table<T extends Record<KindId, { summary: Entry; loaded: object }>> = T;

/** `summary`: as a list shows it; `loaded`: whole. */
type KeptOf = Table<{
  run: { summary: ExperimentSummary; loaded: LoadedExperiment };
  probe: { summary: ProbeRecord; loaded: LoadedProbe };
}>;

export type SummaryOf<K extends KindId> = KeptOf[K]['summary'];
export type LoadedOf<K extends KindId> = KeptOf[K]['loaded'];

export interface KeptRequests<K extends KindId = KindId> {
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
  | { [K in KindId]: { kind: K; summary: SummaryOf<K> } }[KindId]
  | { kind: 'pool'; report: PoolReport };

export interface ImportRequests {
  /** A zip that kept.export made, or one with a teacher pool; which, its content says. */
  importArchive: { params: { file: Blob; name: string }; result: Imported };
}

/** Something was begun that is listed from now on, or came as a file. */
export interface KeptEvent {
  type: 'kept';
  kind: KindId;
  id: string;
}
