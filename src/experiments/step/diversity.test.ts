// Tests that a step's bonus multiplies advantages by distances under the initial adapter parameters, and then restores the current ones.
import { expect, it } from 'vitest';
import type { Policy } from '../../engine/types.ts';
import type { Group } from '../../environments/types.ts';
import { diversifyAdvantages } from './diversity.ts';

/** Embeds a completion as its first token, and records the adapter parameters that were active. */
function onePolicy() {
  let adapterParams: Float32Array = Float32Array.of(7);
  const asked: number[] = [];
  const policy = {
    config: { layers: 3 },
    initialAdapterParams: Float32Array.of(0),
    setAdapterParams: (next: Float32Array) => {
      adapterParams = next;
    },
    activations: async (sequences: readonly { completion: readonly number[] }[], layer: number) => {
      asked.push(adapterParams[0], layer);
      return sequences.map(({ completion }) => Float32Array.of(completion[0]));
    },
  } as unknown as Policy;
  return { policy, asked, adapterParamsNow: () => adapterParams };
}

const group = (...tokens: number[]): Group<null> => ({
  task: null,
  rollouts: tokens.map((token) => {
    const turn = { prompt: '', completion: '', promptIds: [1], completionIds: [token], ended: true };
    return { task: null, source: 'student' as const, turns: [turn] };
  }),
});

it('multiplies each advantage, negative ones too, group by group', async () => {
  const { policy, asked, adapterParamsNow } = onePolicy();
  const adapterParams = Float32Array.of(5);
  const advantages = {
    values: [
      [1, -1, 2],
      [3, 3],
    ],
    skipped: [false, false],
    counted: [
      [true, true, true],
      [true, true],
    ],
  };
  // Centroids are 4 and 9. Distances are 4, 2, 2 and 0, 0.
  const after = await diversifyAdvantages({ policy, adapterParams }, [group(0, 6, 6), group(9, 9)], advantages);
  expect(after).toEqual({
    ...advantages,
    values: [
      [1, -0.5, 1],
      [3, 3],
    ],
  });
  expect(asked).toEqual([0, 2]);
  expect(adapterParamsNow()).toBe(adapterParams);
});
