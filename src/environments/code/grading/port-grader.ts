// The graders over the port of a sandboxed frame, in the page or in its worker: the same judge as in Node.

import {
  createPortPool,
  createPyodidePortPool,
  type PortPoolOptions,
} from '@projected-grpo-lab/python-sandbox/port-pool.ts';
import { PYODIDE_VERSION } from '@projected-grpo-lab/python-sandbox/pyodide-limits.ts';
import type { Grader } from '../types.ts';
import { createPoolGrader } from './pool-grader.ts';

/** Takes the port that openGraderFrame gave; closing the grader closes it. */
export function createPortGrader(port: MessagePort, options: PortPoolOptions = {}): Grader {
  return createPoolGrader(createPortPool(port, options));
}

/** Takes the port that openPyodideFrame gave; closing the grader closes it. */
export function createPyodidePortGrader(port: MessagePort, options: PortPoolOptions = {}): Grader {
  return createPoolGrader(createPyodidePortPool(port, options), PYODIDE_VERSION);
}
