// The bonus of a step: advantages times distances, under the initial adapter parameters, which are put back afterwards.
import { expect, it } from 'vitest';
import type { Policy } from '../../engine/types.ts';
import type { Group } from '../../environments/types.ts';
import { diversifyAdvantages } from './diversity.ts';

/** Embeds a completion as its first token, seen with the adapter parameters at hand. */
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
  // Centroids 4 and 9: distances 4, 2, 2 … of 0, 6, 6; and none.
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
