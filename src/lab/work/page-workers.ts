// The lab's worker's side of the page's run workers, which are opened for an experiment if parallel training is faster (page-worker.ts is
// their own side).

import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import type { Grader } from '../../environments/code/types.ts';
import { EMBEDDED_MODELS, type ExperimentSpec, type RunSpec } from '../../experiments/config/spec.ts';
import type { ExperimentPorts } from '../../experiments/kinds/run/experiment.ts';
import type { RunWorker } from '../../experiments/kinds/run/parallel.ts';
import { remoteWorker, servedCache } from '../../experiments/kinds/run/worker.ts';
import { worthWorkers } from '../../experiments/kinds/run/worth-workers.ts';
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
  /** Rollouts from which a run is worth a worker; by default as in worthWorkers. */
  rollouts?: number;
  start(): StartedWorker;
}

export type PageWorker = RunWorker & { close(): void };

/** Number of workers that these runs are worth. */
export function workersFor(host: WorkerHost | undefined, runs: readonly RunSpec[], deviceKind: string): number {
  if (!host || deviceKind !== 'cpu' || !runs.every(({ model }) => EMBEDDED_MODELS.includes(model))) return 1;
  return worthWorkers(runs, host.cores, host.bytes, host.rollouts);
}

interface WorkerPorts extends Pick<ExperimentPorts, 'experimentId' | 'about'> {
  checkpoints: NonNullable<ExperimentPorts['checkpoints']>;
  steps: NonNullable<ExperimentPorts['steps']>;
  artifacts: NonNullable<ExperimentPorts['artifacts']>;
  cache: SharedCache;
  grader: Grader;
  factored: WorkerOpening['factored'];
  device: WorkerOpening['device'];
  signal: AbortSignal;
}

/** If one worker fails to open, closes all and throws its error. */
export async function openWorkers(
  count: number,
  host: WorkerHost,
  spec: ExperimentSpec,
  ports: WorkerPorts,
): Promise<PageWorker[]> {
  const { experimentId, about, grader, factored, device } = ports;
  const threadsOf = (atWork: number) => Math.max(1, Math.floor(host.cores / atWork));
  const opening: WorkerOpening = {
    experimentId,
    spec,
    about,
    graderVersion: grader.version,
    runsPrograms: grader.run !== undefined,
    threads: threadsOf(count),
    factored,
    device,
    mostThreads: host.cores,
  };
  const workers = Array.from({ length: count }, () => started(host.start(), ports, threadsOf));
  try {
    await Promise.all(workers.map(({ open }) => open(opening)));
    return workers.map(({ worker }) => worker);
  } catch (error) {
    for (const { worker } of workers) worker.close();
    throw error;
  }
}

function started(
  { port, onDied, terminate }: StartedWorker,
  { checkpoints, steps, artifacts, cache, grader, signal }: WorkerPorts,
  threadsOf: (atWork: number) => number,
): { worker: PageWorker; open(opening: WorkerOpening): Promise<void> } {
  const graded: Pick<Grader, 'grade' | 'run'> = {
    grade: (items) => grader.grade(items, signal),
    ...(grader.run && { run: (programs) => grader.run!(programs, signal) }),
  };
  const stores = { checkpoints, steps, artifacts, grader: graded };
  const served = Object.fromEntries(
    Object.entries(stores).map(([name, on]) => [name, { on, methods: SERVED_STORES[name as keyof typeof stores] }]),
  );
  const owned = remoteWorker<WorkerOpening>(
    port,
    WORKER_ERRORS,
    { ...served, ...servedCache(cache) },
    { signal, threadsOf },
  );
  onDied((reason) =>
    owned.fail(
      new DeviceError(
        `A worker that trained a run has ended: ${reason}.`,
        'Resume: it goes on from its last checkpoint.',
      ),
    ),
  );
  const close = () => {
    owned.close();
    terminate();
  };
  return { open: owned.open, worker: { ...owned.worker, close } };
}
