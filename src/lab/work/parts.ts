// What the worker's `init` has opened: what every part of the table of handlers works with.
import type { FileSource } from '../../storage/sources.ts';
import type { Equipment } from '../equipment/equipment.ts';
import type { RealProblems } from '../equipment/real-problems.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import type { Records } from '../records/records.ts';
import type { LabSession } from './session.ts';

/** What `init` has opened. */
export interface LabParts {
  records: Records;
  equipment: Equipment;
  session: LabSession;
  /** Hear what the session tells the page. */
  watchers?: Set<(event: WorkerEvent) => void>;
  /** The embedded teacher's folder (onnx-teacher.ts). */
  teacher?: FileSource;
  /** An embedded model's folder, by its id. */
  embedded?(id: string): FileSource;
  /** Files of real problems, and the CPython that grades them. */
  real?: RealProblems;
}
