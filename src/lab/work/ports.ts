// What the queue of experiments is given: by worker.ts the browser's own, by a test its own.

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
  /** An embedded model's folder, by its id: an experiment of another environment brings its own small model. */
  embedded?(id: string): FileSource;
  /** Workers for runs side by side; without it they are trained one after another, here. */
  workers?: WorkerHost;
  /** Files of real problems and their grader; without them there is the substrate alone. */
  real?: RealProblems;
}

/** Says which experiments are at work in any tab, so that none is trained twice or taken for interrupted. */
export interface Locks {
  /** Null when another tab holds it. */
  hold(id: string): Promise<(() => void) | null>;
  held(): Promise<ReadonlySet<string>>;
  /** Resolves when nobody holds it any more. */
  freed(id: string): Promise<void>;
}

/** Longest that a lock is listed after it was let go. */
const LET_GO_MS = 300;

/** Whether another tab holds it. A lock that has just been let go may be listed a moment longer. */
export async function isElsewhere(locks: Locks, id: string): Promise<boolean> {
  if (!(await locks.held()).has(id)) return false;
  const patience = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), LET_GO_MS));
  return Promise.race([locks.freed(id).then(() => false), patience]);
}
