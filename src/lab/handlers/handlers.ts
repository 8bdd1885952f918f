// What the worker does with each request: a table from kind to function, so that a kind without an answer does not compile.

import { DeviceError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { deployed } from '../../algorithms/optimizer.ts';
import { layoutOf } from '../../engine/adapter-layout.ts';
import type { AdapterSettings } from '../../engine/types.ts';
import { writeCheckpointFile } from '../../storage/checkpoint-file.ts';
import { tokenPieces } from '../../text/pieces.ts';
import { type Equipped, isEquipped, type Opened } from '../equipment/equipment.ts';
import { createRepositories } from '../kinds/repositories.ts';
import type { ModelSources } from '../models/places.ts';
import { Playground } from '../playground/playground.ts';
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
import type { RelayRequests } from '../protocol/relay.ts';
import type { ReadyReport, StorageReport } from '../protocol/reports.ts';
import type { ServerRequests } from '../protocol/servers.ts';
import type { BasisTarget } from '../records/records.ts';
import { ModelGate } from '../work/model-gate.ts';
import type { LabParts } from '../work/parts.ts';
import { createBasisHandlers } from './bases.ts';
import { createCharacterHandlers } from './characters.ts';
import { createBufferHandlers } from './exit.ts';
import { createKeptHandlers } from './kept.ts';
import { createPoolHandlers } from './pools.ts';
import { createProbeHandlers } from './probe.ts';
import { createProblemHandlers } from './problems.ts';
import { createStepReplayHandlers } from './step-replay.ts';

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
  keepModel: true,
  stopModel: true,
  useModel: true,
  deleteModel: true,
  factorUsage: true,
  clearFactors: true,
};

const ONNX_REQUESTS: Readonly<Record<keyof OnnxRequests, true>> = {
  openOnnx: true,
  askOnnx: true,
  stopOnnx: true,
  closeOnnx: true,
};

const SERVER_REQUESTS: Readonly<Record<keyof ServerRequests, true>> = {
  askServer: true,
  fetchRow: true,
  stopServer: true,
};

const RELAY_REQUESTS: Readonly<Record<keyof RelayRequests, true>> = { workFor: true, stopWork: true };

