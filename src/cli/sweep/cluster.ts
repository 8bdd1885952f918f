// Resources of a cluster and states of a sweep's jobs, in the scheduler's own words. A scheduler forgets a job minutes after its end, so
// that each batch script also writes its exit code into the sweep's folder (slurm.ts).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn } from '@projected-grpo-lab/base/files/disk.node.ts';
import { SweepError } from '../../experiments/sweep/spec.ts';
import { jobsOf, SlurmError, type SlurmOptions, secondsOfTime, slurm } from './slurm.ts';

interface Partition {
  name: string;
  isDefault: boolean;
  /** Cores of one node. */
  cpus: number;
  /** Memory of one node in MB as Slurm counts them (2^20 bytes). */
  memory: number;
  /** Time limit in seconds; null without a limit. */
  time: number | null;
}

const SIZES: Readonly<Record<string, number>> = { K: 1 / 1024, M: 1, G: 1024, T: 1024 ** 2 };

/** MB (2^20 bytes) of a size as Slurm writes it; it takes a number alone as MB. */
const megabytes = (size: string): number =>
  Number(/^\d+/.exec(size)?.[0]) * (SIZES[size.replace(/^\d+/, '').toUpperCase()] ?? 1);

/** Lines of `sinfo --exact --format=%P|%c|%m|%l`; unreadable ones are left out. */
export function partitionsOf(text: string): Partition[] {
  return text.split('\n').flatMap((line) => {
    const [name, cpus, memory, limit] = line.split('|').map((part) => part.trim());
    if (!name || !/^\d+\+?$/.test(cpus) || !/^\d+\+?$/.test(memory)) return [];
    return [
      {
        name: name.replace(/\*$/, ''),
        isDefault: name.endsWith('*'),
        cpus: Number.parseInt(cpus, 10),
        memory: Number.parseInt(memory, 10),
        time: secondsOfTime(limit ?? ''),
      },
    ];
  });
}

/** Refuses a request that would wait for ever, since no node of the partition has it. Throws SweepError, and SlurmError without a
 *  scheduler. */
export async function checkCluster(options: SlurmOptions): Promise<void> {
  refuseTooLarge(options, partitionsOf(await slurm('sinfo', ['--noheader', '--exact', '--format=%P|%c|%m|%l'])));
}

export function refuseTooLarge(
  { partition, cpus, mem, time }: Pick<SlurmOptions, 'partition' | 'cpus' | 'mem' | 'time'>,
  all: readonly Partition[],
): void {
  if (all.length === 0) return;
  const wanted = partition?.split(',');
  const named = all.filter(({ name, isDefault }) => (wanted ? wanted.includes(name) : isDefault));
  const names = [...new Set(all.map(({ name }) => name))].join(', ');
  if (wanted && named.length === 0)
    throw new SweepError(`The cluster has no partition ${partition}.`, `It has: ${names}.`);
  // Without a default partition the scheduler itself reports the error.
  if (named.length === 0) return;
  const most = (of: (node: Partition) => number) => Math.max(...named.map(of));
  const remedy = `Ask for less, or name another partition (${names}).`;
  const where = `the partition ${[...new Set(named.map(({ name }) => name))].join(', ')}`;
  if (cpus > most((node) => node.cpus))
    throw new SweepError(`--cpus ${cpus}: a node of ${where} has at most ${most((node) => node.cpus)}.`, remedy);
  if (megabytes(mem) > most((node) => node.memory))
    throw new SweepError(`--mem ${mem}: a node of ${where} has at most ${most((node) => node.memory)}M.`, remedy);
  const longest = most((node) => node.time ?? Number.POSITIVE_INFINITY);
  if ((secondsOfTime(time) ?? 0) > longest)
    throw new SweepError(`--time ${time}: ${where} ends jobs after ${Math.floor(longest / 60)} minutes.`, remedy);
}

/** States of a sweep's jobs and tasks; `12_3` is task 3 of the array 12. */
export interface JobStates {
  running: number;
  pending: number;
  /** Reasons for which pending ones wait, as Slurm gives them (`Resources`, `Dependency`, …). */
  waitFor: string[];
  failed: { job: string; state: string; reason: string }[];
}

