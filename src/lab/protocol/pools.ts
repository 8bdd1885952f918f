// What the page and the worker say to each other about teacher pools.

export interface PoolReport {
  /** Where it is in the store. */
  id: string;
  /** Hex sha-256 of its JSON lines: what a run's spec.teacherPool names. */
  sha256: string;
  createdAt: number;
  bytes: number;
  rows: number;
  problems: number;
  exploited: number;
  solved: number;
  /** Rows on which the oracle ran out: neither. Absent when 0. */
  unjudged?: number;
  /** Exploited, and those of the unjudged that passed; absent where none did. */
  exploitedAtMost?: number;
  /** Rows by mechanism, `none` among them. */
  mechanisms: Record<string, number>;
  /** That gave the labels; null when the file does not say. */
  graderVersion: string | null;
  /** Templates graded here, an imported file, or written by a model here. */
  origin: 'built' | 'file' | 'model';
  /** Of the imported file. */
  name: string | null;
  /** The model that wrote it, in words; null for templates, and where a file does not say. */
  teacher: string | null;
  /** Rows with the teacher's own log-probabilities. */
  withLogprobs: number;
}

export type PoolFormat = 'jsonl' | 'jsonl.gz' | 'zip';

/** Who writes a pool: the environment's templates, the embedded ONNX teacher, the loaded model as it is, or with the adapter parameters of a kept
 *  run's checkpoint. */
export type PoolTeacher =
  | { kind: 'templates' }
  | { kind: 'onnx' }
  | { kind: 'base' }
  | { kind: 'run'; runId: string; model: 'trained' | 'deployed' };

/** Rows written and graded so far. */
export interface PoolEvent {
  type: 'pool';
  /** The page's name for this build. */
  task: string;
  done: number;
  total: number;
  /** Null until something has been measured. */
  etaSeconds: number | null;
}
