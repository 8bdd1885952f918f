// What the worker does with each request: a table from kind to function, so that a kind without an answer does not compile.

import { DeviceError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { tokenPieces } from '../../text/pieces.ts';
import { isEquipped, type Opened, targetOf } from '../equipment/equipment.ts';
import { createRepositories } from '../kinds/repositories.ts';
import type { ModelSources } from '../models/places.ts';
import { createPlayHandlers } from '../playground/playground.ts';
import type { ModelRequests } from '../protocol/models.ts';
import type { OnnxRequests } from '../protocol/onnx.ts';
import type {
  HandlersOf,
  Params,
  RequestKind,
  Requests,
  ResultOf,
  ToWorker,
  WorkerEvent,
} from '../protocol/protocol.ts';
import type { ReadyReport, StorageReport } from '../protocol/reports.ts';
import type { ServerRequests } from '../protocol/servers.ts';
import { ModelGate } from '../work/model-gate.ts';
import type { HandlerParts, LabParts } from '../work/parts.ts';
import { Stoppables } from '../work/stoppables.ts';
import { createBasisHandlers } from './bases.ts';
import { createKeptHandlers } from './kept.ts';
import { createPoolHandlers } from './pools.ts';
import { createProbeHandlers } from './probe.ts';
import { createProblemHandlers } from './problems.ts';
import { createRunHandlers } from './runs.ts';

interface HandlerPorts {
  /** Opens everything; called once, with the port of the grader's frame. */
  open(params: Params<'init'>, port: MessagePort | undefined): Promise<{ parts: LabParts; ready: ReadyReport }>;
  storage(): Promise<StorageReport>;
  /** Where third-party models come from and are kept; without it there are dropped files alone. */
  models?: ModelSources | (() => Promise<ModelSources>);
  /** Where events that belong to no experiment go; without it nobody hears them. */
  emit?(event: WorkerEvent): void;
}

/** What measures a device arrives when somebody asks for it. */
const measuring = () => import('../equipment/diagnostics.ts');

/** All about third-party models, which most visits never ask for. */
const MODEL_REQUESTS: Readonly<Record<keyof ModelRequests, true>> = {
  listModels: true,
  inspectModel: true,
  examineModel: true,
  keepModel: true,
  useModel: true,
  deleteModel: true,
  factorUsage: true,
  clearFactors: true,
};

const ONNX_REQUESTS: Readonly<Record<keyof OnnxRequests, true>> = { openOnnx: true, askOnnx: true, closeOnnx: true };

const SERVER_REQUESTS: Readonly<Record<keyof ServerRequests, true>> = { askServer: true, fetchRow: true };

/** Answers a request or throws the LabError that refuses it. */
export function createHandlers(
  ports: HandlerPorts,
): (message: ToWorker, port?: MessagePort) => Promise<ResultOf<RequestKind>> {
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
      const { equipment } = await lab();
      const { current } = equipment;
      if (current && isEquipped(current) && !adapter) return current;
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

  const handlers: HandlersOf<Requests> = {
    async init(params, port) {
      if (opening) throw new SpecError('The lab is open already.', 'Reload the page to open it anew.');
      opening = ports.open(params, port);
      try {
        return (await opening).ready;
      } catch (error) {
        opening = null;
        throw error;
      }
    },
    async setDevice({ device }) {
      const { equipment, session } = await lab();
      if (session.isBusy)
        throw new SpecError('The device cannot be changed while an experiment runs.', 'Stop it, or wait for its end.');
      await session.quiet();
      return gate.first(async () => (await equipment.ready(device)).chosen.report);
    },
    start: ({ id, spec }) => gate.first(async () => ({ position: await (await lab()).session.start(id, spec) })),
    resume: ({ id, runId }) => gate.first(async () => ({ position: await (await lab()).session.resume(id, runId) })),
    estimate: async ({ spec }) => (await lab()).session.estimate(spec, (measure) => gate.after(measure)),
    pace: async ({ id, pace }) => ({ accepted: (await lab()).session.pace(id, pace) }),
    stop: async ({ id }) => ({ stopped: await (await lab()).session.stop(id) }),
    rollouts: async ({ runId, step }) => (await lab()).records.rollouts.at(runId, step),
    async rolloutHeads({ runId, from, to, text }) {
      return (await lab()).records.rollouts.heads(runId, from, to, text);
    },
    async tokenPieces({ texts, modelSha256 }) {
      const { codec, model } = await opened();
      return texts.map((text) => (model.sha256 === modelSha256 ? tokenPieces(codec, text) : null));
    },
    storage: () => ports.storage(),
    async diagnose() {
      const { equipment } = await lab();
      const { diagnose } = await measuring();
      return diagnose((await opened()).chosen.device, equipment.gpu);
    },
    async measureMatmul() {
      if ((await lab()).session.isBusy)
        throw new SpecError('The device is training: a measurement now would be wrong.', 'Measure when it has ended.');
      const { measureMatmul } = await measuring();
      return gate.first(async () => measureMatmul((await opened()).chosen.device, () => performance.now()));
    },
    async compareDevices() {
      const { session, equipment } = await lab();
      if (session.isBusy) return null;
      const { compareDevices } = await measuring();
      return gate.first(async () => {
        const { device } = (await opened()).chosen;
        return compareDevices(device, equipment.gpu, equipment.makers, () => performance.now());
      });
    },
    async stopTask({ task }) {
      if (gate.stop(task) || tasks.stop(task)) return { stopped: true };
      // It may have been asked of a part that is still on its way.
      await Promise.allSettled(arriving);
      return { stopped: tasks.stop(task) };
    },
    ...createBasisHandlers(parts),
    ...createKeptHandlers(parts, repositories),
    ...lazily(MODEL_REQUESTS, arriving, async () => {
      const { createModelHandlers } = await import('./models.ts');
      return createModelHandlers(parts, typeof ports.models === 'function' ? await ports.models() : ports.models);
    }),
    ...lazily(ONNX_REQUESTS, arriving, async () => (await import('./onnx.ts')).createOnnxHandlers(parts)),
    ...createPlayHandlers(parts),
    ...createPoolHandlers(parts),
    ...createProbeHandlers(parts, probing),
    ...createProblemHandlers(parts),
    ...createRunHandlers(parts),
    ...lazily(SERVER_REQUESTS, arriving, async () => (await import('./servers.ts')).createServerHandlers(parts)),
  };
  return (message, port) => {
    // The table ties kind and parameters together; the compiler cannot follow that through a variable kind.
    const handler = handlers[message.kind] as (params: unknown, port?: MessagePort) => Promise<ResultOf<RequestKind>>;
    return handler(message.params, port);
  };
}

// biome-ignore lint/suspicious/noExplicitAny: each handler has parameters of its own.
type Handler = (params: any) => Promise<unknown>;

/**
 * A part of the table that arrives with the first of its requests: a first visit does not pay for it. Loaded once; a load that failed is tried
 * again by the next request.
 *
 * @param names all of them, which the compiler sees to
 * @param arriving holds the load while it is under way
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
