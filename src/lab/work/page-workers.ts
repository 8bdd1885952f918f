// The lab's worker's side of the page's run workers, which are opened for an experiment if parallel training is faster (page-worker.ts is
// their own side).

import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import type { Grader } from '../../environments/code/types.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import type { ExperimentPorts } from '../../experiments/kinds/run/experiment.ts';
import { threadsOf, usefulWorkers } from '../../experiments/kinds/run/useful-workers.ts';
import { openWorkers, type Started, servedCache } from '../../experiments/kinds/run/worker.ts';
import type { SharedCache } from '../../experiments/parallel/shared-cache.ts';
import type { StartedWorker } from '../protocol/started-worker.ts';
import { WORKER_ERRORS } from '../protocol/wire-error.ts';
import { SERVED_STORES, type WorkerOpening } from './page-worker.ts';

/** Starts web workers for runs: the browser's own, or a test's. */
export interface WorkerHost {
  /** Cores of the machine. */
  cores: number;
  /** Memory for all workers together. */
  bytes: number;
  /** Rollouts from which on a run gets a worker; default as in worthWorkers. */
  rollouts?: number;
  start(): StartedWorker;
}

/** Number of workers for these runs. */
export function workersFor(host: WorkerHost | undefined, runs: readonly RunSpec[], deviceKind: string): number {
  if (!host || deviceKind !== 'cpu' || !runs.every(({ model }) => EMBEDDED_MODELS.includes(model))) return 1;
  return usefulWorkers(runs, host.cores, host.bytes, host.rollouts);
}

interface WorkerPorts extends Pick<ExperimentPorts, 'experimentId' | 'about'> {
  checkpoints: NonNullable<ExperimentPorts['checkpoints']>;
  steps: NonNullable<ExperimentPorts['steps']>;
  artifacts: NonNullable<ExperimentPorts['artifacts']>;
  parents: NonNullable<ExperimentPorts['parents']>;
  cache: SharedCache;
  grader: Grader;
  factored: WorkerOpening['factored'];
  device: WorkerOpening['device'];
  signal: AbortSignal;
}

/** Opened workers. If one fails, all are closed, and its error is thrown. */
export function openPageWorkers(
  count: number,
  host: WorkerHost,
  spec: ExperimentSpec,
  { experimentId, about, checkpoints, steps, artifacts, parents, cache, grader, factored, device, signal }: WorkerPorts,
): ReturnType<typeof openWorkers> {
  const { cores } = host;
  const graded: Pick<Grader, 'grade' | 'run'> = {
    grade: (items) => grader.grade(items, signal),
    ...(grader.run && { run: (programs) => grader.run!(programs, signal) }),
  };
  const stores = { checkpoints, steps, artifacts, parents, grader: graded };
  const served = Object.fromEntries(
    Object.entries(stores).map(([name, on]) => [name, { on, methods: SERVED_STORES[name as keyof typeof stores] }]),
  );
  const opening: WorkerOpening = {
    experimentId,
    spec,
    about,
    graderVersion: grader.version,
    runsPrograms: grader.run !== undefined,
    threads: threadsOf(cores, count),
    factored,
    device,
    mostThreads: cores,
  };
  const started = Array.from({ length: count }, () => startedHere(host.start()));
  const all = { ...served, ...servedCache(cache) };
  return openWorkers(started, { opening, errors: WORKER_ERRORS, served: all, signal, cores });
}

const startedHere = ({ port, onDied, terminate }: StartedWorker): Started => ({
  port,
  onEnd: (ended) =>
    onDied((reason) =>
      ended(
        new DeviceError(
          `A worker that trained a run has ended: ${reason}.`,
          'Resume: it goes on from its last checkpoint.',
        ),
      ),
    ),
  close: terminate,
});
