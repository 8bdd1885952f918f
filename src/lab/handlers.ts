// What the worker does with each request: a table from kind to function, so that a kind without an answer does not compile.
import { deployed } from '../algorithms/optimizer.ts';
import { DeviceError, SpecError } from '../lib/errors.ts';
import { writeCheckpointFile } from '../storage/checkpoint-file.ts';
import type { Equipment, Equipped } from './equipment.ts';
import type { Answer, Params, ReadyReport, RequestKind, StorageReport, ToWorker } from './protocol.ts';
import { type BasisTarget, type Records, summaryOf } from './records.ts';
import type { LabSession } from './session.ts';

/** What `init` has opened. */
export interface LabParts {
  records: Records;
  equipment: Equipment;
  session: LabSession;
}

export interface HandlerPorts {
  /** Opens everything; called once, with the port of the grader's frame. */
  open(params: Params<'init'>, port: MessagePort | undefined): Promise<{ parts: LabParts; ready: ReadyReport }>;
  storage(): Promise<StorageReport>;
}

type Handlers = { [K in RequestKind]: (params: Params<K>, port: MessagePort | undefined) => Promise<Answer<K>> };

/** Answers a request or throws the LabError that refuses it. */
export function createHandlers(
  ports: HandlerPorts,
): (message: ToWorker, port?: MessagePort) => Promise<Answer<RequestKind>> {
  let opening: Promise<{ parts: LabParts; ready: ReadyReport }> | null = null;
  const lab = async (): Promise<LabParts> => {
    if (!opening) throw new DeviceError('The lab is not open yet.', 'Wait until the page says that it is ready.');
    return (await opening).parts;
  };
  const equipped = async (): Promise<Equipped> => {
    const { equipment } = await lab();
    return equipment.current ?? equipment.open('auto');
  };
  const target = async (): Promise<BasisTarget> => {
    const { policy, model } = await equipped();
    return { layout: policy.knobs, modelSha256: model.sha256 };
  };
  const bytesOf = async (file: Blob) => new Uint8Array(await file.arrayBuffer());

  const handlers: Handlers = {
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
      return (await equipment.open(device)).chosen.report;
    },
    start: async ({ id, spec }) => ({ position: await (await lab()).session.start(id, spec) }),
    resume: async ({ id }) => ({ position: await (await lab()).session.resume(id) }),
    stop: async ({ id }) => ({ stopped: await (await lab()).session.stop(id) }),
    list: async () => (await (await lab()).records.experiments()).map(summaryOf),
    async load({ id }) {
      const { records } = await lab();
      const record = await records.experiment(id);
      return { record, runs: await records.runs(record) };
    },
    async delete({ id }) {
      await (await lab()).session.delete(id);
      return null;
    },
    rollouts: async ({ runId, step }) => (await lab()).records.rollouts(runId, step),
    async exportCheckpoint({ runId }) {
      const checkpoint = await (await lab()).records.checkpoints.load(runId);
      if (!checkpoint) return null;
      const { layout, modelSha256 } = await target();
      const { optimizer, step } = checkpoint;
      const knobs = { deltaS: deployed(optimizer), deltaSHack: optimizer.hack };
      return new Blob([writeCheckpointFile(layout, knobs, { step: String(step), model_sha256: modelSha256 })]);
    },
    async validateBasis({ file, name }) {
      const { records } = await lab();
      return records.checkBasis(await bytesOf(file), name, await target());
    },
    async saveBasis({ file, name }) {
      const { records } = await lab();
      return records.saveBasis(await bytesOf(file), name, await target());
    },
    listBases: async () => (await lab()).records.bases(),
    loadBasis: async ({ id }) => (await lab()).records.basisFile(id),
    async deleteBasis({ id }) {
      await (await lab()).records.deleteBasis(id);
      return null;
    },
    listPools: async () => (await lab()).records.pools(),
    async deletePool({ id }) {
      await (await lab()).records.deletePool(id);
      return null;
    },
    storage: () => ports.storage(),
  };
  return (message, port) => {
    // The table ties kind and parameters together; the compiler cannot follow that through a variable kind.
    const handler = handlers[message.kind] as (params: unknown, port?: MessagePort) => Promise<Answer<RequestKind>>;
    return handler(message.params, port);
  };
}
