// The Pyodide grader over the port of its frame; apart from the frame, so that a worker can use it without the page's half.
import type { Grader } from '../types.ts';
import { createPortGrader, type PortGraderOptions } from './port-grader.ts';
import { PYODIDE_LIMITS, PYODIDE_POOL, PYODIDE_TIME_LIMIT_MS, PYODIDE_VERSION } from './pyodide-limits.ts';

/** Takes the port that openPyodideFrame gave; closing the grader closes it. */
export function createPyodidePortGrader(port: MessagePort, options: PortGraderOptions = {}): Grader {
  return createPortGrader(port, {
    timeLimitMs: PYODIDE_TIME_LIMIT_MS,
    ...options,
    limits: { ...PYODIDE_LIMITS, ...options.limits },
    pool: PYODIDE_POOL,
    version: PYODIDE_VERSION,
  });
}
