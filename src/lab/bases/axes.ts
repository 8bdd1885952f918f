// A basis as the page draws it: singular values and zero rows of every module, and the pairs behind each axis.
import type { RawBasis } from '../../algorithms/extraction.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import type { BasisAxes, PairVotes } from '../protocol/bases.ts';

export function axesOf(
  id: string,
  { raw, votes }: { raw: RawBasis; votes: Readonly<Record<string, PairVotes>> },
  layout: AdapterLayout,
): BasisAxes {
  const modules = layout.modules.flatMap(({ name }) => {
    const directions = raw.get(name);
    if (!directions) return [];
    const { k, r, V, S } = directions;
    const zero = Array.from({ length: k }, (_, axis) => V.subarray(axis * r, (axis + 1) * r).every((x) => x === 0));
    return [{ name, r, S: [...S], zero, votes: votes[name] ?? null }];
  });
  return { id, modules };
}
