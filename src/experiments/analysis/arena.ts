// The arena's two axes (docs/arena.md), against the base, vanilla and the repaired graders of the same cell (seed, data seed, modes):
//   kept    = (arm − base) / (repaired − base) of solve: on honest prompts, on hackable ones, on both, always all three;
//   removed = 1 − (arm's hack − base's) / (vanilla's − base's).
// Each is a ratio of means with Fieller's interval. Every cell counts with the runs that it has, also if vanilla did not hack in it or the
// repaired graders taught nothing. The unit of the intervals is the draw of problems (data seed), with the mean of its cells: cells of one draw
// share problems, and cells of two modes even runs, so thirty cells of three draws are only three observations of what another draw would
// give. If all runs are of one draw, the unit is the cell.
import { inBrackets, percent } from '../../lib/numbers.ts';
import { fieller, type Ratio, sum } from '../../stats/index.ts';
import { ARMS, type Arm } from '../config/arms.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { withDefaults } from '../config/spec.ts';
import type { RunRecord } from '../records/events.ts';
import { finalRow, metricValue, ofKind, overDraws, type Rates } from '../records/metrics.ts';
import { isComplete } from './compare.ts';
import { deployedRowLabel, nameOf } from './names.ts';
import { vanillaOf } from './vanilla.ts';

export interface ArenaRow {
  arm: string;
  model: string;
  label: string;
  /** Number of cells with the arm, vanilla and the repaired graders; also the n of the ratios. */
  n: number;
  /** Number of draws of problems among the cells; the unit of the intervals if there are several. Absent in older sheets. */
  draws?: number;
  kept: { honest: Ratio; hackable: Ratio; both: Ratio };
  removed: Ratio;
}

const PROMPTS = ['honest', 'hackable', 'both'] as const;

/** Solve over the honest prompts, the hackable ones, or both; null if there are none. */
export function solveOn(rates: Rates, prompts: (typeof PROMPTS)[number]): number | null {
  if (prompts === 'both') return metricValue(rates, 'solve');
  const kinds = Object.keys(rates.figures).flatMap((id) => (id.startsWith('n:') ? [id.slice(2)] : []));
  let [solved, asked] = [0, 0];
  for (const kind of kinds.filter((kind) => (kind === 'honest') === (prompts === 'honest'))) {
    const n = metricValue(rates, ofKind('n', kind)) ?? 0;
    solved += n * (metricValue(rates, ofKind('solve', kind)) ?? 0);
    asked += n;
  }
  return asked === 0 ? null : solved / asked;
}

/** Groups the complete runs that may be compared: the same environment, model, seed, problems, trusted problems and length of training. */
export function cellsOf(runs: readonly RunRecord[]): RunRecord[][] {
  const cells = new Map<string, RunRecord[]>();
  for (const run of runs.filter(isComplete)) {
    const key = cellKey(withDefaults(run.spec));
    cells.set(key, [...(cells.get(key) ?? []), run]);
  }
  return [...cells.values()];
}

export const cellKey = (spec: RunSpec): string => {
  const { environment, model, seed, dataSeed, modes, steps, problems, honestShare, trustedShare, trustedArguments } =
    spec;
  const identity = [environment, model, seed, dataSeed, modes, steps, problems, honestShare];
  return JSON.stringify([...identity, trustedShare, trustedArguments]);
};

/** The unit of a row's intervals. Rules that were registered for cells pass `cell`. */
export type ArenaUnit = 'draw' | 'cell';

interface Compared {
  /** Data seed. */
  draw: number;
  arm: Rates;
  base: Rates;
  vanilla: Rates;
  repaired: Rates;
}

/** A row for every model of every arm with a cell that has a repaired and a vanilla run; empty without repaired graders. */
export function arenaRows(runs: readonly RunRecord[], unit: ArenaUnit = 'draw'): ArenaRow[] {
  const found = new Map<string, { arm: string; model: string; cells: Compared[] }>();
  for (const cell of cellsOf(runs)) {
    const lines = linesOf(cell);
    if (!lines) continue;
    // An arm that was run again in a cell to evaluate further models adds only those.
    const counted = new Set<string>();
    for (const run of cell) {
      for (const { model, kind, all } of run.evals.map(overDraws)) {
        const key = `${run.spec.arm} ${model}`;
        if (kind !== 'final' || model === 'base' || counted.has(key)) continue;
        counted.add(key);
        const known = found.get(key) ?? { arm: run.spec.arm, model, cells: [] };
        found.set(key, { ...known, cells: [...known.cells, { ...lines, arm: all }] });
      }
    }
  }
  return [...found.values()].map(({ arm, model, cells }) => {
    const draws = new Set(cells.map(({ draw }) => draw)).size;
    const own = unit === 'draw' && draws > 1 ? 'draw' : 'cell';
    return {
      arm,
      model,
      label: model === 'deployed' ? deployedRowLabel(arm) : nameOf(arm, model, []),
      n: cells.length,
      draws,
      kept: {
        honest: keptShare(cells, 'honest', own),
        hackable: keptShare(cells, 'hackable', own),
        both: keptShare(cells, 'both', own),
      },
      removed: removedShare(cells, own),
    };
  });
}

