// ExIt's diversity bonus (arXiv 2509.04575): advantages, also negative ones, are multiplied by the distance of the answer from the others
// of its group. A pure function of embeddings.
import { minus, norm } from './vectors.ts';

/** d_i = ‖e_i − ē‖ / max_j ‖e_j − ē‖, in [0, 1]; 1 for all if the answers do not differ. */
export function diversityOf(embeddings: readonly Float32Array[]): number[] {
  const [first] = embeddings;
  if (!first) return [];
  const centre = first.map((_, d) => embeddings.reduce((total, row) => total + row[d], 0) / embeddings.length);
  const distances = embeddings.map((row) => norm(minus(row, centre)));
  const most = Math.max(...distances);
  return distances.map((distance) => (most > 0 ? distance / most : 1));
}
