// What the page and the worker say of kept things, the same for every kind. What differs, what a list shows and what comes whole, is
// said once a kind, in KeptOf.
import type { KindId } from '../../experiments/records/kind.ts';
import type { ExperimentSummary, LoadedExperiment, Words } from './experiments.ts';
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

/** What a dropped zip was. */
export type Imported =
  | { [K in KindId]: { kind: K; summary: SummaryOf<K> } }[KindId]
  | { kind: 'pool'; report: PoolReport };

/** Something was begun that is listed from now on, or came as a file. */
export interface KeptEvent {
  type: 'kept';
  kind: KindId;
  id: string;
}
