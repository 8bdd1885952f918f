// The worker's handlers: a table of functions. The requests of the page, their parameters and results are the types of these functions
// (LabCalls).

import { DeviceError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describeAdapter } from '../../engine/adapter-layout.ts';
import type { DeviceChoice, ExperimentSpec } from '../../experiments/config/spec.ts';
import type { KindId } from '../../experiments/records/kind.ts';
import { isEquipped, type Opened, targetOf } from '../equipment/equipment.ts';
import { createRepositories } from '../kinds/repositories.ts';
import type { ModelSources } from '../models/places.ts';
import type { createPlayHandlers } from '../playground/playground.ts';
import type { Pace, WorkerEvent } from '../protocol/protocol.ts';
import type { ReadyReport, StorageReport } from '../protocol/reports.ts';
import { ModelGate } from '../work/model-gate.ts';
import type { HandlerParts, LabParts } from '../work/parts.ts';
import { Stoppables } from '../work/stoppables.ts';
import { createBasisHandlers } from './bases.ts';
import { createImportHandlers, createKeptHandlers } from './kept.ts';
import type { createModelHandlers } from './models.ts';
import type { createOnnxHandlers } from './onnx.ts';
import { createPoolHandlers } from './pools.ts';
import type { createProbeHandlers } from './probe.ts';
import type { createProblemHandlers } from './problems.ts';
import type { createRolloutHandlers } from './rollouts.ts';
import type { createRunHandlers } from './runs.ts';
import type { createServerHandlers } from './servers.ts';
import type { createTableHandlers } from './tables.ts';
import type { createTrialHandlers } from './trials.ts';

/** `modelUrl` is absolute and ends in a slash. */
export interface Opening {
  device: DeviceChoice;
  modelUrl: string;
  appVersion: string;
}

interface HandlerPorts {
  /** Opens everything; called once, with the port of the grader's frame. */
  open(params: Opening, port: MessagePort | undefined): Promise<{ parts: LabParts; ready: ReadyReport }>;
  storage(): Promise<StorageReport>;
  /** Sources and store of third-party models; without it only dropped files can be used. */
  models?: ModelSources | (() => Promise<ModelSources>);
  /** Receives events that belong to no experiment. */
  emit?(event: WorkerEvent): void;
}

/** Code that measures a device, loaded on demand. */
const loadDiagnostics = () => import('../equipment/diagnostics.ts');

type ModelCalls = ReturnType<typeof createModelHandlers>;
type OnnxCalls = ReturnType<typeof createOnnxHandlers>;
type PlayCalls = ReturnType<typeof createPlayHandlers>;
type ProbeCalls = ReturnType<typeof createProbeHandlers>;
type ProblemCalls = ReturnType<typeof createProblemHandlers>;
type RolloutCalls = ReturnType<typeof createRolloutHandlers>;
type RunCalls = ReturnType<typeof createRunHandlers>;
type ServerCalls = ReturnType<typeof createServerHandlers>;
type TableCalls = ReturnType<typeof createTableHandlers>;
type TrialCalls = ReturnType<typeof createTrialHandlers>;

/** Requests about third-party models, loaded on demand since most visits never need them. */
const MODEL_REQUESTS: Readonly<Record<keyof ModelCalls, true>> = {
  listModels: true,
  nameModel: true,
  inspectModel: true,
  examineModel: true,
  keepModel: true,
  useModel: true,
  adaptModel: true,
  deleteModel: true,
  factorUsage: true,
  clearFactors: true,
};

const ONNX_REQUESTS: Readonly<Record<keyof OnnxCalls, true>> = { openOnnx: true, askOnnx: true, closeOnnx: true };

const PLAY_REQUESTS: Readonly<Record<keyof PlayCalls, true>> = {
  playRuns: true,
  playProblems: true,
  play: true,
  gradeAnswer: true,
};

const PROBE_REQUESTS: Readonly<Record<keyof ProbeCalls, true>> = { runProbe: true, trainProbe: true, probePace: true };

const PROBLEM_REQUESTS: Readonly<Record<keyof ProblemCalls, true>> = {
  listProblems: true,
  importProblems: true,
  exportProblems: true,
  deleteProblems: true,
  checkProblems: true,
};

const ROLLOUT_REQUESTS: Readonly<Record<keyof RolloutCalls, true>> = {
  rollouts: true,
  rolloutHeads: true,
  tokenPieces: true,
  measureTokens: true,
  exportLog: true,
  openLog: true,
  closeLog: true,
  labels: true,
  setLabel: true,
  exportLabels: true,
  pairsOfLabels: true,
};

