// The worker's entry: opens stores, grader, model and device, and answers the page (handlers.ts). All of the lab's work happens here, so
// that the page stays responsive, and work continues when the tab is hidden (no timers, no animation frames).

import { DeviceError, LabError } from '@projected-grpo-lab/base/errors.ts';
import { createPortGrader } from '../environments/code/grading/pool-grader.ts';
import { fusedProblem } from '../kernels/cpu/simd.ts';
import { browserThreads } from '../kernels/cpu/threads/browser-threads.ts';
import { openRpc, workerScope } from '../lib/rpc.ts';
import { turn } from '../lib/turn.ts';
import { opfsBlobStore } from '../storage/blob-opfs.ts';
import { memoryStores, openStores, type Stores } from '../storage/kv.ts';
import { fetchSource, OWN_MODEL_FILES, OWN_TEACHER_FILES, onlyOf } from '../storage/sources.ts';
import type { PageCalls } from './client.ts';
import { Equipment } from './equipment/equipment.ts';
import type { OnProgress } from './equipment/loaded.ts';
import { Python } from './equipment/python.ts';
import { RealProblems } from './equipment/real-problems.ts';
import { createHandlers, type Opening } from './handlers/handlers.ts';
import type { WorkerEvent } from './protocol/protocol.ts';
import type { ReadyReport, StorageReport } from './protocol/reports.ts';
import { startedWorker } from './protocol/started-worker.ts';
import { WORKER_ERRORS } from './protocol/wire-error.ts';
import { Records } from './records/records.ts';
import type { WorkerHost } from './work/page-workers.ts';
import type { LabParts } from './work/parts.ts';
import type { Locks } from './work/ports.ts';
import { LabSession } from './work/session.ts';

const emit = (event: WorkerEvent) => page.tell('event', event);
const date = () => Date.now();
/** Singular vectors of third-party models. */
const factors = opfsBlobStore({ folder: 'factors' });

async function open(
  { device, modelUrl, appVersion }: Opening,
  port: MessagePort | undefined,
): Promise<{ parts: LabParts; ready: ReadyReport }> {
  if (!port) throw new DeviceError('The grader’s frame gave no port.', 'Reload the page.');
  const loading: OnProgress = (what, done, total, etaSeconds) =>
    emit({ type: 'loading', what, done, total, etaSeconds });
  const grader = createPortGrader(port);
  const records = new Records(await storesOrMemory(), date, (message) => emit({ type: 'warning', message }));
  const equipment = new Equipment({
    modelId: new URL(modelUrl).pathname.split('/').at(-2) ?? 'model',
    files: onlyOf(fetchSource(modelUrl, loading), OWN_MODEL_FILES),
    gpu: async () => navigator.gpu ?? null,
    threads: browserThreads(),
    grader,
    onProgress: loading,
    breathe: turn,
    factors,
  });
  const { chosen, model } = await equipment.begin(device);
  const now = () => performance.now();
  const real = new RealProblems(records.problems, new Python(() => emit({ type: 'python-wanted' })));
  const embedded = (id: string) => onlyOf(fetchSource(new URL(`../${id}/`, modelUrl).href), OWN_MODEL_FILES);
  const workers = pageWorkers(new URL('..', modelUrl).href);
  const watchers = new Set<(event: WorkerEvent) => void>();
  const emitToAll = (event: WorkerEvent) => {
    emit(event);
    for (const see of watchers) see(event);
  };
  const ports = {
    records,
    equipment,
    locks: webLocks,
    appVersion,
    emit: emitToAll,
    date,
    now,
    real,
    embedded,
    workers,
  };
  const session = new LabSession(ports);
  await session.recover();
  await navigator.storage?.persist?.().catch(() => false);
  const fused = await fusedProblem();
  const ready = {
    device: chosen.report,
    fusedProblem: fused,
    model,
    graderVersion: grader.version,
    appVersion,
    storage: await storage(),
  };
  const teacher = onlyOf(fetchSource(new URL('../tiny-hacker/', modelUrl).href), OWN_TEACHER_FILES);
  return { parts: { records, equipment, session, watchers, teacher, real, embedded }, ready };
}

/** `models`: address of the lab's own models. */
function pageWorkers(models: string): WorkerHost {
  // The browser reports GiB, coarsely, or nothing.
  const { deviceMemory = 4 } = navigator as { deviceMemory?: number };
  return {
    cores: navigator.hardwareConcurrency,
    bytes: (deviceMemory * 2 ** 30) / 2,
    start() {
      const worker = new Worker(new URL('./run-worker.ts', import.meta.url), { type: 'module', name: 'run' });
      worker.postMessage(models);
      return startedWorker(worker);
    },
  };
}

async function storesOrMemory(): Promise<Stores> {
  try {
    return await openStores();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = error instanceof LabError ? ` ${error.remedy}` : '';
    emit({ type: 'warning', message: `${reason}${remedy} Runs are kept only until this tab is closed.` });
    return memoryStores();
  }
}

async function storage(): Promise<StorageReport> {
  const estimate = await navigator.storage?.estimate?.().catch(() => null);
  const persisted = (await navigator.storage?.persisted?.().catch(() => false)) ?? false;
  return { persisted, usedBytes: estimate?.usage ?? null, quotaBytes: estimate?.quota ?? null };
}

const LOCK_PREFIX = 'projected-grpo-lab/experiment/';
const webLocks: Locks = {
  hold: (id) =>
    new Promise((resolve, reject) => {
      if (!navigator.locks) return resolve(() => {});
      navigator.locks
        .request(LOCK_PREFIX + id, { ifAvailable: true }, (lock) => {
          if (!lock) return resolve(null);
          // The lock is held until this promise resolves.
          return new Promise<void>((release) => resolve(release));
        })
        .catch(reject);
    }),
  async freed(id) {
    await navigator.locks?.request(LOCK_PREFIX + id, () => {});
  },
  async held() {
    const { held = [] } = (await navigator.locks?.query()) ?? {};
    return new Set(held.flatMap(({ name }) => (name?.startsWith(LOCK_PREFIX) ? [name.slice(LOCK_PREFIX.length)] : [])));
  },
};

const models = async () => ({ store: (await import('../storage/models/opfs.ts')).createOpfsModelStore(), factors });
const page = openRpc<PageCalls>(workerScope(), createHandlers({ open, storage, emit, models }), WORKER_ERRORS);
