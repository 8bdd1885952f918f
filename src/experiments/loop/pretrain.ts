// Pretraining of the embedded model on the project's own engine: next-token loss on completions, AdamW, warm-up then cosine. It is seeded
// and can be resumed: a sample depends only on its index, so a step's batch needs no history.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { type AdamWSettings, initialWeights, Trainer, type TrainerState } from '../../engine/decoder/trainer.ts';
import { trainedTokens } from '../../engine/episodes/episode.ts';
import type { ModelConfig, Sequence, Weights } from '../../engine/types.ts';
import type { PretrainSpec } from '../../environments/pretraining.ts';
import type { Device } from '../../kernels/device.ts';

export { PRETRAIN_DEFAULTS, type PretrainSpec, TINY_CODER } from '../../environments/pretraining.ts';

interface PretrainProgress {
  /** Number of completed steps. */
  step: number;
  loss: number;
  gradNorm: number;
  lr: number;
  /** Tokens trained on in this call. */
  tokens: number;
}

interface PretrainInput {
  device: Device;
  config: ModelConfig;
  spec: PretrainSpec;
  /** The sample with index 0, 1, …; stage 2 in the last part of the training. */
  sample: (index: number, stage: 1 | 2) => Sequence | Promise<Sequence>;
  resume?: TrainerState;
  /** Weights before the first step; drawn from the spec's seed if absent. */
  begin?: Weights;
  signal?: AbortSignal;
}

/** Learning rate of step t (0-based). */
function learningRate(spec: PretrainSpec, t: number): number {
  if (t < spec.warmupSteps) return (spec.lr * (t + 1)) / spec.warmupSteps;
  const progress = (t - spec.warmupSteps) / Math.max(1, spec.steps - spec.warmupSteps);
  return spec.lr * 0.5 * (1 + Math.cos(Math.PI * progress));
}

/** Yields after every step. The trainer that it yields and returns holds the weights; the caller frees it. */
export async function* pretrain(
  input: PretrainInput,
): AsyncGenerator<PretrainProgress & { trainer: Trainer }, Trainer> {
  const { device, config, spec, sample, signal } = input;
  const trainer = new Trainer(device, config, input.resume ?? input.begin ?? initialWeights(config, spec.seed));
  let tokens = 0;
  while (trainer.stepsDone < spec.steps) {
    if (signal?.aborted) throw new StoppedError();
    const t = trainer.stepsDone;
    const stage = t < spec.steps * spec.secondStageFrom ? 1 : 2;
    const batch = await Promise.all(Array.from({ length: spec.batch }, (_, i) => sample(t * spec.batch + i, stage)));
    const lr = learningRate(spec, t);
    const settings: AdamWSettings = { ...spec, lr };
    const { loss, gradNorm } = await trainer.train(batch, settings);
    for (const sequence of batch) tokens += trainedTokens(sequence);
    yield { step: trainer.stepsDone, loss, gradNorm, lr, tokens, trainer };
  }
  return trainer;
}
