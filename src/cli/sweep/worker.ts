// `sweep worker`: takes one run after another from a sweep's folder until none is left, for a person, a batch system, or a parent command.
// Any number of workers may share one folder, on any number of machines; each run gives the same bytes, whoever makes it.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { DeviceError, LabError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { clearParts } from '@projected-grpo-lab/base/files/disk.node.ts';
import { thisProcess } from '@projected-grpo-lab/base/files/lock.node.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import { execute } from '../../experiments/parallel/execute.ts';
import type { LabEvent, RunRecord } from '../../experiments/records/events.ts';
import { type ExperimentState, foldEvent, newExperimentState } from '../../experiments/records/experiment-state.ts';
import type { RunStore } from '../../experiments/runs/runner.ts';
import { trainPlanned } from '../../experiments/runs/runner.ts';
import type { Claim } from '../../storage/claims/claims.ts';
import { StorageError } from '../../storage/kv.ts';
import { integer, toggle } from '../args.ts';
import { explain } from '../children.ts';
import { serveWork } from '../claimed.ts';
import { command, EXIT } from '../command.ts';
import { yieldToEvents } from '../drain.ts';
import { type EmbeddedHost, embeddedHost } from '../run/embedded-host.ts';
import { thisWorker } from './code.ts';
import { type OpenRun, SweepFolder } from './folder.ts';

const usage = {
  name: 'sweep worker',
  summary: 'Takes runs of a sweep’s folder until none is left. Any number of workers, on any number of machines.',
  positional: ['DIR'],
  flags: {
    runs: integer('End after so many runs, or when all others are at work elsewhere.', null, 1),
    threads: integer('Threads of the CPU device. Changes no digit.', null, 1, 1024),
    lease: integer('Seconds of silence after which a run is taken from another machine’s worker.', 60, 1, 86_400),
    child: toggle('For `sweep run --jobs`: works for the process that started it.'),
  },
  notes: 'Ctrl-C or SIGTERM: the run is released with its last checkpoint, and another worker goes on from there.',
} as const;

export const sweepWorker = command(usage, async ({ flags, positional }, { root, signal, progress }) => {
  const folder = await SweepFolder.open(positional[0], flags.lease * 1000);
  await folder.admit({ root, isOtherAllowed: false, note: progress.note });
  const { runs: most, threads } = flags;
  if (!flags.child) {
    const failed = await drainClaims(folder, { root, threads, most, signal, note: progress.note });
    return failed > 0 ? EXIT.failed : EXIT.ok;
  }
  await serveWork(signal, (both, note) => drainClaims(folder, { root, threads, most, signal: both, note }));
  return EXIT.ok;
});

/** Milliseconds between two looks while others hold all that is left. */
const LOOK_MS = 1000;

interface WorkOptions {
  root: string;
  threads: number | null;
  /** Most runs before it ends; null: until none is left. */
  most: number | null;
  signal: AbortSignal;
  note(line: string): void;
}

/** Returns how many runs failed. Runs that failed here are left to other workers: a broken machine sets nothing apart by itself. Throws
 *  StoppedError at a stop, and an error that ends a worker: a lost device, a disk that cannot be written. Its run is released. */
export async function drainClaims(folder: SweepFolder, options: WorkOptions): Promise<number> {
  const { root, threads, most, note } = options;
  const store = folder.store();
  const cancel = new AbortController();
  const signal = AbortSignal.any([options.signal, cancel.signal]);
  const host = embeddedHost({ root, device: folder.plan.spec.device, threads, isPlain: false, store, signal });
  const worked = { made: 0, paused: 0, failed: 0 };
  const failedHere = new Set<string>();
  const onThisHost = `${thisProcess().host}:`;
  const waitsForOthers = most === null || folder.plan.quota.length > 1 || folder.plan.spec.stop !== undefined;
  try {
    const list = {
      async left(): Promise<OpenRun[]> {
        if (most !== null && worked.made + worked.paused + worked.failed >= most) return [];
        if (options.signal.aborted) throw new StoppedError();
        if (await folder.isCancelled())
          throw new StoppedError('The sweep is cancelled.', 'Go on: npm run lab -- sweep run SPEC --out DIR');
        const { left, failures } = await folder.state();
        const failedOnHost = ({ key }: OpenRun) =>
          (failures.get(key) ?? []).filter(({ kind, worker }) => kind === 'error' && worker.startsWith(onThisHost))
            .length;
        // Runs that failed on this machine are for others first.
        return left.filter(({ key }) => !failedHere.has(key)).sort((a, b) => failedOnHost(a) - failedOnHost(b));
      },
      async claim({ id, key }: OpenRun): Promise<Claim | null> {
        const claim = await folder.claims.claim(id);
        // Its last holder may have finished it since the folder was read, or brought it to where it waits for a verdict.
        if (!claim || (await mayGoOn(folder, key))) return claim;
        await claim.release();
        return null;
      },
      async news(): Promise<boolean> {
        // The results of others may open more.
        if (waitsForOthers) await setTimeout(LOOK_MS, undefined, { signal: options.signal }).catch(() => {});
        return waitsForOthers;
      },
    };
    await execute(list, async (run, claim) => {
      const end = await trainClaimed(run, claim, { folder, store, host, cancel, options: { ...options, signal } });
      if (end !== 'left') worked[end]++;
      if (end === 'failed') failedHere.add(run.key);
    });
  } finally {
    await host.close();
  }
  // Removes files that another worker, killed meanwhile, left half written.
  await clearParts(folder.path);
  if (worked.made > 0) note(`${worked.made} ${worked.made === 1 ? 'run' : 'runs'} made.`);
  return worked.failed;
}

