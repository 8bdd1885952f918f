// Input for Slurm: the batch scripts of a sweep's array and of the job that ends it, and the cluster's own commands; and the numbers of the
// submitted jobs, which are kept in the sweep's folder. Slurm decides when and where; the folder decides which run a task takes, so that no
// task is bound to a run.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import * as z from 'zod/mini';
import { SweepError } from '../../experiments/sweep/spec.ts';
import { readOwn } from './own-file.ts';

/** The cluster's scheduler refused, or is missing. */
export class SlurmError extends LabError {}

export interface SlurmOptions {
  name: string;
  partition: string | null;
  /** Time in Slurm's forms: minutes, HH:MM:SS, D-HH, … */
  time: string;
  /** Memory in Slurm's forms: megabytes, or with K, M, G, T. */
  mem: string;
  cpus: number;
  /** Tasks of the array, and how many of them at a time; null: as many as the cluster gives. */
  tasks: number;
  parallel: number | null;
  runsPerTask: number;
  /** Further options of sbatch (`--account=lab`), and shell lines before the worker (`module load …`). */
  sbatch: readonly string[];
  setup: readonly string[];
}

interface SlurmPlace {
  folder: string;
  /** Command line of this program: program and arguments. */
  lab: readonly string[];
  root: string;
}

/** Seconds before the limit at which Slurm gives notice. */
const NOTICE = 60;
/** A cluster's usual MaxArraySize less one. */
export const MOST_TASKS = 1000;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Seconds of a time in Slurm's forms; null for text that it does not accept. */
export function secondsOfTime(text: string): number | null {
  const found = /^(?:(\d{1,4})-)?(\d{1,6})(?::(\d{1,2}))?(?::(\d{1,2}))?$/.exec(text);
  if (!found) return null;
  const [days, a, b, c] = found.slice(1).map((part) => (part === undefined ? null : Number(part)));
  const first = a as number;
  if (days !== null) return days * 86_400 + first * 3600 + (b ?? 0) * 60 + (c ?? 0);
  if (c !== null) return first * 3600 + (b ?? 0) * 60 + c;
  return first * 60 + (b ?? 0);
}

/** Slurm reads a pattern into a `%`, and a script's head knows no escapes. Throws SweepError. */
function checkPath(path: string): void {
  if (/^[\w./+@ -]+$/.test(path)) return;
  throw new SweepError(
    `${JSON.stringify(path)} has characters that Slurm’s scripts cannot name.`,
    'Use a folder with letters, digits, spaces and . _ - + @ in its name.',
  );
}

function head(options: SlurmOptions, folder: string, log: string): string[] {
  const { name, partition, time, mem, cpus } = options;
  const settings = {
    'job-name': name.replace(/[^\w.-]+/g, '-').slice(0, 60) || 'sweep',
    output: `"${folder}/slurm/${log}"`,
    'open-mode': 'append',
    signal: `B:TERM@${NOTICE}`,
    time,
    mem,
    'cpus-per-task': String(cpus),
    ...(partition === null ? {} : { partition }),
  };
  return [
    '#!/bin/bash',
    ...Object.entries(settings).map(([key, value]) => `#SBATCH --${key}=${value}`),
    '#SBATCH --requeue',
    // A person's own options come last; for repeated ones, Slurm takes the last.
    ...options.sbatch.map((option) => `#SBATCH ${option}`),
  ];
}

/**
 * Runs a worker as a child of the script, so that the script hears SIGTERM and hands it on; the worker writes a checkpoint, releases its
 * run and ends. At the time limit, the task asks to be queued again.
 */
function workerLines(
  options: SlurmOptions,
  { folder, lab, root }: SlurmPlace,
  more: readonly string[],
  job: string,
): string[] {
  const command = [...lab, 'sweep', 'worker', folder, ...more].map(quoted).join(' ');
  const limit = secondsOfTime(options.time) ?? 0;
  const ended = join(folder, 'slurm', 'ended');
  return [
    // The scheduler forgets a job minutes after its end; `sweep status` does not.
    `mkdir -p ${quoted(ended)}`,
    `LAB_ENDED=${quoted(ended)}/"\${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}\${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}"`,
    // A task that is queued again left an exit code before.
    'rm -f "$LAB_ENDED"',
    `trap 'echo "$?" > "$LAB_ENDED"' EXIT`,
    ...options.setup,
    `export LAB_ROOT=${quoted(root)}`,
    `cd ${quoted(root)}`,
    // The trap is set before the worker starts, so that a signal meanwhile is handed on too.
    'worker=; stopped=',
    `trap 'stopped=1; [ -n "$worker" ] && kill -TERM "$worker" 2>/dev/null' TERM`,
    `${command} --threads "\${SLURM_CPUS_PER_TASK:-1}" &`,
    'worker=$!',
    '[ -n "$stopped" ] && kill -TERM "$worker" 2>/dev/null',
    'while :; do',
    '  wait "$worker"; code=$?',
    '  kill -0 "$worker" 2>/dev/null || break',
    'done',
    `if [ "$code" -ge 128 ] && [ "$SECONDS" -ge ${Math.max(1, limit - 2 * NOTICE)} ]; then scontrol requeue ${job}; fi`,
  ];
}

