// Types that the parts of the SVD share.
import type { FloatArray } from './device.ts';

/** `pairs` turns single pairs of vectors, `blocks` pairs of blocks of 16: the same factors up to rounding, faster where matrices are large. */
export type SvdMethod = 'pairs' | 'blocks';

export interface SvdOptions {
  /** Absent: `svdMethod` chooses by the matrix and the device. */
  method?: SvdMethod;
  /** The signal is heard between sweeps, and within them after some 100 ms of work. */
  signal?: AbortSignal;
  /** Called after each sweep with its number (from 1) and the largest |cos| that it met between two vectors. */
  onProgress?: (sweep: number, largestCosine: number) => void;
  /** Called about every 100 ms of a large matrix with the share that is done, in [0, 1]; how many sweeps it needs is a
   *  guess. */
  onShare?: (share: number) => void;
  /** One turn of the event loop, at each pause: the CPU device never waits, and would not hear a signal. */
  breathe?: () => Promise<void>;
}

/** Vectors made orthogonal: a [n, m] = v [n, n] times those that were given, v orthogonal. */
export interface Turned {
  a: FloatArray;
  v: FloatArray;
  sweeps: number;
}
