// The page's store against a worker that answers by hand, for tests of what the page does with answers, refusals and events.
import { LabClient } from '../../lab/client.ts';
import type { ExperimentSummary } from '../../lab/protocol/experiments.ts';
import type { WorkerEvent } from '../../lab/protocol/protocol.ts';
import type { ReadyReport } from '../../lab/protocol/reports.ts';
import type { FormAddress } from '../../share/url.ts';
import { createLab } from '../page/lab-store.ts';
import type { LaterList } from '../undoable-delete.ts';

const device = { choice: 'auto', kind: 'cpu', name: 'CPU', isSoftware: false, reason: 'No adapter.' } as const;
export const ready = { device, model: {}, storage: { usedBytes: 1 } } as ReadyReport;

export type Answers = Record<string, (params: never) => unknown>;

/** A lab whose worker answers from a table; an Error is a refusal. */
export function fakeLab(
  answers: Answers,
  init: (device: string) => Promise<ReadyReport> = async () => ready,
  later?: LaterList,
) {
  const listeners: ((event: MessageEvent) => void)[] = [];
  const asked: { kind: string; params: unknown }[] = [];
  const send = (data: unknown) => {
    for (const listener of listeners) listener({ data } as MessageEvent);
  };
  const client = new LabClient({
    postMessage(message) {
      const { id, kind, params } = message as { id: number; kind: string; params: never };
      asked.push({ kind, params });
      const result = answers[kind]?.(params) ?? null;
      queueMicrotask(() =>
        result instanceof Error
          ? send({
              kind: 'refusal',
              id,
              error: { stack: null, remedy: '', ...result, name: result.name, message: result.message },
            })
          : send({ kind: 'answer', id, result }),
      );
    },
    addEventListener(type: string, listener: (event: MessageEvent) => void) {
      if (type === 'message') listeners.push(listener);
    },
  });
  const addresses: FormAddress[] = [];
  const showAddress = (address: FormAddress) => void addresses.push(address);
  const lab = createLab({ client, init, showAddress, later });
  return { lab, asked, addresses, emit: (event: WorkerEvent) => send({ kind: 'event', event }) };
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