const LIVE: ReadonlySet<string> = new Set([
  'RUNNING',
  'COMPLETING',
  'CONFIGURING',
  'STAGE_OUT',
  'SUSPENDED',
  'STOPPED',
]);
const WAITING: ReadonlySet<string> = new Set(['PENDING', 'REQUEUED', 'REQUEUE_HOLD', 'SPECIAL_EXIT', 'RESV_DEL_HOLD']);
const FAILED: ReadonlySet<string> = new Set([
  'FAILED',
  'TIMEOUT',
  'OUT_OF_MEMORY',
  'NODE_FAIL',
  'BOOT_FAIL',
  'DEADLINE',
]);

/** Exit codes of a stop that is no failure: SIGINT's, SIGTERM's and the command line's own. */
const STOPPED: ReadonlySet<number> = new Set([130, 143]);
/** Characters at a log's end that are searched for the reason of a failure. */
const LOG_TAIL = 4000;

/** Null where the folder's sweep was never submitted. Without an answer from the scheduler no job is known to it. */
export async function jobStates(folder: string): Promise<JobStates | null> {
  const jobs = await jobsOf(folder);
  if (jobs.length === 0) return null;
  const states: JobStates = { running: 0, pending: 0, waitFor: [], failed: [] };
  const known = new Set<string>();
  const exits = new Map(await endedJobs(folder));
  for (const [job, state, reason] of await askQueue(jobs)) {
    known.add(job);
    if (LIVE.has(state)) states.running++;
    else if (WAITING.has(state)) {
      states.pending += tasksIn(job);
      if (reason !== 'None' && !states.waitFor.includes(reason)) states.waitFor.push(reason);
    } else if (FAILED.has(state) && !(state === 'FAILED' && STOPPED.has(exits.get(job) ?? 0)))
      states.failed.push({ job, state, reason: await reasonOf(folder, job, reason) });
  }
  for (const [job, code] of exits)
    if (!known.has(job) && code !== 0 && !STOPPED.has(code))
      states.failed.push({ job, state: 'FAILED', reason: await reasonOf(folder, job, `exit code ${code}`) });
  return states;
}

/** `[job, state, reason]` of each; a single forgotten job makes squeue fail, so that each is then queried by itself. */
async function askQueue(jobs: readonly string[]): Promise<string[][]> {
  const format = ['--noheader', '--states=all', '--format=%i|%T|%r'];
  const ask = (of: readonly string[]) => slurm('squeue', [...format, `--jobs=${of.join(',')}`]);
  let text: string;
  try {
    text = await ask(jobs);
  } catch (error) {
    if (!(error instanceof SlurmError) || jobs.length === 1) return [];
    text = (await Promise.all(jobs.map((job) => ask([job]).catch(() => '')))).join('\n');
  }
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim().split('|')]));
}

/** Number of tasks in a pending array's one line: `12_[0-2,7%2]` are four. */
export function tasksIn(job: string): number {
  const list = /_\[([^\]%]*)/.exec(job)?.[1];
  if (!list) return 1;
  return list.split(',').reduce((sum, part) => {
    const [from, to = from] = part.split('-').map(Number);
    return sum + (to - from + 1);
  }, 0);
}

/** Exit codes that batch scripts left. */
async function endedJobs(folder: string): Promise<[string, number][]> {
  const names = (await namesIn(join(folder, 'slurm', 'ended'))).filter((name) => /^\d+(_\d+)?$/.test(name));
  return Promise.all(
    names.map(async (name): Promise<[string, number]> => {
      const text = await readFile(join(folder, 'slurm', 'ended', name), 'utf8').catch(() => '');
      return [name, /^\d{1,3}\n?$/.test(text) ? Number(text) : 0];
    }),
  );
}

/** The reason at the log's end, else the scheduler's. */
async function reasonOf(folder: string, job: string, words: string): Promise<string> {
  const file = join(folder, 'slurm', `${job}.log`);
  const text = (await readFile(file, 'utf8').catch(() => '')).slice(-LOG_TAIL);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const error = lines.findLast((line) => /error|refused|cannot|not found/i.test(line)) ?? lines.at(-1);
  return [words, ...(error ? [error.trim().slice(0, 300)] : []), `see ${file}`].join(': ');
}
