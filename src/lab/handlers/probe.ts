// What the worker does with requests about the cosine probe: a part of the table in handlers.ts.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { isEquipped } from '../equipment/equipment.ts';
import type { ProbeRunPorts } from '../kinds/probe/run.ts';
import type { ProbeAsk, ProbeTraining } from '../protocol/probe.ts';
import type { HandlerParts } from '../work/parts.ts';

// The replay and its verdicts are large, and few visits ask for a probe: they arrive with the first.
const running = () => import('../kinds/probe/run.ts');
const training = () => import('../kinds/probe/train.ts');

/** @param atWork ids of probes that are being worked on; kept up here */
export function createProbeHandlers({ lab, opened, equipped, gate, emit }: HandlerParts, atWork: Set<string>) {
  /** With the model for itself. */
  async function alone<T>(task: string, work: (ports: ProbeRunPorts) => Promise<T>): Promise<T> {
    const { records, teacher } = await lab();
    return gate.task(task, async (signal) => {
      try {
        return await work({
          records,
          signal,
          opened,
          onnxTeacher: teacher,
          equip: (adapter) => equipped(adapter, signal),
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
    /** Answers when it is finished; `probe` events tell how far it is. Refused while an experiment runs, and stopped when one starts:
     *  asked again it goes on with the next step. A finished one is answered as it is kept. */
    runProbe: ({ task, ask }: { task: string; ask: ProbeAsk }) =>
      alone(task, async (ports) => (await running()).runAskedProbe(ask, ports)),
    /** T5 or T6 of a finished probe, put into its report; as runProbe. What is trained already is not trained again. */
    trainProbe: ({ task, id, training: asked }: { task: string; id: string; training: ProbeTraining }) =>
      alone(task, async (ports) => (await training()).trainAskedProbe(id, asked, ports)),
    /** A short measurement: seconds for one sample's gradient. Null where the model is at work. */
    async probePace() {
      const { session, equipment } = await lab();
      const model = await opened();
      // A model that is not factored yet has no gradients to be timed; the lab's own soon is.
      if (session.isBusy || atWork.size > 0 || !(isEquipped(model) || model.model.isOwn)) return { perSample: null };
      try {
        const measure = async () => {
          const { choice } = model.chosen.report;
          return (await running()).probePace(isEquipped(model) ? model : await equipment.open(choice));
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
