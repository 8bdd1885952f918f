// Messages between page and worker about the cosine probe.

import type { Settings } from '../../experiments/config/settings.ts';
import type { ProbeReport, SampleRow, Variant } from '../../experiments/kinds/probe/types.ts';
import type { UserNotes } from './experiments.ts';

/**
 * The source of the pool: the embedded teacher; the environment's templates, where `correct` of a problem's samples are correct; or the
 * source of a stored pool.
 */
type ProbeTeacher = { kind: 'onnx' } | { kind: 'templates'; correct: number } | { kind: 'pool'; sha256: string };

export interface ProbeAsk {
  teacher: ProbeTeacher;
  /** Problems, one per step. */
  problems: number;
  /** Samples of each problem. */
  samples: number;
  /** Seed of the random axes and the permutations. */
  seed: number;
  /** Settings of the run whose adapter, basis, gate and optimizer the probe uses. */
  settings: Partial<Settings>;
}

/** The trainings of T5; or those of T6, which adds as many with LoRA. */
export interface ProbeTraining {
  check: 'T5' | 'T6';
  steps: number;
  /** Share of a group that the teacher writes. */
  ratio: number;
  /** Optimizer steps on the same rollouts: with one, every policy ratio is 1. */
  innerEpochs: number;
  loraLr: number;
}

/** A stored probe. */
export interface ProbeRecord extends UserNotes {
  schema: 1;
  /** Hash of the whole request: the same request resumes the probe. */
  id: string;
  createdAt: number;
  /** The request; null for a probe imported from a file. */
  ask: ProbeAsk | null;
  /** Name of the imported file; null for a probe that was run here. */
  file: string | null;
  device: string;
  /** The replayed model; absent in older probes and in imported ones. */
  model?: { id: string; sha256: string };
  /** Number of steps replayed so far, over both replays. */
  done: number;
  total: number;
  /** Null until it is finished. */
  report: ProbeReport | null;
  /** Hash of the pool that a model wrote for it here. */
  poolSha256?: string;
  /** The last requested training, until it is finished. */
  training?: ProbeTraining | null;
  /** Keys of its trainings in the store, which another probe may share. */
  trainings?: string[];
}

export type ProbeRows = Record<Variant, SampleRow[]>;

export interface LoadedProbe {
  record: ProbeRecord;
  /** Rows in order of step and sample. */
  rows: ProbeRows;
  /** Rows of the replay with LoRA; null if there is none. */
  lora: ProbeRows | null;
}

export interface ProbeEvent {
  type: 'probe';
  /** The page's name for this probe. */
  task: string;
  what: string;
  done: number;
  total: number;
  /** Share of the whole work, 0..1. */
  fraction: number;
  /** Null until something has been measured. */
  etaSeconds: number | null;
}
