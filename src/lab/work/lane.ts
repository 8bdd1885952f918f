// A lane of the page: a worker that trains runs of one experiment for the lab's worker, beside other lanes. It has a device and a
// model of its own; stores and the grader are the lab's worker's, called over the port. The lab's worker pulls events one by one, as
// it does from a run of its own, so that pauses, full stores and stops are what they are there: nothing of the next step is computed
// before everything of the last one is kept.
import type { Factors } from '../../engine/adapters/svd.ts';
import type { Grader } from '../../environments/code/types.ts';
import { helpWith, openShared, runOne, type Shared } from '../../experiments/kinds/run/experiment.ts';
import type { CommonWork, EvaluationJob } from '../../experiments/lanes/commons.ts';
import type { Measured } from '../../experiments/loop/evaluate.ts';
import type { ArtifactStore } from '../../experiments/records/artifacts.ts';
import type { CheckpointStore } from '../../experiments/records/checkpoint.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import type { StepStore } from '../../experiments/records/steps.ts';
import { type ExperimentSpec, resolveRuns } from '../../experiments/spec/spec.ts';
import type { ThreadHost } from '../../kernels/cpu/threads/team.ts';
import { DeviceError, SpecError, StoppedError } from '../../lib/errors.ts';
import { openRpc, type RpcPort } from '../../lib/rpc.ts';
import type { FileSource } from '../../storage/sources.ts';
import { Equipment } from '../equipment/equipment.ts';
import { fromWireError, toWireError } from '../protocol/wire-error.ts';

/** Errors as they cross to a lane and back. */
export const LANE_ERRORS = {
  write: toWireError,
  read: (written: unknown) => fromWireError(written as ReturnType<typeof toWireError>),
};

/** What a lane is opened with. */
export interface LaneOpening {
  experimentId: string;
  spec: ExperimentSpec;
  about: { modelId: string; modelSha256: string; appVersion: string };
  graderVersion: string;
  threads: number;
  /** Singular vectors of the model by module, of the lab's worker; null where its adapter has none. */
  factored: ReadonlyMap<string, Factors> | null;
  /** How many it may be told to use later, when other lanes have no more to do. */
  mostThreads: number;
}

/** Where an embedded model's files are, and threads: what a lane's own place gives it. */
export interface LanePlace {
  files(modelId: string): FileSource;
  threads(count: number, atFirst: number): ThreadHost | undefined;
}

/** One event, or the run's end. */
export type LaneNext = { event: LabEvent } | { done: true };

/** What the lab's worker answers. */
export const LANE_STORES = {
  checkpoints: ['load', 'save'],
  steps: ['append', 'truncate', 'load'],
  artifacts: ['loadPool', 'savePool', 'loadTeacherPool', 'loadProblems', 'loadBasis', 'loadPairs', 'saveBasis'],
  common: ['next', 'keep', 'offer'],
} as const;

export function serveLane(port: RpcPort, place: LanePlace): void {
  const stop = new AbortController();
  let equipment: Equipment | null = null;
  let shared: Shared | null = null;
  let start: ((runId: string) => AsyncGenerator<LabEvent>) | null = null;
  let help: ((job: EvaluationJob) => Promise<Measured>) | null = null;
  let stream: AsyncGenerator<LabEvent> | null = null;
  /** Milliseconds that the run has stood still, by the lab's worker's account. */
  let waited = 0;
  const remote = <Store extends object>(name: keyof typeof LANE_STORES): Store =>
    Object.fromEntries(
      LANE_STORES[name].map((method) => [method, (...args: unknown[]) => rpc.call(`${name}.${method}`, ...args)]),
    ) as Store;

  const rpc = openRpc(
    port,
    {
      async open({
        experimentId,
        spec,
        about,
        graderVersion,
        threads,
        factored,
        mostThreads,
      }: LaneOpening): Promise<void> {
        const [first] = resolveRuns(spec);
        const grader: Grader = {
          version: graderVersion,
          grade: (items, signal) => (signal?.aborted ? Promise.reject(new StoppedError()) : rpc.call('grade', items)),
          close: async () => {},
        };
        equipment = new Equipment({
          modelId: about.modelId,
          files: place.files(about.modelId),
          gpu: async () => null,
          threads: place.threads(mostThreads, threads),
          grader,
          factored: factored ?? undefined,
          onProgress: () => {},
        });
        const { policy, chosen, codec, model } = await equipment.open('cpu', stop.signal, first);
        if (model.sha256 !== about.modelSha256)
          throw new DeviceError(
            `The files of ${about.modelId} are others now: their sha-256 is ${model.sha256}, not ${about.modelSha256}.`,
            'Reload the page.',
          );
        const ports = {
          experimentId,
          policy,
          device: chosen.device,
          codec,
          grader,
          about,
          checkpoints: remote<CheckpointStore>('checkpoints'),
          steps: remote<StepStore>('steps'),
          artifacts: remote<ArtifactStore>('artifacts'),
          common: remote<CommonWork>('common'),
          date: () => Date.now(),
          now: () => performance.now() - waited,
          signal: stop.signal,
        };
        const own = openShared(spec, ports);
        shared = own;
        start = (runId) => {
          const run = own.runs.find(({ id }) => id === runId);
          if (!run) throw new SpecError(`The experiment has no run ${runId}.`, 'Reload the page.');
          return runOne(run.spec, ports, own);
        };
        help = (job) => helpWith(job, ports, own);
      },
      begin(runId: string): void {
        if (!start || !shared) throw new SpecError('The lane is not open.', 'Reload the page.');
        stream = start(runId);
      },
      async next(stoodStill: number): Promise<LaneNext> {
        waited = stoodStill;
        const next = await stream!.next();
        return next.done ? { done: true } : { event: next.value };
      },
      async end(): Promise<void> {
        await stream?.return(undefined);
        stream = null;
      },
      help(job: EvaluationJob): Promise<Measured> {
        if (!help) throw new SpecError('The lane is not open.', 'Reload the page.');
        return help(job);
      },
      limitThreads: (count: number): void => equipment?.current?.chosen.device.limitThreads?.(count),
      stop: (): void => stop.abort(new StoppedError()),
      close: (): void => equipment?.close(),
    },
    LANE_ERRORS,
  );
}
