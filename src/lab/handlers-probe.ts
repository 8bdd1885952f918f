// What the worker does with requests about the cosine probe: a part of the table in handlers.ts.
import { SpecError } from '../lib/errors.ts';
import type { Chore } from './chore.ts';
import { isEquipped, type Opened } from './equipment.ts';
import type { LabParts } from './handlers.ts';
import type { Playground } from './playground.ts';
import { writeProbe } from './probe-file.ts';
import { probePace, runAskedProbe } from './probe-run.ts';
import { type ProbeTrainPorts, trainAskedProbe } from './probe-train.ts';
import type { ProbeEvent, ProbeKeptEvent, ProbeRequests } from './protocol-probe.ts';
import { checkWords } from './records.ts';
import { APP_VERSION } from './version.ts';

export interface ProbeHandlerPorts {
  lab(): Promise<LabParts>;
  opened(): Promise<Opened>;
  playground: Playground;
  chore: Chore;
  emit(event: ProbeEvent | ProbeKeptEvent): void;
}

type Handlers = {
  [K in keyof ProbeRequests]: (params: ProbeRequests[K]['params']) => Promise<ProbeRequests[K]['result']>;
};

export function createProbeHandlers({ lab, opened, playground, chore, emit }: ProbeHandlerPorts): Handlers {
  const probes = async () => (await lab()).records.probes;
  const now = () => performance.now();
  /** The one that is at work. */
  let working: string | null = null;
  /** With the model for itself. */
  async function alone<T>(task: string, work: (ports: ProbeTrainPorts) => Promise<T>): Promise<T> {
    const { records, session, equipment, teacher } = await lab();
    if (session.isBusy)
      throw new SpecError('The model is training.', 'Probe when the experiment has ended, or stop it.');
    return chore.run(task, (signal) =>
      playground.without(async () => {
        await session.quiet();
        try {
          return await work({
            ...{ records, signal, now, opened },
            onnxTeacher: teacher,
            appVersion: APP_VERSION,
            date: () => Date.now(),
            equip: async ({ adapter, loraRank }) =>
              equipment.open((await opened()).chosen.report.choice, signal, { adapter, loraRank }),
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
  }
  return {
    listProbes: async () => (await probes()).list(),
    loadProbe: async ({ id }) => (await probes()).load(id),
    runProbe: ({ task, ask }) => alone(task, (ports) => runAskedProbe(ask, ports)),
    trainProbe: ({ task, id, training }) => alone(task, (ports) => trainAskedProbe(id, training, ports)),
    annotateProbe: async ({ id, changes }) => {
      const { interrupted: _, ...words } = checkWords(changes);
      return (await probes()).change(id, words);
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
      const model = await opened();
      // A model that is not factored yet has no gradients to be timed.
      if (session.isBusy || working !== null || !isEquipped(model)) return { perSample: null };
      try {
        const perSample = await chore.run('probe-pace', () =>
          playground.after(async () => {
            await session.quiet();
            return probePace(model, now);
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
