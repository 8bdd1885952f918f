// Types shared by the parts of the SVD.
import type { FloatArray } from './device.ts';

/** `pairs` rotates single pairs of vectors, `blocks` pairs of blocks of 16, which is faster for large matrices. The factors agree up to rounding. */
export type SvdMethod = 'pairs' | 'blocks';

export interface SvdOptions {
  /** Default: `svdMethod` chooses by the matrix and the device. */
  method?: SvdMethod;
  /** Checked between sweeps, and within them about every 100 ms of work. */
  signal?: AbortSignal;
  /** Called after each sweep with its number (from 1) and the largest |cos| between two vectors. */
  onProgress?: (sweep: number, largestCosine: number) => void;
  /** Called about every 100 ms for a large matrix with the estimated progress in [0, 1]. */
  onShare?: (share: number) => void;
  /** Yields to the event loop at each pause; without it, the CPU device, which never waits, could not be aborted. */
  breathe?: () => Promise<void>;
}

/** Orthogonalised vectors: a [n, m] = v [n, n] times the given vectors, with v orthogonal. */
export interface Orthogonalised {
  a: FloatArray;
  v: FloatArray;
  sweeps: number;
}
