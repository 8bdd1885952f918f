// `sweep status`, `watch`, `logs`, `cancel`: a sweep's folder from outside. Nothing here trains.
import { setTimeout } from 'node:timers/promises';
import { duration } from '@projected-grpo-lab/base/commands/progress.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { readOrNull } from '@projected-grpo-lab/base/files/disk.node.ts';
import { runCost } from '../../experiments/runs/cost.ts';
import { secondsOf } from '../../experiments/runs/runner.ts';
import { stoppedText } from '../../experiments/sweep/report-text.ts';
import type { Stopped } from '../../experiments/sweep/stop.ts';
import { integer, text, toggle } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { type JobStates, jobStates } from './cluster.ts';
import { codeNotes, mixedCodes } from './code.ts';
import { type OpenRun, SweepFolder } from './folder.ts';
import { queueOf } from './queue-state.ts';
import { cancelJobs } from './slurm.ts';

export interface SweepStatus {
  /** Runs that may be made by now. */
  open: number;
  done: number;
  /** The configurations that the sweep's stop rule ended early; absent without one. A median is null while some have no interim value yet. */
  stopped?: ({ id: string; key: string } & Stopped)[];
  atWork: { id: string; key: string; worker: string; step: number; of: number; hasEnded: boolean }[];
  waiting: number;
  setApart: { id: string; key: string; failures: string[]; workers: number }[];
  /** Runs that failed or lost their worker, and are not set apart. */
  retried: number;
  isCancelled: boolean;
  /** Number of runs by code, where they differ; null: a lab that did not record its code. */
  codes: ReturnType<typeof mixedCodes>;
  /** Seconds for the rest of the open runs, estimated from finished ones and the present workers; null while unknown. */
  eta: number | null;
  /** The queue of its runs; null for a sweep without one. The number of workers is null once the command that feeds it has ended, since
   *  nobody counts them then. */
  queue: { server: string; workers: number | null } | null;
  /** Its jobs on a cluster; null where it was never submitted to one. */
  jobs: JobStates | null;
}

/** Finished runs from which the rest is estimated. */
const SAMPLED = 32;

export async function statusOf(folder: SweepFolder): Promise<SweepStatus> {
  const state = await folder.state();
  const { open, finished, failed, stopped, left, held } = state;
  const queue = await queueOf(folder.path);
  // A run stays claimed on the server until another worker sees that its worker is gone.
  const queued = queue?.isFed ? queue.atWork.map((one) => ({ ...one, hasEnded: queue.workers === 0 })) : [];
  const holders = [...(await folder.claims.holders()), ...queued];
  const byId = new Map(open.map((run) => [run.id, run]));
  const atWork = holders.flatMap((holder) => {
    const run = byId.get(holder.id);
    return run && !finished.has(run.key) && !stopped.has(run.key)
      ? [{ ...holder, key: run.key, of: run.spec.steps }]
      : [];
  });
  const failing = await folder.failing();
  const done = open.filter(({ key }) => finished.has(key) && !stopped.has(key));
  return {
    open: open.length,
    done: done.length + stopped.size,
    ...(folder.plan.spec.stop && {
      stopped: [...stopped].map(([key, why]) => ({ id: folder.idOf(key), key, ...why })),
    }),
    atWork,
    waiting: left.length + held.length - atWork.length,
    setApart: [...failed].map(([key, failures]) => ({
      id: folder.idOf(key),
      key,
      failures: failures.map(({ message }) => message),
      workers: new Set(failures.map(({ worker }) => worker)).size,
    })),
    retried: open.filter(({ id, key }) => failing.has(id) && !failed.has(key)).length,
    isCancelled: await folder.isCancelled(),
    // Runs are read only where they may have several codes.
    codes: (await folder.codes()).length > 1 ? mixedCodes((await folder.told(state)).values()) : [],
    eta: await etaOf(folder, done, left, countWorking(atWork)),
    queue: queue && { server: queue.server, workers: queue.isFed ? queue.workers : null },
    jobs: await jobStates(folder.path),
  };
}

