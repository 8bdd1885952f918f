// A pool's result for one program, which most tests ask for.
import type { Program, RunResult, SandboxPool } from '../protocol.ts';

export async function runOne(pool: SandboxPool, program: Program): Promise<RunResult> {
  const [result, ...more] = await pool.run([program]);
  if (result === undefined || more.length > 0) throw new Error('one program has one result');
  return result;
}
