// Messages between page and worker about teacher pools.

export interface PoolReport {
  /** Id in the store. */
  id: string;
  /** Hex sha-256 of its JSON lines, which a run's spec.teacherPool names. */
  sha256: string;
  createdAt: number;
  bytes: number;
  rows: number;
  problems: number;
  exploited: number;
  /** Wrong rows that an honest grader passed by luck, which are no hacks. */
  lucky: number;
  solved: number;
  /** Rows that the oracle could not judge within its limits: neither exploited nor solved. Absent when 0. */
  unjudged?: number;
  /** Exploited rows plus the unjudged ones that passed; absent if there are none of the latter. */
  exploitedAtMost?: number;
  /** Rows by mechanism, `none` among them. */
  mechanisms: Record<string, number>;
  /** Version of the grader that gave the labels; null if the file does not say. */
  graderVersion: string | null;
  /** Graded templates, an imported file, or rows written by a model here. */
  origin: 'built' | 'file' | 'model';
  /** Name of the imported file. */
  name: string | null;
  /** Description of the model that wrote it; null for templates, and if a file does not say. */
  teacher: string | null;
  /** Rows with the teacher's own log-probabilities. */
  withLogprobs: number;
}

export type PoolFormat = 'jsonl' | 'jsonl.gz' | 'zip';

/**
 * The source of a pool: the environment's templates, the embedded ONNX teacher, or the loaded model, either as it is or with the adapter
 * parameters of a stored run's checkpoint.
 */
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