async function etaOf(
  folder: SweepFolder,
  done: readonly OpenRun[],
  left: readonly OpenRun[],
  workers: number,
): Promise<number | null> {
  let [cost, seconds] = [0, 0];
  for (const { key, spec } of done.slice(-SAMPLED)) {
    const run = await folder.load(key);
    if (!run) continue;
    cost += runCost(spec);
    seconds += secondsOf(run.record);
  }
  if (left.length === 0) return 0;
  if (cost === 0 || workers === 0) return null;
  return ((seconds / cost) * left.reduce((sum, { spec }) => sum + runCost(spec), 0)) / workers;
}

/** Whether runs wait and nobody will take them. */
const isIdle = ({ atWork, waiting, queue, jobs }: SweepStatus): boolean =>
  !queue?.workers &&
  atWork.every(({ hasEnded }) => hasEnded) &&
  atWork.length + waiting > 0 &&
  (jobs === null || jobs.running + jobs.pending === 0);

const MOST_SHOWN = 5;

function jobLines({ jobs }: SweepStatus): string[] {
  if (!jobs) return [];
  const { running, pending, waitFor, failed } = jobs;
  const why = waitFor.length > 0 ? ` (${waitFor.join(', ')})` : '';
  return [
    `Slurm: ${running} jobs running, ${pending} pending${pending > 0 ? why : ''}, ${failed.length} failed.`,
    ...failed.slice(0, MOST_SHOWN).map(({ job, state, reason }) => `  ${job}  ${state}  ${reason}`),
    ...(failed.length > MOST_SHOWN ? [`  … and ${failed.length - MOST_SHOWN} more (--json names all)`] : []),
  ];
}

function stoppedLines(folder: SweepFolder, { stopped }: SweepStatus): string[] {
  if (!stopped) return [];
  return [
    `${stopped.length} of them were stopped early by the sweep’s own rule (worse than the median).`,
    ...stopped.slice(0, MOST_SHOWN).map(({ id, key, ...why }) => `  ${id}  ${stoppedText(why)}  ${folder.nameOf(key)}`),
    ...(stopped.length > MOST_SHOWN ? [`  … and ${stopped.length - MOST_SHOWN} more (--json names all)`] : []),
  ];
}

/** Advice on how to continue an idle sweep. */
function idleText({ queue }: SweepStatus): string {
  if (!queue)
    return 'No worker is at work and no job is queued: `sweep run`, `sweep worker` or `sweep submit` goes on.';
  if (queue.workers === null)
    return `The command that gave runs to the queue ${queue.server} has ended. Its workers may go on; the same \`sweep run\` takes what they come to.`;
  return `No worker takes its runs. Start one: npm run lab -- worker --queue ${queue.server}`;
}

/** Number of runs under way; a run whose worker has ended waits for the next one. */
const countWorking = (atWork: SweepStatus['atWork']) => atWork.filter(({ hasEnded }) => !hasEnded).length;

export async function statusText(folder: SweepFolder): Promise<string> {
  return textOf(folder, await statusOf(folder));
}

async function textOf(folder: SweepFolder, status: SweepStatus): Promise<string> {
  const { open, done, atWork, waiting, setApart, retried, isCancelled, codes, eta } = status;
  const busy = countWorking(atWork);
  const rungs = folder.plan.quota.length > 1 ? ' known by now' : '';
  return [
    `${done} of ${open} runs${rungs} are done, ${busy} at work, ${waiting + atWork.length - busy} waiting, ${setApart.length} set apart.${isCancelled ? ' The sweep is cancelled.' : ''}`,
    ...stoppedLines(folder, status),
    ...codeNotes(codes, await folder.codes()),
    ...(eta ? [`About ${duration(eta)} left.`] : []),
    ...(retried > 0 ? [`${retried} runs failed, or lost their worker, and were or will be tried again.`] : []),
    ...atWork.map(
      ({ id, worker, step, of, hasEnded, key }) =>
        `  ${id}  step ${step}/${of}  ${worker}${hasEnded ? ' (has ended; the next worker goes on)' : ''}  ${folder.nameOf(key)}`,
    ),
    ...setApart.flatMap(({ id, key, failures, workers }) => [
      `  ${id}  set apart after ${failures.length} failures of ${workers} workers  ${folder.nameOf(key)}`,
      `    ${failures[failures.length - 1].split('\n')[0]}`,
    ]),
    ...(setApart.length > 0 ? ['  `sweep run … --retry` tries them again.'] : []),
    ...(status.queue && status.queue.workers !== null
      ? [`Queue ${status.queue.server}: ${status.queue.workers} workers.`]
      : []),
    ...jobLines(status),
    ...(isIdle(status) && !isCancelled ? [idleText(status)] : []),
  ].join('\n');
}

