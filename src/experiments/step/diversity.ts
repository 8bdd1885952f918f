// The diversity bonus of a step multiplies an answer's advantage by its distance from its group's centroid. An answer's embedding is the
// frozen initial policy's last residual stream, averaged over the rows that predict the answer.
import { diversityOf } from '../../algorithms/diversity.ts';
import type { Policy } from '../../engine/types.ts';
import type { Group } from '../../environments/types.ts';
import type { Advantages } from './gradient.ts';
import { episodeTokens } from './sequences.ts';

interface DiversityPorts {
  policy: Policy;
  /** The run's current adapter parameters, restored afterwards. */
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
