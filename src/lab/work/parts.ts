// What the worker's `init` has opened, and what every part of the table of handlers works with.
import type { AdapterSettings } from '../../engine/types.ts';
import type { FileSource } from '../../storage/sources.ts';
import type { Equipment, Equipped, Opened } from '../equipment/equipment.ts';
import type { RealProblems } from '../equipment/real-problems.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import type { BasisTarget } from '../records/bases.ts';
import type { Records } from '../records/records.ts';
import type { ModelGate } from './model-gate.ts';
import type { LabSession } from './session.ts';
import type { Stoppables } from './stoppables.ts';

/** What `init` has opened. */
export interface LabParts {
  records: Records;
  equipment: Equipment;
  session: LabSession;
  /** Hear what the session tells the page. */
  watchers?: Set<(event: WorkerEvent) => void>;
  /** The embedded teacher's folder (pool-builder.ts). */
  teacher?: FileSource;
  /** An embedded model's folder, by its id. */
  embedded?(id: string): FileSource;
  /** Files of real problems, and the CPython that grades them. */
  real?: RealProblems;
}

export interface HandlerParts {
  lab(): Promise<LabParts>;
  /** For writing and for facts: what is open, with an adapter or without. */
  opened(): Promise<Opened>;
  /** For what needs adapter parameters: with the adapter that is loaded, or with this one. */
  equipped(adapter?: AdapterSettings, signal?: AbortSignal): Promise<Equipped>;
  /** What files are checked against: the model that is open. */
  target(): Promise<BasisTarget>;
  gate: ModelGate;
  /** What the page may stop and does not have the model: that is the gate's. */
  tasks: Stoppables;
  emit(event: WorkerEvent): void;
}