const statusUsage = {
  name: 'sweep status',
  summary: 'Says what of a sweep is done, at work, left and set apart.',
  positional: ['DIR'],
  flags: { json: toggle('As JSON.') },
} as const;

export const sweepStatus = command(statusUsage, async ({ flags, positional }, { out }) => {
  const folder = await SweepFolder.open(positional[0]);
  const status = await statusOf(folder);
  out(flags.json ? JSON.stringify(status) : await textOf(folder, status));
  // The sweep has failed where failed jobs left work that nobody will take.
  return isIdle(status) && (status.jobs?.failed.length ?? 0) > 0 ? EXIT.failed : EXIT.ok;
});

const watchUsage = {
  name: 'sweep watch',
  summary: 'Says what `sweep status` says again and again, until the sweep is done.',
  positional: ['DIR'],
  flags: { every: integer('Seconds between.', 10, 1, 86_400) },
} as const;

export const sweepWatch = command(watchUsage, async ({ flags, positional }, { out, signal }) => {
  const folder = await SweepFolder.open(positional[0]);
  for (let before = ''; !signal.aborted; ) {
    const status = await statusOf(folder);
    const now = await textOf(folder, status);
    if (now !== before) out(now);
    before = now;
    if (status.atWork.length + status.waiting === 0 || status.isCancelled) break;
    await setTimeout(flags.every * 1000, undefined, { signal }).catch(() => {});
  }
  return EXIT.ok;
});

const logsUsage = {
  name: 'sweep logs',
  summary: 'Prints what a run has logged: a line a step, and who took it when.',
  positional: ['DIR'],
  flags: { run: text('ID', 'The run, as `sweep status` names it; all runs’ last lines where absent.', null) },
} as const;

export const sweepLogs = command(logsUsage, async ({ flags, positional }, { out }) => {
  const folder = await SweepFolder.open(positional[0]);
  const { open, stopped } = await folder.state();
  const logOf = async (id: string) => ((await readOrNull(folder.logFile(id)))?.toString() ?? '').trimEnd();
  if (flags.run === null) {
    for (const { id, key } of open) {
      const last = (await logOf(id)).split('\n').at(-1);
      const why = stopped.get(key);
      if (last) out(`${id}  ${folder.nameOf(key)}\n  ${why ? stoppedText(why) : last}`);
    }
    return EXIT.ok;
  }
  const found = open.find(({ id }) => id === flags.run);
  if (!found)
    throw new SpecError(
      `The sweep has no run ${flags.run}.`,
      'npm run lab -- sweep logs DIR names those that have begun.',
    );
  out((await logOf(found.id)) || 'It has not begun.');
  return EXIT.ok;
});

const cancelUsage = {
  name: 'sweep cancel',
  summary: 'Stops all workers at their next step; what is done stays, and `sweep run` goes on.',
  positional: ['DIR'],
  flags: {},
} as const;

export const sweepCancel = command(cancelUsage, async ({ positional }, { out }) => {
  const folder = await SweepFolder.open(positional[0]);
  await folder.cancel();
  const jobs = await cancelJobs(folder.path);
  out(`Cancelled${jobs > 0 ? `, with ${jobs} jobs of Slurm` : ''}. Workers stop at their next step.`);
  return EXIT.ok;
});
