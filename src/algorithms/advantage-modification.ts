// Advantage modification (Wu & Tang 2026, "When Reward Hacking Rebounds", arXiv:2604.01476): rollouts whose activations lie along
// a concept direction have their reward lowered before the group statistics, so that the penalty acts through the advantage.
// A baseline that needs labelled pairs, as the hack basis does, but no oracle during training. Differences from the source:
// - the direction is the mean difference of the lab's own (hack, clean) pairs of code, at the untrained model and one middle layer;
//   the source's "shortcut" direction comes from domain-general pairs, for models that have read about shortcuts;
// - activations are those of the current policy at each step, while the direction stays fixed;
// - groups include cached teacher rows, which are scored like other rollouts.

type AdvantageMod = 'subtract' | 'scale';

/** Layer and direction of the concept. */
export interface Concept {
  /** Index of the decoder layer after which the residual stream is taken. */
  layer: number;
  /** [hiddenSize]. Scores are standardised, so its norm does not matter. */
  direction: Float32Array;
}

/** Index of the middle layer, such that as many layers come before its output as after; for example 1 of 4. */
export function middleLayer(layers: number): number {
  return Math.max(0, Math.ceil(layers / 2) - 1);
}

/** Mean of the hack completions' activations − mean of the clean ones'. */
export function conceptDirection(hack: readonly Float32Array[], clean: readonly Float32Array[]): Float32Array {
  const direction = new Float32Array(hack[0].length);
  for (let j = 0; j < direction.length; j++) {
    let difference = 0;
    for (const row of hack) difference += row[j] / hack.length;
    for (const row of clean) difference -= row[j] / clean.length;
    direction[j] = difference;
  }
  return direction;
}

/** ⟨activation, direction⟩, in double precision. */
export function conceptScore(activation: Float32Array, direction: Float32Array): number {
  let score = 0;
  for (let j = 0; j < direction.length; j++) score += activation[j] * direction[j];
  return score;
}

/** z-scores within a group (sample sd); all 0 if the scores are equal, or fewer than two. */
export function standardise(scores: readonly number[]): number[] {
  if (scores.length < 2 || Math.max(...scores) === Math.min(...scores)) return scores.map(() => 0);
  const centre = scores.reduce((total, score) => total + score, 0) / scores.length;
  const squares = scores.reduce((total, score) => total + (score - centre) ** 2, 0);
  const spread = Math.sqrt(squares / (scores.length - 1));
  return scores.map((score) => (score - centre) / spread);
}

/** `subtract`: r − α·max(z, 0). `scale`: r·(1 − α·σ(z)·1[z > 0]), σ the logistic function. */
export function modifiedReward(reward: number, z: number, mod: AdvantageMod, alpha: number): number {
  if (z <= 0) return reward;
  return mod === 'subtract' ? reward - alpha * z : reward * (1 - alpha / (1 + Math.exp(-z)));
}
