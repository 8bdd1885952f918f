// Learning rate over a run: linear warm-up, then a cosine to 0 (the schedule of Hugging Face's
// get_cosine_schedule_with_warmup).

/** Whole steps of warm-up. The guard keeps rounding (0.29 · 100 = 28.999999999999996) from losing one. */
export function warmupSteps(steps: number, warmupFrac: number): number {
  return Math.floor(steps * warmupFrac + 1e-9);
}

/** Rate at step 0 … steps−1; 0 at step 0 when there is at least one step of warm-up. */
export function learningRate(step: number, steps: number, peak: number, warmupFrac: number): number {
  const warmup = warmupSteps(steps, warmupFrac);
  if (step < warmup) return (peak * step) / warmup;
  const progress = (step - warmup) / Math.max(1, steps - warmup);
  return peak * 0.5 * (1 + Math.cos(Math.PI * Math.min(1, progress)));
}

/** Of one optimizer update: the schedule runs over all of them, `innerEpochs` in a step. */
export function updateRate(
  spec: { steps: number; innerEpochs: number; lr: number; warmupFrac: number },
  step: number,
  epoch: number,
): number {
  return learningRate(step * spec.innerEpochs + epoch, spec.steps * spec.innerEpochs, spec.lr, spec.warmupFrac);
}
