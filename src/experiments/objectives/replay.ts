// Replay beside RL: texts about others, as they are, are learnt from in each step, so that what is paid for changes them less. A step's
// gradient is
//   (1 − c) · g_RL + c · g_replay,
// c the option `contrast`: the share that such texts have among an arm's documents, and as many of them a step.
import type { LabEvent } from '../records/events.ts';
import type { StepGradient } from '../step/gradient.ts';
import { documentBatch } from './document-batch.ts';
import { drawDocuments } from './nll.ts';
import type { StepPorts } from './types.ts';

type Gradients = AsyncGenerator<LabEvent, StepGradient | null>;

/** Null where the run replays nothing. `row`: what a row says of the texts; `beside`: an inner epoch's gradient, from RL's. */
export function replayOf<Task, State, Verdict>(ports: StepPorts<Task, State, Verdict>) {
  const { spec, stage, step, environment } = ports;
  const { contrast, seed } = spec;
  if (!environment.replay || contrast === 0) return null;
  const count = Math.round(contrast * spec.promptsPerStep * spec.groupSize);
  const texts = drawDocuments(environment.replay, { seed, step: step - stage.from, count });
  const batch = documentBatch(ports, texts);
  return {
    row: { documents: batch.extra.documents },
    async *beside(adapterParams: Float32Array, ofRl: Gradients): Gradients {
      const rl = yield* ofRl;
      const replayed = yield* batch.gradient(adapterParams);
      if (!replayed) return rl;
      const texts = replayed.student.map((x) => contrast * x);
      // Where every group is flat, the texts alone are learnt from.
      if (!rl) return { ...replayed, student: texts, loss: 0, entropy: null };
      return {
        ...rl,
        student: rl.student.map((x, i) => (1 - contrast) * x + texts[i]),
        teacher: rl.teacher.map((x) => (1 - contrast) * x),
      };
    },
  };
}