/** Answers a request or throws the LabError that refuses it. */
export function createHandlers(
  ports: HandlerPorts,
): (message: ToWorker, port?: MessagePort) => Promise<ResultOf<RequestKind>> {
  let opening: Promise<{ parts: LabParts; ready: ReadyReport }> | null = null;
  const lab = async (): Promise<LabParts> => {
    if (!opening) throw new DeviceError('The lab is not open yet.', 'Wait until the page says that it is ready.');
    return (await opening).parts;
  };
  /** For writing and for facts. */
  const opened = async (): Promise<Opened> => {
    const { equipment } = await lab();
    return equipment.current ?? equipment.ready('auto');
  };
  /** For what needs adapter parameters: with the adapter that is loaded, or with this one. */
  const equipped = async (adapter?: AdapterSettings, signal?: AbortSignal): Promise<Equipped> => {
    const { equipment } = await lab();
    const { current } = equipment;
    if (current && isEquipped(current) && !adapter) return current;
    return equipment.open(current?.chosen.report.choice ?? 'auto', signal, adapter);
  };
  const target = async (): Promise<BasisTarget> => {
    const { policy, model } = await opened();
    return { layout: policy.adapterLayout, modelSha256: model.sha256 };
  };
  const gate = new ModelGate(lab);
  const playground = new Playground({ lab, gate, opened, equipped, emit: (event) => ports.emit?.(event) });
  const alone = <T>(work: () => Promise<T>): Promise<T> => gate.first(work);
  const probing = new Set<string>();
  const repositories = createRepositories({ lab, target, isProbing: (id) => probing.has(id) });
  const bytesOf = async (file: Blob) => new Uint8Array(await file.arrayBuffer());

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
      return alone(async () => (await equipment.ready(device)).chosen.report);
    },
    start: ({ id, spec }) => alone(async () => ({ position: await (await lab()).session.start(id, spec) })),
    resume: ({ id, runId }) => alone(async () => ({ position: await (await lab()).session.resume(id, runId) })),
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
    async exportCheckpoint({ runId }) {
      const checkpoint = await (await lab()).records.checkpoints.load(runId);
      if (!checkpoint) return null;
      const { layout: present, modelSha256 } = await target();
      const { optimizer, step, spec } = checkpoint;
      // The run's adapter need not be the one that is loaded now.
      const layout = layoutOf(present, spec);
      const adapterParams = { deltaS: deployed(optimizer), deltaSHack: optimizer.hack };
      return new Blob([writeCheckpointFile(layout, adapterParams, { step: String(step), model_sha256: modelSha256 })]);
    },
    async validateBasis({ file, name }) {
      const { records } = await lab();
      return records.bases.check(await bytesOf(file), name, await target());
    },
    async saveBasis({ file, name }) {
      const { records } = await lab();
      return records.bases.saveFile(await bytesOf(file), name, await target());
    },
    listBases: async () => (await lab()).records.bases.list(),
    async loadBasis({ id }) {
      const bytes = await (await lab()).records.bases.bytes(id);
      return bytes && new Blob([bytes]);
    },
    async deleteBasis({ id }) {
      await (await lab()).records.bases.delete(id);
      return null;
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
      return alone(async () => measureMatmul((await opened()).chosen.device, () => performance.now()));
    },
    async compareDevices() {
      const { session, equipment } = await lab();
      if (session.isBusy) return null;
      const { compareDevices } = await measuring();
      return alone(async () => {
        const { device } = (await opened()).chosen;
        return compareDevices(device, equipment.gpu, equipment.makers, () => performance.now());
      });
    },
    playRuns: () => playground.runs(),
    playProblems: ({ mode }) => playground.problems(mode),
    play: (request) => playground.play(request),
    stopPlay: async ({ id }) => ({ stopped: gate.stop(id) }),
    ...createBasisHandlers({ lab, opened, equipped, gate, emit: (event) => ports.emit?.(event) }),
    ...createBufferHandlers({ lab }),
    ...createCharacterHandlers({ lab, equipped, gate }),
    ...createKeptHandlers({ lab, repositories, emit: (event) => ports.emit?.(event) }),
    ...lazily(MODEL_REQUESTS, async () => {
      const { createModelHandlers } = await import('./models.ts');
      const models = typeof ports.models === 'function' ? await ports.models() : ports.models;
      return createModelHandlers({ lab, alone, models, emit: (event) => ports.emit?.(event) });
    }),
    ...lazily(ONNX_REQUESTS, async () => (await import('./onnx.ts')).createOnnxHandlers()),
    ...lazily(SERVER_REQUESTS, async () => {
      const { createServerHandlers } = await import('./servers.ts');
      return createServerHandlers({ origin: globalThis.location?.origin ?? '', now: () => performance.now() });
    }),
    ...lazily(RELAY_REQUESTS, async () => {
      const { createRelayHandlers } = await import('./relay.ts');
      return createRelayHandlers({ lab, alone, emit: (event) => ports.emit?.(event) });
    }),
    ...createPoolHandlers({ lab, opened, gate, emit: (event) => ports.emit?.(event) }),
    ...createProbeHandlers({ lab, opened, gate, atWork: probing, emit: (event) => ports.emit?.(event) }),
    ...createProblemHandlers({ lab, emit: (event) => ports.emit?.(event), now: () => performance.now() }),
    ...createStepReplayHandlers({ lab, equipped, gate, emit: (event) => ports.emit?.(event) }),
    gradeAnswer: ({ mode, problemId, completion }) => playground.grade(mode, problemId, completion),
  };
  return (message, port) => {
    // The table ties kind and parameters together; the compiler cannot follow that through a variable kind.
    const handler = handlers[message.kind] as (params: unknown, port?: MessagePort) => Promise<ResultOf<RequestKind>>;
    return handler(message.params, port);
  };
}

// A part of the table of handlers that arrives with the first of its requests: a first visit does not pay for it.

// biome-ignore lint/suspicious/noExplicitAny: each handler has parameters of its own.
type Handler = (params: any) => Promise<unknown>;

/** `names`: all of them, which the compiler sees to. Loaded once; a load that failed is tried again by the next request. */
export function lazily<H extends Readonly<Record<keyof H, Handler>>>(
  names: Readonly<Record<keyof H, true>>,
  load: () => Promise<H>,
): H {
  let loading: Promise<H> | null = null;
  const loaded = () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  const entries = (Object.keys(names) as (keyof H)[]).map((name) => [
    name,
    async (params: unknown) => (await loaded())[name](params),
  ]);
  return Object.fromEntries(entries) as H;
}
