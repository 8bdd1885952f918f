// The interval of a mean over training seeds and evaluation draws. Each seed's model is evaluated with the same random draws, so seeds and
// draws are crossed random factors. Two-way random effects without replication,
//   y_ij = μ + a_i + b_j + e_ij,   Var(ȳ) = σ²_a/R + σ²_b/C + σ²_e/(RC) = (MS_a + MS_b − MS_e) / (RC)   in expectation,
// with Satterthwaite's degrees of freedom (Biometrics Bulletin 2, 1946; Searle, Casella and McCulloch, "Variance Components", 1992, ch. 4).
// Owen's pigeonhole bootstrap (Annals of Applied Statistics 1, 2007) needs no normality, but with as few as five seeds its percentile
// intervals are too narrow (docs/explanation/statistics.md has both coverages).
import type { Interval } from './bootstrap.ts';
import { mean } from './moments.ts';
import { pairedT } from './paired-t.ts';
import { tQuantile } from './student-t.ts';

export interface Crossed {
  mean: number;
  /** Standard error of the mean over both factors. */
  sem: number;
  /** Satterthwaite's degrees of freedom; not necessarily whole. */
  df: number;
  interval: Interval;
}

/**
 * With one draw this is Student's interval over seeds. The variance is never less than that of the seeds' or of the draws' means. Null for
 * fewer than two seeds. Throws RangeError on rows of different lengths.
 * @param values [seeds, draws]
 */
export function crossedMean(values: readonly (readonly number[])[], coverage = 0.95): Crossed | null {
  const [rows, columns] = [values.length, values[0]?.length ?? 0];
  if (values.some((row) => row.length !== columns || columns === 0))
    throw new RangeError('crossedMean(values) needs rows of one length, at least 1');
  if (rows < 2) return null;
  const bySeed = values.map((row) => mean(row) as number);
  const simple = pairedT(bySeed, coverage) as NonNullable<ReturnType<typeof pairedT>>;
  if (columns === 1) return { mean: simple.mean, sem: simple.sem, df: simple.df, interval: simple.interval };
  const centre = simple.mean;
  const byDraw = Array.from({ length: columns }, (_, j) => mean(values.map((row) => row[j])) as number);
  const squares = (of: readonly number[]) => of.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  const rest = values.reduce(
    (sum, row, i) => sum + row.reduce((own, value, j) => own + (value - bySeed[i] - byDraw[j] + centre) ** 2, 0),
    0,
  );
  const [ofSeeds, ofDraws, ofRest] = [
    { df: rows - 1, square: (columns * squares(bySeed)) / (rows - 1) },
    { df: columns - 1, square: (rows * squares(byDraw)) / (columns - 1) },
    { df: (rows - 1) * (columns - 1), square: rest / ((rows - 1) * (columns - 1)) },
  ];
  const sum = ofSeeds.square + ofDraws.square - ofRest.square;
  const larger = ofSeeds.square >= ofDraws.square ? ofSeeds : ofDraws;
  // Negative variance components count as zero.
  const square = Math.max(sum, larger.square);
  const spread = [ofSeeds, ofDraws, ofRest].reduce((total, one) => total + one.square ** 2 / one.df, 0);
  const df = sum > larger.square ? Math.max(1, sum ** 2 / spread) : larger.df;
  const sem = Math.sqrt(square / (rows * columns));
  const half = sem === 0 ? 0 : tQuantile((1 + coverage) / 2, df) * sem;
  return { mean: centre, sem, df, interval: { low: centre - half, high: centre + half } };
}
