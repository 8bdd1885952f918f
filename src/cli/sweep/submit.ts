// `sweep submit`: hands a sweep to a cluster's own scheduler, with memory and time from its plan.
import { cp, rename, symlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { readOrNull, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { planSweep } from '../../experiments/sweep/plan.ts';
import { SweepError } from '../../experiments/sweep/spec.ts';
import { integer, oneOf, text, toggle } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { checkCluster, jobStates } from './cluster.ts';
import { estimateSweep, planLines, type SweepEstimate } from './estimate.ts';
import { SweepFolder } from './folder.ts';
import { otherCodeFlag, readSweepFile } from './run.ts';
import {
  arrayScript,
  endScript,
  jobsOf,
  keepJobs,
  keepOptions,
  keptOptions,
  MOST_TASKS,
  type SlurmOptions,
  secondsOfTime,
  submitScript,
} from './slurm.ts';

const usage = {
  name: 'sweep submit',
  summary: 'Submits a sweep to a cluster’s scheduler: a job array, and a job after it that ends the sweep and reports.',
  positional: ['SPEC'],
  flags: {
    on: oneOf(['slurm'], 'The scheduler.', 'slurm'),
    out: text('DIR', 'The sweep’s folder, on a disk that all nodes see.', null),
    partition: text('NAME', 'The cluster’s default where absent.', null),
    time: text('LIMIT', 'Of one task, as Slurm writes it; by the plan where absent.', null),
    mem: text('SIZE', 'Of one task, as Slurm writes it; by the plan where absent.', null),
    cpus: integer('Cores of one task.', 1, 1, 1024),
    parallel: integer('Tasks at a time; as many as the cluster gives where absent.', null, 1, MOST_TASKS),
    ...otherCodeFlag,
    sbatch: text(
      'OPTIONS',
      'Further options of sbatch: "--account=lab --gres=gpu:1". Kept for the next submission.',
      null,
    ),
    setup: text('LINES', 'Shell lines before the worker: "module load node". Kept for the next submission.', null),
    add: toggle('Submit further tasks although some are running or wait.'),
  },
  notes:
    'The same command again submits what is left. `sweep status`, `watch`, `logs` and `cancel` say and do the same as elsewhere; cancel ends the jobs too.',
} as const;

/** The plan estimates a small CPU; a node may be several times slower, and a queue's limit ends longer jobs. */
const TIME_FACTOR = 4;
const TIME_LEAST_MINUTES = 10;
const MEM_STEP = 256 * 2 ** 20;

export function requestedResources(
  { longestSeconds, memory }: SweepEstimate,
  runsPerTask: number,
): { time: string; mem: string } {
  const minutes = TIME_LEAST_MINUTES + Math.ceil((TIME_FACTOR * runsPerTask * longestSeconds) / 60);
  return { time: String(minutes), mem: `${(Math.ceil(memory / MEM_STEP) * MEM_STEP) / 2 ** 20}M` };
}

export const sweepSubmit = command(usage, async ({ flags, positional }, { root, progress, out }) => {
  const spec = await readSweepFile(positional[0]);
  if (flags.out === null)
    throw new SpecError('sweep submit needs a folder.', 'Add --out DIR, on a disk that all nodes see.');
  check(
    'time',
    flags.time,
    (given) => (secondsOfTime(given) ?? 0) >= 120,
    'two minutes or more, such as 30, 1:30:00 or 2-00',
  );
  check('mem', flags.mem, (given) => /^\d{1,9}[KMGT]?$/.test(given), 'a size such as 2000 (megabytes) or 2G');
  check('partition', flags.partition, (given) => /^[\w.,-]{1,200}$/.test(given), 'a partition’s name');
  const given = { sbatch: sbatchOptions(flags.sbatch), setup: flags.setup?.split('\n') ?? null };
  const plan = planSweep(spec);
  const estimate = await estimateSweep(plan, root);
  const isNew = (await readOrNull(join(resolve(flags.out), 'sweep.json'))) === null;
  const folder = await SweepFolder.create(flags.out, spec, {
    root,
    isOtherAllowed: flags['other-code'],
    note: progress.note,
  });
  try {
    const jobs = await jobStates(folder.path);
    if (jobs && jobs.running + jobs.pending > 0 && !flags.add)
      throw new SweepError(
        `${folder.path} is submitted already: ${jobs.running} tasks are running and ${jobs.pending} wait.`,
        'See: npm run lab -- sweep status DIR. `sweep cancel DIR` ends them; --add submits further tasks beside them.',
      );
    const state = await folder.state();
    if (state.left.length === 0) {
      out('Nothing is left to be run. npm run lab -- sweep report DIR says what it came to.');
      return EXIT.ok;
    }
    const { finished, failed, stopped, interim } = state;
    // A run with a stop rule is two pieces of work: up to the rule's step, and from there.
    const firstHalves = spec.stop ? estimate.runs - interim.size : 0;
    const done = new Set([...finished, ...failed.keys(), ...stopped.keys()]).size;
    const left = Math.max(1, estimate.runs - done + firstHalves);
    const tasks = Math.min(left, MOST_TASKS);
    const runsPerTask = Math.ceil(left / tasks);
    const requested = requestedResources(estimate, runsPerTask);
    const { partition, cpus, parallel } = flags;
    const kept = await keptOptions(folder.path);
    const options: SlurmOptions = {
      name: spec.name || 'sweep',
      partition,
      cpus,
      tasks,
      parallel,
      runsPerTask,
      time: flags.time ?? requested.time,
      mem: flags.mem ?? requested.mem,
      sbatch: given.sbatch ?? kept.sbatch,
      setup: given.setup ?? kept.setup,
    };
    await checkCluster(options);
    for (const line of planLines(folder.plan, estimate, parallel ?? tasks)) progress.note(line);
    await folder.goOn();
    out(await submitJobs(options, folder.path, root));
    return EXIT.ok;
  } catch (error) {
    // A refusal leaves nothing behind; an existing folder stays as it is.
    if (isNew && (await jobsOf(folder.path)).length === 0) await folder.remove();
    throw error;
  }
});

/** Writes the scripts, submits both jobs and keeps their numbers; returns the text to print. */
async function submitJobs(options: SlurmOptions, folder: string, root: string): Promise<string> {
  const { tasks, parallel, runsPerTask, time, mem, sbatch, setup } = options;
  // The heap limit is this machine's; a node has its own.
  const own = process.execArgv.filter((flag) => !flag.startsWith('--max-old-space-size'));
  const place = { folder, root, lab: [process.execPath, ...own, await keepProgram(folder, root)] };
  const files = { array: join(folder, 'slurm', 'array.sh'), end: join(folder, 'slurm', 'end.sh') };
  await writeWhole(files.array, arrayScript(options, place));
  await writeWhole(files.end, endScript(options, place));
  await keepOptions(folder, { sbatch, setup });
  const before = await jobsOf(folder);
  const array = await submitScript(files.array);
  // This comes before anything else can fail, since `cancel` must know the job.
  await keepJobs(folder, [...before, array]);
  const end = await submitScript(files.end, array);
  await keepJobs(folder, [...before, array, end]);
  const each = runsPerTask === 1 ? 'a run' : `${runsPerTask} runs`;
  return `Job ${array}: ${tasks} tasks${parallel === null ? '' : `, ${parallel} at a time`}, each ${each}, ${time} (time), ${mem}. Job ${end}, after it, works off what is left and reports.`;
}

/**
 * Copies the program at work into the sweep's folder, so that jobs which start hours later do not depend on the checkout's builds.
 * Packages stay the checkout's. Returns the program's path.
 */
async function keepProgram(folder: string, root: string): Promise<string> {
  const bundle = dirname(process.argv[1]);
  const kept = join(folder, 'slurm', `lab-${basename(bundle)}`);
  const program = join(kept, basename(process.argv[1]));
  if ((await readOrNull(program)) !== null) return program;
  const part = `${kept}.part-${process.pid}`;
  await cp(bundle, part, { recursive: true });
  await symlink(join(root, 'node_modules'), join(part, 'node_modules'), 'dir').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rename(part, kept);
  return program;
}

/** Options of sbatch that the lab sets itself: another value would break what the sweep relies on. */
const OWN_OPTIONS = [
  'array',
  'dependency',
  'parsable',
  'wrap',
  'output',
  'open-mode',
  'signal',
  'requeue',
  'no-requeue',
];
/** The same options as single letters. */
const OWN_LETTERS = 'ado';

/** sbatch takes the beginning of an option’s name for it, and a letter’s value without a space. */
function isOwnOption(option: string): boolean {
  const name = /^--([\w-]*)/.exec(option)?.[1];
  if (name === undefined) return option.length < 2 || OWN_LETTERS.includes(option[1]);
  return OWN_OPTIONS.some((own) => own.startsWith(name));
}

/** `--account=lab --gres gpu:1` as options with their values; null where none are given. Throws SpecError. */
export function sbatchOptions(given: string | null): string[] | null {
  if (given === null) return null;
  const options: string[] = [];
  for (const word of given.trim().split(/\s+/)) {
    if (word.startsWith('-')) options.push(word);
    else if (options.length > 0) options[options.length - 1] += ` ${word}`;
    else
      throw new SpecError(
        `--sbatch ${word}: an option of sbatch begins with -.`,
        'Such as --sbatch "--account=lab --gres=gpu:1".',
      );
  }
  for (const option of options)
    if (isOwnOption(option))
      throw new SpecError(
        `--sbatch ${option}: the lab sets this one itself.`,
        'Leave it out; --parallel, --time and the like have flags of their own.',
      );
  return options;
}

function check(name: string, given: string | null, isRight: (given: string) => boolean, wanted: string): void {
  if (given !== null && !isRight(given))
    throw new SpecError(`--${name} ${given} is not what Slurm takes.`, `Give ${wanted}.`);
}
