// The graders in Node: MicroPython for the lab's own problems, CPython for real ones.

import { createNodePool, type NodePoolOptions } from '@projected-grpo-lab/python-sandbox/node-pool.node.ts';
import { PYODIDE_VERSION } from '@projected-grpo-lab/python-sandbox/pyodide-limits.ts';
import { createPyodideNodePool } from '@projected-grpo-lab/python-sandbox/pyodide-pool.node.ts';
import type { Grader } from '../types.ts';
import { createPoolGrader } from './pool-grader.ts';

export async function createNodeGrader(options: NodePoolOptions = {}): Promise<Grader> {
  return createPoolGrader(await createNodePool(options));
}

export async function createPyodideNodeGrader(options: NodePoolOptions = {}): Promise<Grader> {
  return createPoolGrader(await createPyodideNodePool(options), PYODIDE_VERSION);
}