async function mayGoOn(folder: SweepFolder, key: string): Promise<boolean> {
  if (!folder.plan.spec.stop) return (await folder.load(key)) === null;
  return (await folder.state()).left.some((run) => run.key === key);
}

interface TrainingContext {
  folder: SweepFolder;
  store: RunStore;
  host: EmbeddedHost;
  /** Aborted once the sweep is cancelled: the run stops as on a signal, with a checkpoint. */
  cancel: AbortController;
  options: WorkOptions;
}

async function trainClaimed(
  run: OpenRun,
  claim: Claim,
  { folder, store, host, cancel, options: { signal, note } }: TrainingContext,
): Promise<'made' | 'paused' | 'failed' | 'left'> {
  const worker = thisWorker();
  const state = newExperimentState([run.spec]);
  const stepNow = () => state.runs[0]?.rows.length ?? 0;
  const pause = await pauseOf(run, folder, state);
  const kept = pause?.store(store) ?? store;
  try {
    note(`${run.id}  ${folder.nameOf(run.key)}`);
    await folder.log(run.id, `taken by ${worker}`);
    for await (const event of trainPlanned(run, kept, host)) {
      await yieldToEvents();
      foldEvent(state, event);
      const reached = pause?.reached(event);
      claim.at(stepNow());
      const line = lineOf(event, run);
      if (line) await folder.log(run.id, line);
      if (reached) {
        await folder.keepInterim(run.key, reached);
        await folder.log(run.id, `left by ${worker}: at step ${pause?.after}, where the stop rule looks`);
        return 'paused';
      }
      if (event.type !== 'step' && event.type !== 'checkpoint') continue;
      if (claim.isLost()) {
        await folder.log(run.id, `left by ${worker}: another worker has it`);
        return 'left';
      }
      if (await folder.isCancelled()) cancel.abort(new StoppedError());
    }
    await folder.log(run.id, `finished by ${worker}`);
    return 'made';
  } catch (error) {
    if (error instanceof StoppedError || signal.aborted) {
      const [attempt] = state.attempts.values();
      const at = stoppedAt(stepNow(), run.spec.steps, attempt?.resumesAfter ?? 0);
      await folder.log(run.id, `left by ${worker}: ${at}`);
      note(`${folder.nameOf(run.key)}: ${at}`);
      if (cancel.signal.aborted) return 'left';
      throw error instanceof StoppedError ? error : new StoppedError();
    }
    if (error instanceof DeviceError || error instanceof StorageError) throw error;
    const message = explain(error);
    await folder.fail(run.id, randomUUID().replaceAll('-', ''), { kind: 'error', worker, step: stepNow(), message });
    await folder.log(run.id, `failed on ${worker}: ${message}`);
    note(`Failed: ${folder.nameOf(run.key)}: ${error instanceof LabError ? message : message.split('\n')[0]}`);
    return 'failed';
  }
}

/** Step at which a run was stopped, and the checkpoint from which the next worker goes on. */
export const stoppedAt = (step: number, steps: number, keptStep: number): string =>
  `stopped ${step < steps ? `in step ${step + 1} of ${steps}` : 'in the final evaluation'}; checkpoint at step ${keptStep}`;

/** Pauses a run at the stop rule's step, with a checkpoint. Null for a run past it, and without a rule. */
async function pauseOf({ key }: OpenRun, folder: SweepFolder, state: ExperimentState) {
  const after = folder.plan.spec.stop?.after;
  if (after === undefined || (await folder.interim(key)) !== null) return null;
  const isThere = () => (state.runs[0]?.rows.length ?? 0) >= after;
  return {
    after,
    /** Makes a checkpoint due at that step. */
    store: (of: RunStore): RunStore => ({
      ...of,
      checkpoints: { ...of.checkpoints, isDue: (id) => isThere() || (of.checkpoints.isDue?.(id) ?? false) },
    }),
    /** The run, once it is at that step and its checkpoint is written. */
    reached(event: LabEvent): RunRecord | null {
      return (event.type === 'run-start' || event.type === 'checkpoint') && isThere() ? state.runs[0] : null;
    },
  };
}

function lineOf(event: LabEvent, { spec }: OpenRun): string | null {
  if (event.type === 'step') {
    const { row, timing } = event;
    const figures = headlinesOf(spec.environment).map(
      ({ id }) => `${id} ${row.student.figures[id]?.toFixed(3) ?? '–'}`,
    );
    return `step ${row.step}/${spec.steps}  reward ${row.reward?.toFixed(3) ?? '–'}  ${figures.join('  ')}  ${timing.total.toFixed(2)} s`;
  }
  if (event.type === 'checkpoint') return `checkpoint at step ${event.step}`;
  return null;
}