export function arrayScript(options: SlurmOptions, place: SlurmPlace): string {
  checkPath(place.folder);
  const { tasks, parallel, runsPerTask } = options;
  return `${[
    ...head(options, place.folder, '%A_%a.log'),
    `#SBATCH --array=0-${tasks - 1}${parallel === null ? '' : `%${parallel}`}`,
    ...workerLines(options, place, ['--runs', String(runsPerTask)], '"$SLURM_ARRAY_JOB_ID"_"$SLURM_ARRAY_TASK_ID"'),
    'exit "$code"',
  ].join('\n')}\n`;
}

/** Works off the runs that the array left, however its tasks ended; then collects and reports. */
export function endScript(options: SlurmOptions, place: SlurmPlace): string {
  const lab = place.lab.map(quoted).join(' ');
  return `${[
    ...head(options, place.folder, '%A.log'),
    ...workerLines(options, place, [], '"$SLURM_JOB_ID"'),
    'if [ "$code" -ge 128 ]; then exit "$code"; fi',
    `${lab} sweep collect ${quoted(place.folder)} && ${lab} sweep report ${quoted(place.folder)} >/dev/null || exit 1`,
    'exit "$code"',
  ].join('\n')}\n`;
}

/** Runs one of Slurm's commands and returns its output. Throws SlurmError. */
export async function slurm(
  program: 'sbatch' | 'scancel' | 'squeue' | 'sinfo',
  args: readonly string[],
): Promise<string> {
  try {
    return (await promisify(execFile)(program, [...args], { timeout: 60_000 })).stdout.trim();
  } catch (error) {
    const { code, stderr = '', message } = error as { code?: unknown; stderr?: string; message: string };
    if (code === 'ENOENT')
      throw new SlurmError(
        `There is no ${program} on this machine.`,
        'Give the command on a machine of the cluster, or use `sweep run`.',
        { cause: error },
      );
    throw new SlurmError(
      `${program} refused: ${(stderr.trim() || message).slice(0, 600)}`,
      'Change what it names (--partition, --time, --mem, --parallel) and give the command again; nothing is lost.',
      { cause: error },
    );
  }
}

/** Submits a script and returns the job's number. Throws SlurmError. */
export async function submitScript(file: string, after: string | null = null): Promise<string> {
  const printed = await slurm('sbatch', [
    '--parsable',
    ...(after === null ? [] : [`--dependency=afterany:${after}`]),
    file,
  ]);
  const [id] = printed.split(';');
  if (/^\d+$/.test(id)) return id;
  throw new SlurmError(`sbatch said ${JSON.stringify(printed.slice(0, 200))}, and no job’s number.`, 'Look at squeue.');
}

const Submitted = z.object({
  schema: z.literal(1),
  jobs: z.array(z.string().check(z.regex(/^\d+$/))).check(z.maxLength(10_000)),
});

/** Numbers of the jobs that a folder's sweep was submitted as. */
export async function jobsOf(folder: string): Promise<string[]> {
  const file = join(folder, 'slurm', 'jobs.json');
  const submitted = await readOwn(file, Submitted, 'then its jobs are the scheduler’s alone to list and end.');
  return submitted?.jobs ?? [];
}

export const keepJobs = (folder: string, jobs: readonly string[]): Promise<void> =>
  writeWhole(join(folder, 'slurm', 'jobs.json'), `${JSON.stringify({ schema: 1, jobs })}\n`);

const Kept = z.object({
  schema: z.literal(1),
  sbatch: z.array(z.string().check(z.maxLength(2000))).check(z.maxLength(100)),
  setup: z.array(z.string().check(z.maxLength(10_000))).check(z.maxLength(1000)),
});

const optionsFile = (folder: string): string => join(folder, 'slurm', 'options.json');

/** Options with which a folder's jobs were last submitted. */
export async function keptOptions(folder: string): Promise<Pick<SlurmOptions, 'sbatch' | 'setup'>> {
  const kept = await readOwn(optionsFile(folder), Kept, 'then --sbatch and --setup are to be given again.');
  return kept ?? { sbatch: [], setup: [] };
}

export const keepOptions = (folder: string, options: Pick<SlurmOptions, 'sbatch' | 'setup'>): Promise<void> =>
  writeWhole(optionsFile(folder), `${JSON.stringify({ schema: 1, ...options })}\n`);

/** Ends a folder's jobs and returns their number. Jobs that have ended by themselves are ignored. */
export async function cancelJobs(folder: string): Promise<number> {
  const jobs = await jobsOf(folder);
  if (jobs.length > 0) await slurm('scancel', jobs);
  return jobs.length;
}
