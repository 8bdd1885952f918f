// What the worker does with requests about the cosine probe: a part of the table in handlers.ts.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { isEquipped, type Opened } from '../equipment/equipment.ts';
import type { ProbeTrainPorts } from '../kinds/probe/train.ts';
import type { KeptEvent } from '../protocol/kept.ts';
import type { ProbeEvent, ProbeRequests } from '../protocol/probe.ts';
import type { HandlersOf } from '../protocol/protocol.ts';
import { APP_VERSION } from '../protocol/version.ts';
import type { ModelGate } from '../work/model-gate.ts';
import type { LabParts } from '../work/parts.ts';

interface ProbeHandlerPorts {
  lab(): Promise<LabParts>;
  opened(): Promise<Opened>;
  gate: ModelGate;
  /** Ids of probes that are being worked on; kept up here. */
  atWork: Set<string>;
  emit(event: ProbeEvent | KeptEvent): void;
}

// The replay and its verdicts are large, and few visits ask for a probe: they arrive with the first.
const running = () => import('../kinds/probe/run.ts');
const training = () => import('../kinds/probe/train.ts');

export function createProbeHandlers({ lab, opened, gate, atWork, emit }: ProbeHandlerPorts): HandlersOf<ProbeRequests> {
  const now = () => performance.now();
  /** With the model for itself. */
  async function alone<T>(task: string, work: (ports: ProbeTrainPorts) => Promise<T>): Promise<T> {
    const { records, equipment, teacher } = await lab();
    return gate.task(task, async (signal) => {
      try {
        return await work({
          records,
          signal,
          now,
          opened,
          onnxTeacher: teacher,
          appVersion: APP_VERSION,
          date: () => Date.now(),
          equip: async ({ adapter, loraRank }) =>
            equipment.open((await opened()).chosen.report.choice, signal, { adapter, loraRank }),
          onProgress: (at) => emit({ type: 'probe', task, ...at }),
          onBegun(id) {
            atWork.add(id);
            emit({ type: 'kept', kind: 'probe', id });
          },
        });
      } finally {
        atWork.clear();
      }
    });
  }
  return {
    runProbe: ({ task, ask }) => alone(task, async (ports) => (await running()).runAskedProbe(ask, ports)),
    trainProbe: ({ task, id, training: asked }) =>
      alone(task, async (ports) => (await training()).trainAskedProbe(id, asked, ports)),
    stopProbe: async ({ task }) => ({ stopped: gate.stop(task) }),
    async probePace() {
      const { session, equipment } = await lab();
      const model = await opened();
      // A model that is not factored yet has no gradients to be timed; the lab's own soon is.
      if (session.isBusy || atWork.size > 0 || !(isEquipped(model) || model.model.isOwn)) return { perSample: null };
      try {
        const measure = async () => {
          const { choice } = model.chosen.report;
          return (await running()).probePace(isEquipped(model) ? model : await equipment.open(choice), now);
        };
        const perSample = await gate.task('probe-pace', measure, true);
        return { perSample };
      } catch (error) {
        // Something else has the model.
        if (error instanceof SpecError) return { perSample: null };
        throw error;
      }
    },
  };
}
