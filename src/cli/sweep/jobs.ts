// The jobs that a sweep was submitted as, kept in its folder: what `status` asks the scheduler of, and `cancel` ends.
import { join } from 'node:path';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import * as z from 'zod/mini';
import { readOrNull, writeWhole } from '../../storage/disk.node.ts';
import { slurm } from './slurm.ts';

const Submitted = z.object({
  schema: z.literal(1),
  jobs: z.array(z.string().check(z.regex(/^\d+$/))).check(z.maxLength(10_000)),
});

/** Numbers of the jobs that a folder's sweep was submitted as. */
export async function jobsOf(folder: string): Promise<string[]> {
  const bytes = await readOrNull(join(folder, 'slurm', 'jobs.json'));
  return bytes === null ? [] : Submitted.parse(parseJsonText(bytes.toString())).jobs;
}

export const keepJobs = (folder: string, jobs: readonly string[]): Promise<void> =>
  writeWhole(join(folder, 'slurm', 'jobs.json'), `${JSON.stringify({ schema: 1, jobs })}\n`);

/** Ends a folder's jobs; how many there were. Those that have ended by themselves are no news. */
export async function cancelJobs(folder: string): Promise<number> {
  const jobs = await jobsOf(folder);
  if (jobs.length > 0) await slurm('scancel', jobs);
  return jobs.length;
}

/** What the scheduler says of a folder's jobs, a line each; none where it does not answer. */
export async function jobLines(folder: string): Promise<string[]> {
  const jobs = await jobsOf(folder);
  if (jobs.length === 0) return [];
  const said = await slurm('squeue', ['--noheader', '--format=  Slurm %i  %T  %r', `--jobs=${jobs.join(',')}`]).catch(
    () => '',
  );
  return said.split('\n').filter((line) => line.trim() !== '');
}
