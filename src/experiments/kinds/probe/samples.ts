// Gradients of single samples: the mean NLL of each completion has its own accumulator (a segment), so one backward pass over all samples of a
// step gives the gradient of each.
import { completionsAtOnce } from '../../../algorithms/at-once.ts';
import type { Policy } from '../../../engine/types.ts';
import type { PoolSample } from './types.ts';

export interface SampleGradients {
  /** One parameter vector per sample. */
  gradients: Float32Array[];
  /** Mean NLL over each completion's tokens, nats. */
  nll: number[];
}

type Tokens = Pick<PoolSample, 'promptIds' | 'completionIds'>;

/** Gradients at the policy's current adapter parameters, in several passes only if they do not fit into memory. */
export async function sampleGradients(
  policy: Policy,
  samples: readonly Tokens[],
  signal?: AbortSignal,
): Promise<SampleGradients> {
  const all: SampleGradients = { gradients: [], nll: [] };
  const atOnce = completionsAtOnce(policy.adapterLayout.total);
  for (let from = 0; from < samples.length; from += atOnce) {
    const chunk = samples
      .slice(from, from + atOnce)
      .map(({ promptIds, completionIds }, segment) => ({ prompt: promptIds, completion: completionIds, segment }));
    const batch = await policy.score(chunk, chunk.length, signal);
    try {
      for (const logprobs of batch.logprobs) all.nll.push(-logprobs.reduce((a, b) => a + b, 0) / logprobs.length);
      const coef = batch.logprobs.map(({ length }) => new Float32Array(length).fill(-1 / length));
      all.gradients.push(...(await batch.backward(coef)));
    } finally {
      batch.free();
    }
  }
  return all;
}

/** Gradient of the mean over the samples, which the step's optimizer gets. The order of summation is the samples'. */
export function meanGradient(gradients: readonly Float32Array[]): Float32Array {
  const total = new Float64Array(gradients[0].length);
  for (const gradient of gradients) for (let i = 0; i < total.length; i++) total[i] += gradient[i];
  return Float32Array.from(total, (x) => x / gradients.length);
}
