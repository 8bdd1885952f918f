// The Grader over any pool: plans what to run, runs it, judges. The same verdicts in Node and in the browser.

import type { SandboxPool } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import type { Grader } from '../types.ts';
import { planGrade } from './judge.ts';

/**
 * Stored with every frozen label; raise the first number whenever a verdict could change. The rest names the interpreter.
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
