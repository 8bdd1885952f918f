// Dependencies of the queue of experiments: worker.ts passes the browser's, a test its own.

import type { FileSource } from '../../storage/sources.ts';
import type { Equipment } from '../equipment/equipment.ts';
import type { RealProblems } from '../equipment/real-problems.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import type { Records } from '../records/records.ts';
import type { WorkerHost } from './page-workers.ts';

export interface SessionPorts {
  records: Records;
  equipment: Equipment;
  locks: Locks;
  appVersion: string;
  emit(event: WorkerEvent): void;
  /** Milliseconds since the epoch. */
  date(): number;
  /** Milliseconds of a steady clock. */
  now(): number;
  /** An embedded model's folder by its id: an experiment of another environment uses its own small model. */
  embedded?(id: string): FileSource;
  /** Workers for parallel runs; without them runs are trained here, one after another. */
  workers?: WorkerHost;
  /** Files of real problems and their grader; without them only the built-in problems can be trained. */
  real?: RealProblems;
}

/** Locks of experiments in use in any tab, so that none is trained twice or marked as interrupted. */
export interface Locks {
  /** Takes the lock and returns its release; null if another tab holds it. */
  hold(id: string): Promise<(() => void) | null>;
  held(): Promise<ReadonlySet<string>>;
  /** Resolves when no tab holds it any more. */
  freed(id: string): Promise<void>;
}

/** Longest time in milliseconds for which a released lock may still be listed. */
const LET_GO_MS = 300;

/** Whether another tab holds the lock. A lock that has just been released may be listed a moment longer. */
export async function isHeldElsewhere(locks: Locks, id: string): Promise<boolean> {
  if (!(await locks.held()).has(id)) return false;
  const patience = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), LET_GO_MS));
  return Promise.race([locks.freed(id).then(() => false), patience]);
}
