// `sweep plan`, `sweep run`, `sweep schema`: a sweep's file, its cost, and its runs in processes of this machine.
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Progress } from '@projected-grpo-lab/base/commands/progress.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { readOrNull } from '@projected-grpo-lab/base/files/disk.node.ts';
import { planSweep } from '../../experiments/sweep/plan.ts';
import { readSweepText, SweepError, type SweepSpec, sweepJsonSchema } from '../../experiments/sweep/spec.ts';
import { integer, text, toggle } from '../args.ts';
import { workInChildren } from '../claimed.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { estimateSweep, planLines } from './estimate.ts';
import { SweepFolder } from './folder.ts';
import { statusOf, statusText } from './status.ts';
import { drainClaims } from './worker.ts';

const MOST_JOBS = 64;
/** Most bytes of a sweep's file. */
const MOST_BYTES = 4_000_000;

const jobsFlag = integer('Processes that train side by side and share the cores. Changes no digit.', 1, 1, MOST_JOBS);

/** Throws SweepError. */
export async function readSweepFile(path: string): Promise<SweepSpec> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory())
    throw new SweepError(
      `${path} is a folder, and no sweep’s file.`,
      'Name its sweep.json; what is in a sweep’s folder says npm run lab -- sweep status DIR.',
    );
  const bytes = await readOrNull(path);
  if (bytes === null)
    throw new SweepError(
      `${path}: there is no such file.`,
      'npm run lab -- sweep schema prints what a sweep’s file holds.',
    );
  if (bytes.length > MOST_BYTES)
    throw new SweepError(
      `${path} has ${bytes.length} bytes; ${MOST_BYTES} are allowed.`,
      'List fewer values, or give ranges.',
    );
  return readSweepText(bytes.toString('utf8'), path);
}

const planUsage = {
  name: 'sweep plan',
  summary: 'Says what a sweep will take: runs, time, memory. Runs nothing.',
  positional: ['SPEC'],
  flags: { jobs: jobsFlag, list: toggle('List every configuration.') },
} as const;

export const sweepPlan = command(planUsage, async ({ flags, positional }, { out, root }) => {
  const plan = planSweep(await readSweepFile(positional[0]));
  const lines = planLines(plan, await estimateSweep(plan, root), flags.jobs);
  out([...lines, ...(flags.list ? plan.configurations.map(({ label }) => label) : [])].join('\n'));
  return EXIT.ok;
});

const schemaUsage = {
  name: 'sweep schema',
  summary: 'Prints the JSON Schema of a sweep’s file, which editors read (docs/sweep.schema.json).',
  flags: {},
} as const;

export const sweepSchemaCommand = command(schemaUsage, async (_, { out }) => {
  out(JSON.stringify(sweepJsonSchema(), null, 2));
  return EXIT.ok;
});

/** Flag of the commands that may begin a sweep or continue it. */
export const otherCodeFlag = {
  'other-code': toggle(
    'Go on though other code began the sweep; status, report and tables then say whose each run is.',
  ),
};

const runUsage = {
  name: 'sweep run',
  summary: 'Trains a sweep in a folder; the same command goes on where it was stopped.',
  positional: ['SPEC'],
  flags: {
    out: text('DIR', 'The sweep’s folder.', null),
    jobs: jobsFlag,
    threads: integer('Threads of the CPU device, all processes together.', null, 1, 1024),
    queue: text(
      'URL',
      'Let the workers of a queue train it (`worker --queue URL`): redis://HOST:PORT, rediss:// for TLS.',
      null,
    ),
    retry: toggle('Try again what failed for three workers and was set apart.'),
    ...otherCodeFlag,
  },
  notes: 'Other machines that see the folder may help: npm run lab -- sweep worker DIR',
} as const;

export const sweepRun = command(runUsage, async ({ flags, positional }, context) => {
  const spec = await readSweepFile(positional[0]);
  if (flags.out === null) throw new SpecError('sweep run needs a folder.', 'Add --out DIR.');
  if (spec.stop && flags.queue !== null)
    throw new SweepError(
      'A stop rule is for folders: the workers of a queue do not see each other’s interim values.',
      'Leave stop out, or train it without --queue: `sweep worker DIR` on other machines helps.',
    );
  const plan = planSweep(spec);
  for (const line of planLines(plan, await estimateSweep(plan, context.root), flags.jobs)) context.progress.note(line);
  const folder = await SweepFolder.create(flags.out, spec, {
    root: context.root,
    isOtherAllowed: flags['other-code'],
    note: context.progress.note,
  });
  await folder.goOn();
  if (flags.retry) context.progress.note(`${await folder.retry()} runs that were set apart are tried again.`);
  const shown = showProgress(folder, context.progress);
  try {
    if (flags.queue === null) await train(folder, flags, context);
    else {
      const { feed } = await import('./queue/feed.ts');
      await feed(folder, flags.queue, context.signal, context.progress.note);
    }
  } finally {
    shown.end();
  }
  context.out(await statusText(folder));
  const { open, finished, stopped } = await folder.state();
  return open.every(({ key }) => finished.has(key) || stopped.has(key)) ? EXIT.ok : EXIT.failed;
});

const PROGRESS_MS = 2000;

/** Shows how many runs are done, with the time left, while they are made. */
function showProgress(folder: SweepFolder, progress: Progress): { end(): void } {
  let isLooking = false;
  const look = async () => {
    const { open, done, atWork } = await statusOf(folder);
    const begun = atWork.reduce((sum, { step, of }) => sum + step / of, 0);
    progress.update('runs', done + begun, open, `${atWork.length} at work`);
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // Errors of reading are reported by the training.
    void look()
      .catch(() => {})
      .finally(() => {
        isLooking = false;
      });
  }, PROGRESS_MS);
  return { end: () => clearInterval(timer) };
}

async function train(
  folder: SweepFolder,
  { jobs, threads }: { jobs: number; threads: number | null },
  { root, signal, progress: { note } }: CommandContext,
): Promise<void> {
  if (jobs === 1) await drainClaims(folder, { root, threads, most: null, signal, note });
  const each = Math.max(1, Math.floor((threads ?? availableParallelism()) / jobs));
  const argv = ['sweep', 'worker', folder.path, '--child', '--threads', String(each)];
  let isFirst = jobs > 1;
  // Failed runs are tried by new workers, since each worker counts once.
  while (isFirst || (await folder.state()).left.length > 0) {
    isFirst = false;
    await workInChildren({ argv: Array(jobs).fill(argv), note, signal });
  }
}
