// What the page and the worker say to each other about teacher pools: a part of the table in protocol.ts.
import type { PoolRow } from '../../environments/code/pool.ts';
import type { PoolBuild } from '../../experiments/pools/build.ts';

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

export interface PoolRequests {
  listPools: { params: null; result: PoolReport[] };
  loadPool: { params: { id: string }; result: PoolRow[] };
  /** As JSON lines, the same in gzip, or a zip with one `.jsonl.gz` per prompt. */
  exportPool: { params: { id: string; format: PoolFormat }; result: Blob };
  /** `.jsonl` and `.jsonl.gz` files, taken together as one pool. */
  importPool: { params: { files: { file: Blob; name: string }[] }; result: PoolReport };
  deletePool: { params: { id: string }; result: null };
  /** Answers when the pool is kept; `pool` events tell how far it is. Refused while an experiment runs. Templates use the
   *  build's problems alone. */
  buildPool: { params: { task: string; teacher: PoolTeacher; build: PoolBuild }; result: PoolReport };
}

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
