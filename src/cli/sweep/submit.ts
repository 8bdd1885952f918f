// `sweep submit`: hands a sweep to a cluster's own scheduler, with memory and time from its plan.
import { join } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { makeFolder, writeWhole } from '../../storage/disk.node.ts';
import { integer, oneOf, text } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { estimateSweep, planLines, type SweepEstimate } from './estimate.ts';
import { SweepFolder } from './folder.ts';
import { otherCodeFlag, readSweepFile } from './run.ts';
import {
  arrayScript,
  endScript,
  jobsOf,
  keepJobs,
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
  },
  notes:
    'The same command again submits what is left. `sweep status`, `watch`, `logs` and `cancel` say and do the same as elsewhere; cancel ends the jobs too.',
} as const;

/** The plan says what a small CPU takes; a node may be several times slower, and a queue's limit ends what goes beyond it. */
const TIME_FACTOR = 4;
const TIME_LEAST_MINUTES = 10;
const MEM_STEP = 256 * 2 ** 20;

export function askedOf({ longestSeconds, memory }: SweepEstimate, runsPerTask: number): { time: string; mem: string } {
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
  const folder = await SweepFolder.create(flags.out, spec, {
    root,
    isOtherAllowed: flags['other-code'],
    note: progress.note,
  });
  const estimate = await estimateSweep(folder.plan, root);
  const state = await folder.state();
  if (state.left.length === 0) {
    out('Nothing is left to be run. npm run lab -- sweep report DIR says what it came to.');
    return EXIT.ok;
  }
  const left = Math.max(1, estimate.runs - state.finished.size - state.failed.size);
  const tasks = Math.min(left, MOST_TASKS);
  const runsPerTask = Math.ceil(left / tasks);
  const asked = askedOf(estimate, runsPerTask);
  const { partition, cpus, parallel } = flags;
  const options: SlurmOptions = {
    name: spec.name || 'sweep',
    partition,
    cpus,
    tasks,
    parallel,
    runsPerTask,
    time: flags.time ?? asked.time,
    mem: flags.mem ?? asked.mem,
  };
  for (const line of planLines(folder.plan, estimate, parallel ?? tasks)) progress.note(line);
  await folder.goOn();
  // The heap is this machine's; a node has its own.
  const own = process.execArgv.filter((flag) => !flag.startsWith('--max-old-space-size'));
  const place = { folder: folder.path, root, lab: [process.execPath, ...own, process.argv[1]] };
  const files = { array: join(folder.path, 'slurm', 'array.sh'), end: join(folder.path, 'slurm', 'end.sh') };
  await makeFolder(join(folder.path, 'slurm'));
  await writeWhole(files.array, arrayScript(options, place));
  await writeWhole(files.end, endScript(options, place));
  const before = await jobsOf(folder.path);
  const array = await submitScript(files.array);
  // Before anything else can fail: `cancel` must know it.
  await keepJobs(folder.path, [...before, array]);
  const end = await submitScript(files.end, array);
  await keepJobs(folder.path, [...before, array, end]);
  out(
    `Job ${array}: ${tasks} tasks${parallel === null ? '' : `, ${parallel} at a time`}, each ${runsPerTask === 1 ? 'a run' : `${runsPerTask} runs`}, ${options.time} (time), ${options.mem}. Job ${end}, after it, works off what is left and reports.`,
  );
  return EXIT.ok;
});

function check(name: string, given: string | null, isRight: (given: string) => boolean, wanted: string): void {
  if (given !== null && !isRight(given))
    throw new SpecError(`--${name} ${given} is not what Slurm takes.`, `Give ${wanted}.`);
}
