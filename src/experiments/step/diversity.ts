// The diversity bonus of a step: what each answer looks like to the frozen initial policy, and its advantage times how far it lies from
// its group. An embedding is the mean of the last layer's residual stream over the rows that predict the answer.
import { diversityOf } from '../../algorithms/diversity.ts';
import type { Policy } from '../../engine/types.ts';
import type { Group } from '../../environments/types.ts';
import type { Advantages } from './gradient.ts';
import { episodeTokens } from './sequences.ts';

interface DiversityPorts {
  policy: Policy;
  /** Adapter parameters of the run at this moment: folded in again afterwards. */
  adapterParams: Float32Array;
  signal?: AbortSignal;
}

export async function diversifyAdvantages<Task>(
  { policy, adapterParams, signal }: DiversityPorts,
  groups: readonly Group<Task>[],
  advantages: Advantages,
): Promise<Advantages> {
  const episodes = groups.map(({ rollouts }) => rollouts.map(({ turns }) => episodeTokens(turns)));
  const written = episodes.flat().filter((episode) => episode !== null);
  policy.setAdapterParams(policy.initialAdapterParams);
  let rows: Float32Array[];
  try {
    rows = await policy.activations(written, policy.config.layers - 1, signal);
  } finally {
    policy.setAdapterParams(adapterParams);
  }
  let next = 0;
  const values = episodes.map((group, g) => {
    const factors = diversityOf(group.flatMap((episode) => (episode ? [rows[next++]] : [])));
    let own = 0;
    return group.map((episode, i) => (episode ? advantages.values[g][i] * factors[own++] : 0));
  });
  return { ...advantages, values };
}
