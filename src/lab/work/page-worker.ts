// A run worker of the page (experiments/kinds/run/worker.ts): a web worker with its own device and model. Stores and the grader belong to
// the lab's worker and are called over the port.

import { DeviceError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { Factors } from '../../engine/adapters/svd.ts';
import type { Grader } from '../../environments/code/types.ts';
import { type ExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { RunAbout } from '../../experiments/kinds/run/experiment.ts';
import type { KeptParents } from '../../experiments/kinds/run/fork.ts';
import { type Owner, serveRuns } from '../../experiments/kinds/run/worker.ts';
import type { ArtifactStore } from '../../experiments/records/artifacts.ts';
import { alsoByTime, type CheckpointStore } from '../../experiments/records/checkpoint.ts';
import type { StepStore } from '../../experiments/records/steps.ts';
import type { ThreadHost } from '../../kernels/cpu/threads/team.ts';
import type { RpcPort } from '../../lib/rpc.ts';
import type { FileSource } from '../../storage/sources.ts';
import { Equipment, writingAs } from '../equipment/equipment.ts';
import { WORKER_ERRORS } from '../protocol/wire-error.ts';

/** First message to a run worker. */
export interface WorkerOpening {
  experimentId: string;
  spec: ExperimentSpec;
  about: RunAbout;
  graderVersion: string;
  /** Whether the lab's worker can also run programs, besides grading answers. */
  runsPrograms: boolean;
  /** Device of the lab's worker, so that results are equal to the last bit. */
  device: 'cpu' | 'cpu-fused';
  threads: number;
  /** Singular vectors of the model by module, from the lab's worker; null if its adapter needs none. */
  factored: ReadonlyMap<string, Factors> | null;
  /** Most threads that it may use later, when other workers have finished. */
  mostThreads: number;
}

/** Parts of a worker's own context: an embedded model's files, and threads. */
interface WorkerPlace {
  files(modelId: string): FileSource;
  threads(count: number, atFirst: number): ThreadHost | undefined;
}

/** Methods that the lab's worker serves to its run workers. */
export const SERVED_STORES = {
  checkpoints: ['load', 'save'] satisfies (keyof CheckpointStore)[],
  steps: ['append', 'truncate', 'load'] satisfies (keyof StepStore)[],
  artifacts: [
    'loadPool',
    'savePool',
    'loadTeacherPool',
    'loadProblems',
    'loadBasis',
    'loadPairs',
    'saveBasis',
  ] satisfies (keyof ArtifactStore)[],
  parents: ['run', 'state'] satisfies (keyof KeptParents)[],
  grader: ['grade', 'run'] satisfies (keyof Grader)[],
} as const;

export function servePageWorker(port: RpcPort, place: WorkerPlace): void {
  serveRuns(port, WORKER_ERRORS, (opening: WorkerOpening, owner) => open(opening, owner, place));
}

async function open(opening: WorkerOpening, owner: Owner, place: WorkerPlace) {
  const { experimentId, spec, about, graderVersion, runsPrograms, device, threads, factored, mostThreads } = opening;
  const { signal, remote, waited } = owner;
  const [first] = resolveRuns(spec);
  const owned = remote<Pick<Required<Grader>, 'grade' | 'run'>>('grader', SERVED_STORES.grader);
  const grader: Grader = {
    version: graderVersion,
    // A signal cannot cross the port; the lab's worker has its own.
    grade: (items, signal) => (signal?.aborted ? Promise.reject(new StoppedError()) : owned.grade(items)),
    ...(runsPrograms && {
      run: (programs, signal) => (signal?.aborted ? Promise.reject(new StoppedError()) : owned.run(programs)),
    }),
    close: async () => {},
  };
  const equipment = new Equipment({
    modelId: about.modelId,
    files: place.files(about.modelId),
    gpu: async () => null,
    threads: place.threads(mostThreads, threads),
    grader,
    factored: factored ?? undefined,
    onProgress: () => {},
  });
  const { policy, chosen, codec, model } = await writingAs(await equipment.open(device, signal, first), first);
  if (model.sha256 !== about.modelSha256)
    throw new DeviceError(
      `The files of ${about.modelId} have changed: their sha-256 is ${model.sha256}, not ${about.modelSha256}.`,
      'Reload the page.',
    );
  const now = () => performance.now() - waited();
  const ports = {
    experimentId,
    policy,
    device: chosen.device,
    codec,
    grader,
    about,
    checkpoints: alsoByTime(remote<CheckpointStore>('checkpoints', SERVED_STORES.checkpoints), now),
    steps: remote<StepStore>('steps', SERVED_STORES.steps),
    artifacts: remote<ArtifactStore>('artifacts', SERVED_STORES.artifacts),
    parents: remote<KeptParents>('parents', SERVED_STORES.parents),
    date: () => Date.now(),
    now,
  };
  return { spec, ports, limitThreads: (count: number) => equipment.current?.chosen.device.limitThreads?.(count) };
}
