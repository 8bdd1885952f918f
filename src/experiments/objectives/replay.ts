// Replay beside RL: each step also trains on unchanged texts about other characters, so that the rewarded behaviour spreads less to them. A step's
// gradient is
//   (1 − c) · g_RL + c · g_replay,
// with c the option `contrast`; g_replay is the gradient of the mean next-token loss of c × promptsPerStep × groupSize texts.
import type { RunSpec } from '../config/run-spec.ts';
import type { LabEvent } from '../records/events.ts';
import type { EnvironmentDocument } from '../step/environment.ts';
import type { StepGradient } from '../step/gradient.ts';
import { documentBatch } from './document-batch.ts';
import { drawDocuments } from './nll.ts';
import type { StepPorts } from './types.ts';

type Gradients = AsyncGenerator<LabEvent, StepGradient | null>;
type Sizes = Pick<RunSpec, 'contrast' | 'promptsPerStep' | 'groupSize' | 'seed'>;

/** Draws the texts of a step, which counts from 0 within its stage. */
export function replayedTexts<D>(texts: readonly D[], sizes: Sizes, step: number): D[] {
  const { contrast, promptsPerStep, groupSize, seed } = sizes;
  return drawDocuments(texts, { seed, step, count: Math.max(1, Math.round(contrast * promptsPerStep * groupSize)) });
}

/** Null where the run has no replay. `row`: the row's fields on the texts; `beside`: an inner epoch's gradient, given RL's. */
export function replayBeside<Task, State, Verdict>(ports: StepPorts<Task, State, Verdict>) {
  const { spec, stage, step, environment } = ports;
  if (!environment.replay) return null;
  const batch = documentBatch(ports, replayedTexts<EnvironmentDocument>(environment.replay, spec, step - stage.from));
  const { contrast } = spec;
  return {
    row: { documents: batch.extra.documents },
    async *beside(adapterParams: Float32Array, ofRl: Gradients): Gradients {
      const rl = yield* ofRl;
      const replayed = yield* batch.gradient(adapterParams);
      if (!replayed) return rl;
      const own = replayed.student.map((x) => contrast * x);
      // If every group is flat, only the texts are trained on.
      if (!rl) return { ...replayed, student: own, loss: 0, entropy: null };
      const mixed = (g: Float32Array) => g.map((x, i) => (1 - contrast) * x + own[i]);
      return {
        ...rl,
        student: mixed(rl.student),
        teacher: rl.teacher.map((x) => (1 - contrast) * x),
        ...(rl.combined && { combined: mixed(rl.combined) }),
      };
    },
  };
}
