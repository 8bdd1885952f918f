// Messages between page and worker about stored records of every kind. KeptOf has the types that differ between kinds: a list's entry and
// the whole record.
import type { KindId } from '../../experiments/records/kind.ts';
import type { ExperimentSummary, LoadedExperiment, UserNotes } from './experiments.ts';
import type { PoolReport } from './pools.ts';
import type { LoadedProbe, ProbeRecord } from './probe.ts';

/** Fields of every list entry. */
interface Entry extends UserNotes {
  id: string;
  createdAt: number;
}
type Table<T extends Record<KindId, { summary: Entry; loaded: object }>> = T;

/** `summary`: the entry of a list; `loaded`: the whole record. */
type KeptOf = Table<{
  run: { summary: ExperimentSummary; loaded: LoadedExperiment };
  probe: { summary: ProbeRecord; loaded: LoadedProbe };
}>;

export type SummaryOf<K extends KindId> = KeptOf[K]['summary'];
export type LoadedOf<K extends KindId> = KeptOf[K]['loaded'];

/** Content of a dropped zip. */
export type Imported =
  | { [K in KindId]: { kind: K; summary: SummaryOf<K> } }[KindId]
  | { kind: 'pool'; report: PoolReport };

/** A record was started or imported and is listed from now on. */
export interface KeptEvent {
  type: 'kept';
  kind: KindId;
  id: string;
}
