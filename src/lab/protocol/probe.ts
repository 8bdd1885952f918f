// What the page and the worker say to each other about the cosine probe.

import type { Settings } from '../../experiments/config/spec.ts';
import type { ProbeReport, SampleRow, Variant } from '../../experiments/kinds/probe/types.ts';
import type { Words } from './experiments.ts';

/** Who wrote the pool: the embedded teacher; the environment's templates, so many of a problem's samples right besides; or
 *  whoever wrote a kept pool. */
type ProbeTeacher = { kind: 'onnx' } | { kind: 'templates'; correct: number } | { kind: 'pool'; sha256: string };

export interface ProbeAsk {
  teacher: ProbeTeacher;
  /** A step each. */
  problems: number;
  /** Of each problem. */
  samples: number;
  /** Of the random axes and the permutations. */
  seed: number;
  /** Of the run whose adapter, basis, gate and optimizer the probe takes. */
  settings: Partial<Settings>;
}

/** T5's trainings; or T6's, which are T5's and as many again with LoRA. */
export interface ProbeTraining {
  check: 'T5' | 'T6';
  steps: number;
  /** Share of a group that the teacher writes. */
  ratio: number;
  /** Optimizer steps on the same rollouts: with one, every policy ratio is 1. */
  innerEpochs: number;
  loraLr: number;
}

/** A probe as it is kept. */
export interface ProbeRecord extends Words {
  schema: 1;
  /** Of everything that was asked: asking the same again goes on with it. */
  id: string;
  createdAt: number;
  /** Null for a probe that came as a file. */
  ask: ProbeAsk | null;
  /** Of the file that it came as; null for one that was run here. */
  file: string | null;
  device: string;
  /** What was replayed; absent from probes of before this was kept, and from those that came as a file. */
  model?: { id: string; sha256: string };
  /** Steps replayed, of both replays. */
  done: number;
  total: number;
  /** Null while it is not finished. */
  report: ProbeReport | null;
  /** Of the pool that a model wrote for it here. */
  poolSha256?: string;
  /** What was asked for last, while it is not finished. */
  training?: ProbeTraining | null;
  /** Its trainings in the store: another probe may have the same. */
  trainings?: string[];
}

export type ProbeRows = Record<Variant, SampleRow[]>;

export interface LoadedProbe {
  record: ProbeRecord;
  /** In order of step and sample. */
  rows: ProbeRows;
  /** Of the replay with LoRA; null where there is none. */
  lora: ProbeRows | null;
}

export interface ProbeEvent {
  type: 'probe';
  /** The page's name for this probe. */
  task: string;
  what: string;
  done: number;
  total: number;
  /** Of the whole, 0..1. */
  fraction: number;
  /** Null until something has been measured. */
  etaSeconds: number | null;
}
