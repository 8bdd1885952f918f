// Learning rate over a run: linear warm-up, then cosine or linear decay to 0, or a constant (Hugging Face's
// get_cosine_schedule_with_warmup, get_linear_schedule_with_warmup and get_constant_schedule_with_warmup).

export const LR_SCHEDULES = ['cosine', 'linear', 'constant'] as const;
export type LrSchedule = (typeof LR_SCHEDULES)[number];

/** Number of warm-up steps. The small term prevents rounding (0.29 · 100 = 28.999999999999996) from losing one. */
export function warmupSteps(steps: number, warmupFrac: number): number {
  return Math.floor(steps * warmupFrac + 1e-9);
}

/** Rate at step 0 … steps−1; 0 at step 0 if there is a warm-up. */
export function learningRate(
  step: number,
  steps: number,
  peak: number,
  warmupFrac: number,
  schedule: LrSchedule = 'cosine',
): number {
  const warmup = warmupSteps(steps, warmupFrac);
  if (step < warmup) return (peak * step) / warmup;
  if (schedule === 'constant') return peak;
  const progress = Math.min(1, (step - warmup) / Math.max(1, steps - warmup));
  return schedule === 'linear' ? peak * (1 - progress) : peak * 0.5 * (1 + Math.cos(Math.PI * progress));
}

/** Rate of one optimizer update; the schedule runs over all updates, `innerEpochs` per step. Specs of older versions have no schedule. */
export function updateRate(
  spec: { steps: number; innerEpochs: number; lr: number; warmupFrac: number; lrSchedule?: LrSchedule },
  step: number,
  epoch: number,
): number {
  const { steps, innerEpochs, lr, warmupFrac, lrSchedule } = spec;
  return learningRate(step * innerEpochs + epoch, steps * innerEpochs, lr, warmupFrac, lrSchedule);
}
