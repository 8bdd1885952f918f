// Limits of a real problem's program, the same in Node and in the page; and the name of this interpreter in frozen labels.
import type { MeteredOptions } from './meter.ts';
import type { PoolOptions } from './pool.ts';
import { DEFAULT_LIMITS, type Limits } from './protocol.ts';

export const PYODIDE_VERSION = 'grader-1+pyodide-314.0.7';

/**
 * For a program, which is all tests of one grade: about a hundred for a real problem. CPython in WebAssembly takes three to five
 * times as long as outside of it; this is half a minute or so of a free core.
 */
export const PYODIDE_WORK = 4_000_000_000;

export const PYODIDE_LIMITS: Limits = { ...DEFAULT_LIMITS, work: PYODIDE_WORK, memoryBytes: 256 * 1024 * 1024 };

/** Options of metering its file (meter.ts): the globals that it imports are pyodide-imports.ts's, and what would fill its two tables of
 *  JavaScript objects is cut off there. */
export const PYODIDE_METER: MeteredOptions = { rewindable: 'by its host' };

/** Wall-clock milliseconds for a program: the backstop, so long that a loaded machine reaches the work's limit first. */
export const PYODIDE_TIME_LIMIT_MS = 240_000;

/** Programs differ a thousandfold in length, so that one waits at a worker's table and no more. */
export const PYODIDE_POOL: Pick<PoolOptions, 'prefetch'> = { prefetch: 2 };