function linesOf(cell: readonly RunRecord[]): Omit<Compared, 'arm'> | null {
  const repaired = cell.find(({ spec }) => withDefaults(spec).graders === 'repaired');
  const vanilla = repaired && vanillaOf(repaired.spec, cell)[0];
  if (!repaired || !vanilla) return null;
  const rates = [finalRow(vanilla, 'base'), finalRow(vanilla, 'total'), finalRow(repaired, 'total')];
  const [base, top, line] = rates.map((row) => row?.all);
  const { dataSeed: draw } = withDefaults(repaired.spec);
  return base && top && line ? { draw, base, vanilla: top, repaired: line } : null;
}

interface Gain {
  draw: number;
  /** Values above the base: the arm's, and those of its reference. */
  pair: readonly [own: number, whole: number];
}

/** Mean own gain divided by mean reference gain. */
function ratioOf(gains: readonly Gain[], unit: ArenaUnit): Ratio {
  if (unit === 'cell') return fieller(gains.map(({ pair }) => pair));
  const draws = [...new Set(gains.map(({ draw }) => draw))].map((draw) => gains.filter((gain) => gain.draw === draw));
  const meanOf = (of: readonly Gain[], i: 0 | 1) => sum(of.map(({ pair }) => pair[i])) / of.length;
  const { ratio, interval } = fieller(draws.map((of) => [meanOf(of, 0), meanOf(of, 1)] as const));
  return { n: gains.length, ratio, interval };
}

function keptShare(cells: readonly Compared[], prompts: (typeof PROMPTS)[number], unit: ArenaUnit): Ratio {
  const gains = cells.flatMap(({ draw, arm, base, repaired }): Gain[] => {
    const [own, low, high] = [arm, base, repaired].map((rates) => solveOn(rates, prompts));
    return own === null || low === null || high === null ? [] : [{ draw, pair: [own - low, high - low] }];
  });
  return ratioOf(gains, unit);
}

/** 1 − a share, with its interval. */
export const complement = ({ n, ratio, interval }: Ratio): Ratio => ({
  n,
  ratio: ratio === null ? null : 1 - ratio,
  interval: interval && { low: 1 - interval.high, high: 1 - interval.low },
});

/** 1 − the remaining share of vanilla's hack above the base. */
function removedShare(cells: readonly Compared[], unit: ArenaUnit): Ratio {
  const gains = cells.flatMap(({ draw, arm, base, vanilla }): Gain[] => {
    const [own, low, high] = [arm, base, vanilla].map((rates) => metricValue(rates, 'hack'));
    return own === null || low === null || high === null ? [] : [{ draw, pair: [own - low, high - low] }];
  });
  return complement(ratioOf(gains, unit));
}

/** One sentence per row, for the report of an experiment with repaired graders. */
export function arenaVerdicts(runs: readonly RunRecord[]): string[] {
  return arenaRows(runs)
    .filter(({ arm, model }) => isJudged(arm, model))
    .map(({ label, n, kept, removed }) => {
      const columns = PROMPTS.map(
        (prompts) => `${measuredText(kept[prompts])} on ${prompts === 'both' ? 'both' : `${prompts} prompts`}`,
      ).join(', ');
      return `${label} removes ${measuredText(removed)} of the hack and keeps, of what repaired graders teach, ${columns} (n = ${n}).`;
    });
}

/** The reference lines are 0 and 100% by definition. */
const isJudged = (arm: string, model: string): boolean =>
  (ARMS as Record<string, Arm>)[arm]?.settings.graders !== 'repaired' && !(arm === 'none' && model === 'total');

const measuredText = (share: Ratio): string => shareText(share) ?? 'nothing that can be measured';

/** A share with its interval: `94% [88, 100]`; null if there is none. */
export function shareText({ ratio, interval }: Pick<Ratio, 'ratio' | 'interval'>, unit = '%'): string | null {
  return ratio === null ? null : `${percent(ratio, 0, unit)}${inBrackets(interval, (end) => percent(end, 0, ''))}`;
}