const RUN_REQUESTS: Readonly<Record<keyof RunCalls, true>> = {
  exitBuffer: true,
  characterMap: true,
  replaySteps: true,
};

const SERVER_REQUESTS: Readonly<Record<keyof ServerCalls, true>> = { askServer: true, fetchRow: true };

const TABLE_REQUESTS: Readonly<Record<keyof TableCalls, true>> = {
  readTable: true,
  previewTable: true,
  convertTable: true,
};

const TRIAL_REQUESTS: Readonly<Record<keyof TrialCalls, true>> = {
  tryBasis: true,
  evaluateTrial: true,
  trialPairs: true,
};

/** Delay after an estimate before the run's data are prepared, if the form has not changed; the page's first load is then over. */
const PREPARE_AFTER_MS = 2000;

/** Each handler answers a request or throws the LabError that refuses it. */
export function createHandlers(ports: HandlerPorts) {
  let opening: Promise<{ parts: LabParts; ready: ReadyReport }> | null = null;
  const lab = async (): Promise<LabParts> => {
    if (!opening) throw new DeviceError('The lab is not open yet.', 'Wait until the page says that it is ready.');
    return (await opening).parts;
  };
  const opened = async (): Promise<Opened> => {
    const { equipment } = await lab();
    return equipment.current ?? equipment.ready('auto');
  };
  const parts: HandlerParts = {
    lab,
    opened,
    async equipped(adapter, signal) {
      const { equipment, session } = await lab();
      const { current } = equipment;
      if (current && isEquipped(current) && !adapter) return current;
      // Another adapter would take the model from the running experiment.
      if (
        session.isBusy &&
        current?.adapter &&
        adapter &&
        describeAdapter(current.adapter) !== describeAdapter(adapter)
      )
        throw new SpecError(
          `The experiment trains ${describeAdapter(current.adapter)}, this run ${describeAdapter(adapter)}.`,
          'Ask again when the experiment has ended.',
        );
      return equipment.open(current?.chosen.report.choice ?? 'auto', signal, adapter);
    },
    target: async () => targetOf(await opened()),
    gate: new ModelGate(lab),
    tasks: new Stoppables(),
    emit: (event) => ports.emit?.(event),
  };
  const { gate, tasks, target } = parts;
  const probing = new Set<string>();
  const arriving = new Set<Promise<unknown>>();
  const repositories = createRepositories({ lab, target, isProbing: (id) => probing.has(id) });

  return {
    /** Called once, before all others. `port` leads to the grader's frame. */
    async init(params: Opening, port?: MessagePort) {
      if (opening) throw new SpecError('The lab is open already.', 'Reload the page to open it anew.');
      opening = ports.open(params, port);
      try {
        return (await opening).ready;
      } catch (error) {
        opening = null;
        throw error;
      }
    },
    /** Makes this device ready and returns its report; a starting experiment uses its own `spec.device`. Refused while one runs. */
    async setDevice({ device }: { device: DeviceChoice }) {
      const { equipment, session } = await lab();
      if (session.isBusy)
        throw new SpecError('The device cannot be changed while an experiment runs.', 'Stop it, or wait for its end.');
      await session.quiet();
      return gate.first(async () => (await equipment.ready(device)).chosen.report);
    },
    /** Queues an experiment under a fresh id; it is stored from its first step on. Returns its position (0 = runs now).
     *  `spec.overrides.basisFile` names a stored basis by its BasisReport.id. */
    start: ({ id, spec }: { id: string; spec: ExperimentSpec }) =>
      gate.first(async () => ({ position: await (await lab()).session.start(id, spec) })),
    /** Resumes a stopped, failed or interrupted experiment from its checkpoints; with `runId`, that run alone. */
    resume: ({ id, runId }: { id: string; runId?: string }) =>
      gate.first(async () => ({ position: await (await lab()).session.resume(id, runId) })),
    /** Memory and time, from the model's shape and a short measurement; trains nothing. */
    async estimate({ spec }: { spec: ExperimentSpec }) {
      const { session } = await lab();
      const estimate = await session.estimate(spec, (measure) => gate.measurement(measure));
      // If the preparation fails, the run repeats it and reports why.
      void session
        .prepareAhead(spec, async (make) => {
          await new Promise((resolve) => setTimeout(resolve, PREPARE_AFTER_MS));
          await gate.measurement(make);
        })
        .catch(() => undefined);
      return estimate;
    },
    /** Returns whether the experiment is running; if not, the pace is stored for its start. */
    pace: async ({ id, pace }: { id: string; pace: Pace }) => ({ accepted: (await lab()).session.pace(id, pace) }),
    /** Stops after the current kernel; the last checkpoint stays. */
    stop: async ({ id }: { id: string }) => ({ stopped: await (await lab()).session.stop(id) }),
    storage: () => ports.storage(),
    /** Reports the WebGPU adapter's features and limits, and each attempt to find it. */
    async diagnose() {
      const { equipment } = await lab();
      const { diagnose } = await loadDiagnostics();
      return diagnose((await opened()).chosen.device, equipment.gpu);
    },
    /** Speed of matrix products on the open device; refused while an experiment runs. */
    async measureMatmul() {
      if ((await lab()).session.isBusy)
        throw new SpecError('The device is training: a measurement now would be wrong.', 'Measure when it has ended.');
      const { measureMatmul } = await loadDiagnostics();
      return gate.first(async () => measureMatmul((await opened()).chosen.device, () => performance.now()));
    },
    /** Compares the speed of a software adapter with the CPU's. Null without such an adapter, and while an experiment runs. Yields to every
     *  other use of the model. */
    async compareDevices() {
      const { equipment } = await lab();
      const { compareDevices } = await loadDiagnostics();
      return gate.measurement(async (signal) => {
        const { device } = (await opened()).chosen;
        return compareDevices(device, equipment.gpu, equipment.makers, () => performance.now(), signal);
      });
    },
    /** Stops the task that the page started under this name. Returns whether there was one. */
    async stopTask({ task }: { task: string }) {
      if (gate.stop(task) || tasks.stop(task)) return { stopped: true };
      // The task may belong to a part that is still loading.
      await Promise.allSettled(arriving);
      return { stopped: tasks.stop(task) };
    },
    ...createBasisHandlers(parts),
    ...createKeptHandlers<KindId>(repositories),
    ...createImportHandlers(parts, repositories),
    ...lazily(MODEL_REQUESTS, arriving, async () => {
      const { createModelHandlers } = await import('./models.ts');
      return createModelHandlers(parts, typeof ports.models === 'function' ? await ports.models() : ports.models);
    }),
    ...lazily(ONNX_REQUESTS, arriving, async () => (await import('./onnx.ts')).createOnnxHandlers(parts)),
    ...lazily(PLAY_REQUESTS, arriving, async () =>
      (await import('../playground/playground.ts')).createPlayHandlers(parts),
    ),
    ...createPoolHandlers(parts),
    ...lazily(PROBE_REQUESTS, arriving, async () => (await import('./probe.ts')).createProbeHandlers(parts, probing)),
    ...lazily(PROBLEM_REQUESTS, arriving, async () => (await import('./problems.ts')).createProblemHandlers(parts)),
    /** The page's answer to a `python-wanted` event: the port of CPython's frame, or why there is none. */
    async python({ failure }: { failure: string | null }, port?: MessagePort) {
      (await lab()).real?.python.give(port, failure);
      return null;
    },
    ...lazily(ROLLOUT_REQUESTS, arriving, async () => (await import('./rollouts.ts')).createRolloutHandlers(parts)),
    ...lazily(RUN_REQUESTS, arriving, async () => (await import('./runs.ts')).createRunHandlers(parts)),
    ...lazily(SERVER_REQUESTS, arriving, async () => (await import('./servers.ts')).createServerHandlers(parts)),
    ...lazily(TABLE_REQUESTS, arriving, async () => (await import('./tables.ts')).createTableHandlers(parts)),
    ...lazily(TRIAL_REQUESTS, arriving, async () => (await import('./trials.ts')).createTrialHandlers(parts)),
  };
}
export type LabCalls = ReturnType<typeof createHandlers>;

// biome-ignore lint/suspicious/noExplicitAny: each handler has parameters of its own.
type Handler = (params: any) => Promise<unknown>;

/**
 * Part of the table that is loaded with its first request, so that a first visit does not load it. A failed load is tried again by the next
 * request.
 * @param names names of all handlers of the part; the compiler checks that none is missing
 * @param arriving contains the load while it is pending
 */
export function lazily<H extends Readonly<Record<keyof H, Handler>>>(
  names: Readonly<Record<keyof H, true>>,
  arriving: Set<Promise<unknown>>,
  load: () => Promise<H>,
): H {
  let loading: Promise<H> | null = null;
  const loaded = () => {
    if (!loading) {
      const begun = load().catch((error: unknown) => {
        loading = null;
        throw error;
      });
      loading = begun;
      arriving.add(begun);
      const arrived = () => arriving.delete(begun);
      begun.then(arrived, arrived);
    }
    return loading;
  };
  const entries = (Object.keys(names) as (keyof H)[]).map((name) => [
    name,
    async (params: unknown) => (await loaded())[name](params),
  ]);
  return Object.fromEntries(entries) as H;
}
