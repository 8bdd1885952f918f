// The page's store with a scripted worker, for tests of how the page handles answers, refusals and events.
import { LabClient } from '../../lab/client.ts';
import type { ExperimentSummary } from '../../lab/protocol/experiments.ts';
import type { WorkerEvent } from '../../lab/protocol/protocol.ts';
import type { ReadyReport } from '../../lab/protocol/reports.ts';
import type { RpcPort } from '../../lib/rpc.ts';
import type { FormAddress } from '../../share/spec-link.ts';
import { createLab } from '../page/lab-store.ts';
import type { PendingDeletionList } from '../undoable-delete.ts';

const device = { choice: 'auto', kind: 'cpu', name: 'CPU', isSoftware: false, reason: 'No adapter.' } as const;
export const ready = { device, model: {}, storage: { usedBytes: 1 } } as ReadyReport;

export type Answers = Record<string, (params: never) => unknown>;

/** A client whose worker answers from a table. A promise is awaited, and an Error refuses the request. */
export function fakeClient(answers: Answers) {
  const asked: { kind: string; params: unknown }[] = [];
  const port: RpcPort = {
    postMessage(message) {
      const { id, name, args } = message as { id: number; name: string; args: never[] };
      asked.push({ kind: name, params: args[0] });
      void Promise.resolve(answers[name]?.(args[0])).then((value) =>
        value instanceof Error
          ? send({
              kind: 'error',
              id,
              error: { stack: null, remedy: '', ...value, name: value.name, message: value.message },
            })
          : send({ kind: 'value', id, value: value ?? null }),
      );
    },
    onmessage: null,
  };
  const send = (data: unknown) => port.onmessage?.({ data } as MessageEvent);
  const client = new LabClient({ port, onDied: () => {}, terminate: () => {} });
  return { client, asked, emit: (event: WorkerEvent) => send({ kind: 'tell', name: 'event', args: [event] }) };
}

/** A lab with a scripted client. */
export function fakeLab(
  answers: Answers,
  init: (device: string) => Promise<ReadyReport> = async () => ready,
  later?: PendingDeletionList,
) {
  const { client, asked, emit } = fakeClient(answers);
  const addresses: FormAddress[] = [];
  const showAddress = (address: FormAddress) => void addresses.push(address);
  const lab = createLab({ client, init, showAddress, later });
  return { lab, asked, addresses, emit };
}

export const lists: Answers = {
  'kept.list': () => [],
  listPools: () => [],
  listBases: () => [],
  listPairSets: () => [],
  storage: () => ({ usedBytes: 1 }),
};
export const state = ({ lab }: ReturnType<typeof fakeLab>) => lab.store.getState();
export const summary = (id: string, status: ExperimentSummary['status']) =>
  ({ id, status, error: null, createdAt: 1 }) as ExperimentSummary;
