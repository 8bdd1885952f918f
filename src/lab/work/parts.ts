// Parts that the worker's `init` has opened, shared by the whole table of handlers.
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

export interface LabParts {
  records: Records;
  equipment: Equipment;
  session: LabSession;
  /** Called with the session's events for the page. */
  watchers?: Set<(event: WorkerEvent) => void>;
  /** The embedded teacher's folder (pool-builder.ts). */
  teacher?: FileSource;
  /** An embedded model's folder by its id. */
  embedded?(id: string): FileSource;
  /** Files of real problems, and the CPython that grades them. */
  real?: RealProblems;
}

export interface HandlerParts {
  lab(): Promise<LabParts>;
  /** The open model, with or without an adapter, for writing and for facts. */
  opened(): Promise<Opened>;
  /** The model with its current adapter, or with the given one. */
  equipped(adapter?: AdapterSettings, signal?: AbortSignal): Promise<Equipped>;
  /** The open model, which files are checked against. */
  target(): Promise<BasisTarget>;
  gate: ModelGate;
  /** Work that can be stopped and does not use the model; the gate has the rest. */
  tasks: Stoppables;
  emit(event: WorkerEvent): void;
}
