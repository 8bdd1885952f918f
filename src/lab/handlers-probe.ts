// What the worker does with requests about the cosine probe: a part of the table in handlers.ts.
import { SpecError } from '../lib/errors.ts';
import type { Chore } from './chore.ts';
import type { Equipped } from './equipment.ts';
import type { LabParts } from './handlers.ts';
import type { Playground } from './playground.ts';
import { writeProbe } from './probe-file.ts';
import { probePace, runAskedProbe } from './probe-run.ts';
import type { ProbeEvent, ProbeKeptEvent, ProbeRequests } from './protocol-probe.ts';

export interface ProbeHandlerPorts {
  lab(): Promise<LabParts>;
  equipped(): Promise<Equipped>;
  playground: Playground;
  chore: Chore;
  emit(event: ProbeEvent | ProbeKeptEvent): void;
}

type Handlers = {
  [K in keyof ProbeRequests]: (params: ProbeRequests[K]['params']) => Promise<ProbeRequests[K]['result']>;
};

export function createProbeHandlers({ lab, equipped, playground, chore, emit }: ProbeHandlerPorts): Handlers {
  const probes = async () => (await lab()).records.probes;
  const now = () => performance.now();
  /** The one that is at work. */
  let working: string | null = null;
  return {
    listProbes: async () => (await probes()).list(),
    loadProbe: async ({ id }) => (await probes()).load(id),
    async runProbe({ task, ask }) {
      const { records, session, equipment } = await lab();
      if (session.isBusy)
        throw new SpecError('The model is training.', 'Probe when the experiment has ended, or stop it.');
      return chore.run(task, (signal) =>
        playground.without(async () => {
          await session.quiet();
          try {
            return await runAskedProbe(ask, {
              records,
              signal,
              now,
              equip: async (adapter) =>
                equipment.open((await equipped()).chosen.report.choice, signal, {
                  adapter: adapter.adapter,
                  loraRank: adapter.loraRank,
                }),
              onProgress: (at) => emit({ type: 'probe', task, ...at }),
              onBegun(id) {
                working = id;
                emit({ type: 'probe-kept', id });
              },
            });
          } finally {
            working = null;
          }
        }),
      );
    },
    stopProbe: async ({ task }) => ({ stopped: chore.stop(task) }),
    async deleteProbe({ id }) {
      if (id === working) throw new SpecError('This probe is at work.', 'Stop it first.');
      await (await probes()).delete(id);
      return null;
    },
    exportProbe: async ({ id }) => writeProbe(await (await probes()).load(id)),
    async probePace() {
      const { session } = await lab();
      if (session.isBusy || working !== null) return { perSample: null };
      try {
        const perSample = await chore.run('probe-pace', () =>
          playground.after(async () => {
            await session.quiet();
            return probePace(await equipped(), now);
          }),
        );
        return { perSample };
      } catch (error) {
        // Something else has the model.
        if (error instanceof SpecError) return { perSample: null };
        throw error;
      }
    },
  };
}
