// Limits of a program for real problems, the same in Node and in the page; and the interpreter's name in stored labels.
import type { MeteredOptions } from './meter.ts';
import type { PoolOptions } from './pool.ts';
import { DEFAULT_LIMITS, type Limits } from './protocol.ts';

export const PYODIDE_VERSION = 'grader-1+pyodide-314.0.7';

/**
 * For a program, which contains all tests of one grade, about a hundred. CPython in WebAssembly takes three to five times as long as
 * natively; this is about half a minute of a free core.
 */
export const PYODIDE_WORK = 4_000_000_000;

export const PYODIDE_LIMITS: Limits = { ...DEFAULT_LIMITS, work: PYODIDE_WORK, memoryBytes: 256 * 1024 * 1024 };

/**
 * Options for metering its file (meter.ts): pyodide-imports.ts restores the globals that it imports, and cuts off what would fill its two
 * tables of JavaScript objects.
 */
export const PYODIDE_METER: MeteredOptions = { rewindable: 'by its host' };

/** Wall-clock limit of a program in milliseconds, so long that even a loaded machine reaches the work limit first. */
export const PYODIDE_TIME_LIMIT_MS = 240_000;

/** Programs differ a thousandfold in length, so only one waits behind a worker's running one. */
export const PYODIDE_POOL: Pick<PoolOptions, 'prefetch'> = { prefetch: 2 };
