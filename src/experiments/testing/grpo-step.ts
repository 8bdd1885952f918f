// One GRPO step on an engine without a task: a group of completions of one prompt, rewarded by the share of even token ids, which any vocabulary
// has; scored, differentiated, stepped. For tests and benchmarks of models that solve no problem.
import { adamStep, zeroMoments } from '../../algorithms/adamw.ts';
import { groupAdvantages } from '../../algorithms/advantages.ts';
import { sequenceLoss } from '../../algorithms/grpo-loss.ts';
import type { Engine } from '../../engine/decoder/engine.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';

export interface GrpoStep {
  tokens: number;
  /** Largest |log-probability at sampling − at training|. */
  gap: number;
  gradNorm: number;
  /** Σ advantage · log-probability before and after the step. */
  objective: { before: number; after: number };
  /** Milliseconds, by `now`. */
  times: { rollout: number; score: number; backward: number; update: number };
}

export async function grpoStep(
  engine: Engine,
  options: { prompt: readonly number[]; group: number; maxNew: number; lr: number; now?: () => number },
): Promise<GrpoStep> {
  const { prompt, group, maxNew, lr, now = () => 0 } = options;
  let at = now();
  const lap = () => {
    const before = at;
    at = now();
    return at - before;
  };
  const generated = await engine.generate({
    prompts: [prompt],
    sequences: Array.from({ length: group }, (_, i) => ({ prompt: 0, key: keyFor(3, STREAMS.rollout, i) })),
    maxNew,
    temperature: 1,
    endTokens: [],
  });
  const rollout = lap();
  const rewards = generated.map(({ tokens }) => tokens.filter((id) => id % 2 === 0).length / tokens.length);
  const { advantages } = groupAdvantages(rewards, 'group');
  const sequences = generated.map(({ tokens }) => ({ prompt, completion: tokens, segment: 0 }));
  const scored = await engine.score(sequences, 1);
  const score = lap();
  const settings = { clipEps: 0.2, klBeta: 0, denominator: group * maxNew };
  const coef = scored.logprobs.map(
    (logprobs, i) => sequenceLoss({ logprobs, old: generated[i].logprobs, advantage: advantages[i] }, settings).coef,
  );
  const [gradient] = await scored.backward(coef);
  scored.free();
  const backward = lap();
  const delta = adamStep(zeroMoments(gradient.length), gradient, 1, lr, { beta1: 0.9, beta2: 0.95, adamEps: 1e-8 });
  engine.setAdapterParams(engine.initialAdapterParams.map((x, i) => x - delta[i]));
  await engine.device.sync();
  const update = lap();
  const after = await engine.score(sequences, 1);
  after.free();
  const objectiveOf = (logprobs: readonly Float32Array[]) =>
    logprobs.reduce((sum, row, i) => sum + advantages[i] * row.reduce((s, x) => s + x, 0), 0);
  return {
    tokens: generated.reduce((sum, { tokens }) => sum + tokens.length, 0),
    gap: Math.max(
      ...scored.logprobs.map((row, i) => Math.max(...row.map((x, t) => Math.abs(x - generated[i].logprobs[t])))),
    ),
    gradNorm: Math.sqrt(gradient.reduce((sum, x) => sum + x * x, 0)),
    objective: { before: objectiveOf(scored.logprobs), after: objectiveOf(after.logprobs) },
    times: { rollout, score, backward, update },
  };
}
