// A Grader on any pool: plans what to run, runs it, judges. Verdicts are the same in Node and in the browser.

import {
  createPortPool,
  createPyodidePortPool,
  type PortPoolOptions,
} from '@projected-grpo-lab/python-sandbox/port-pool.ts';
import type { SandboxPool } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import { PYODIDE_VERSION } from '@projected-grpo-lab/python-sandbox/pyodide-limits.ts';
import type { Grader } from '../types.ts';
import { planGrade } from './judge.ts';

/**
 * Stored with every label; raise the first number whenever a verdict could change. The rest names the interpreter.
 */
export const GRADER_VERSION = 'grader-1+micropython-1.27.0';

export function createPoolGrader(pool: SandboxPool, version = GRADER_VERSION): Grader {
  return {
    version,
    async grade(items, signal) {
      const plans = items.map(planGrade);
      const results = await pool.run(
        plans.flatMap((plan) => plan.programs),
        signal,
      );
      let next = 0;
      return plans.map((plan) => {
        const own = results.slice(next, next + plan.programs.length);
        next += plan.programs.length;
        return plan.grade(own);
      });
    },
    run: (programs, signal) => pool.run(programs, signal),
    close: () => pool.close(),
  };
}

// Graders over the port of a sandboxed frame, in the page or in its worker, with the same judge as in Node.

/** Takes the port that openGraderFrame gave; closing the grader closes it. */
export function createPortGrader(port: MessagePort, options: PortPoolOptions = {}): Grader {
  return createPoolGrader(createPortPool(port, options));
}

/** Takes the port that openPyodideFrame gave; closing the grader closes it. */
export function createPyodidePortGrader(port: MessagePort, options: PortPoolOptions = {}): Grader {
  return createPoolGrader(createPyodidePortPool(port, options), PYODIDE_VERSION);
}
