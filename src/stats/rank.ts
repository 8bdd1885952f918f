// Spearman's rank correlation (Pearson's correlation of the ranks, with mean ranks for ties), and the area under the ROC curve.

/** Ranks from 1; ties get their mean rank. */
export function ranks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  const out = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && values[order[to]] === values[order[from]]) to++;
    for (let i = from; i < to; i++) out[order[i]] = (from + 1 + to) / 2;
    from = to;
  }
  return out;
}

/** Null for fewer than three pairs, or if one variable is constant. */
export function pearson(xs: readonly number[], ys: readonly number[]): number | null {
  const n = xs.length;
  if (n < 3) return null;
  const centre = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / n;
  const [mx, my] = [centre(xs), centre(ys)];
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    xy += (xs[i] - mx) * (ys[i] - my);
    xx += (xs[i] - mx) ** 2;
    yy += (ys[i] - my) ** 2;
  }
  return xx === 0 || yy === 0 ? null : xy / Math.sqrt(xx * yy);
}

export const spearman = (xs: readonly number[], ys: readonly number[]): number | null => pearson(ranks(xs), ranks(ys));

/** Area under the ROC curve: the probability that a positive's score exceeds a negative's, ties counting half (Hanley & McNeil 1982).
 *  Throws RangeError if one side is empty. */
export function areaUnderRoc(positives: readonly number[], negatives: readonly number[]): number {
  const [p, n] = [positives.length, negatives.length];
  if (p === 0 || n === 0) throw new RangeError(`a ROC curve needs both sides, got ${p} positives and ${n} negatives`);
  const sum = ranks([...positives, ...negatives])
    .slice(0, p)
    .reduce((total, rank) => total + rank, 0);
  return (sum - (p * (p + 1)) / 2) / (p * n);
}
