// The worker's handlers for the cosine probe: a part of the table in handlers.ts.

import { isEquipped } from '../equipment/equipment.ts';
import type { ProbeRunPorts } from '../kinds/probe/run.ts';
import type { ProbeAsk, ProbeTraining } from '../protocol/probe.ts';
import type { HandlerParts } from '../work/parts.ts';

// The code of the replay and its verdicts is large and rarely needed, so it is loaded on demand.
const loadProbeRun = () => import('../kinds/probe/run.ts');
const loadProbeTraining = () => import('../kinds/probe/train.ts');

/** @param atWork ids of running probes, maintained here */
export function createProbeHandlers({ lab, opened, equipped, gate, emit }: HandlerParts, atWork: Set<string>) {
  /** Runs work that needs the model for itself. */
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
          onStarted(id) {
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
    /** Answers when the probe is finished; `probe` events report progress. Refused while an experiment runs, and stopped when one starts:
     *  the same request resumes with the next step. A finished probe is returned as stored. */
    runProbe: ({ task, ask }: { task: string; ask: ProbeAsk }) =>
      alone(task, async (ports) => (await loadProbeRun()).runRequestedProbe(ask, ports)),
    /** Adds T5 or T6 to a finished probe's report, under the same rules as runProbe. Stored trainings are not repeated. */
    trainProbe: ({ task, id, training }: { task: string; id: string; training: ProbeTraining }) =>
      alone(task, async (ports) => (await loadProbeTraining()).trainRequestedProbe(id, training, ports)),
    /** Measures seconds for one sample's gradient. Null while an experiment or a probe runs; yields to every other use of the model. */
    async probePace() {
      const { equipment } = await lab();
      const perSample = await gate.measurement(async (signal) => {
        const model = await opened();
        // A model that is not factored yet has no gradients to time; the lab's own is factored quickly.
        if (atWork.size > 0 || !(isEquipped(model) || model.model.isOwn)) return null;
        const { choice } = model.chosen.report;
        const { probePace } = await loadProbeRun();
        return probePace(isEquipped(model) ? model : await equipment.open(choice, signal), signal);
      });
      return { perSample };
    },
  };
}
