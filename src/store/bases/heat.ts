// The heat map of a basis as numbers: one cell per module and axis, arranged by layer and kind of Linear. It shows which axes a run would
// use, and how dark each cell is.
import { type AxisFate, axisFates } from '../../algorithms/noise-floor.ts';
import type { BasisAxes, ModuleAxes } from '../../lab/protocol/bases.ts';

export type HeatScale = 'log' | 'relative';

export interface HeatCell {
  module: string;
  /** Counts from 0. */
  axis: number;
  s: number;
  fate: AxisFate;
  /** Between 0 and 1; 0 for a zeroed axis. */
  shade: number;
  /** Number of pairs that project hack-ward; null if it is unknown or the axis is zeroed. */
  used: number | null;
  heldout: number | null;
}

export interface HeatMap {
  /** Kinds of Linear, in the model's order. */
  columns: string[];
  /** Largest number of axes of any module. */
  width: number;
  /** Cells by column; null if the layer has no such Linear. */
  rows: { label: string; cells: (HeatCell[] | null)[] }[];
  floor: number;
  /** Smallest and largest nonzero S. */
  range: [number, number] | null;
  counts: Record<AxisFate, number>;
}

/** `model.layers.3.self_attn.q_proj` becomes layer 3, q_proj. Any other name gets a row of its own. */
export function placeOf(module: string): { row: string; column: string } {
  const match = /(?:^|\.)layers?\.(\d+)\.(?:.*\.)?([^.]+)$/.exec(module);
  return match ? { row: `layer ${match[1]}`, column: match[2] } : { row: module, column: 'module' };
}

export function heatMap(
  { modules }: BasisAxes,
  { k, dropBottomFrac, scale }: { k: number; dropBottomFrac: number; scale: HeatScale },
): HeatMap {
  const strengths = modules.map(({ S, zero }) => S.map((s, axis) => ({ s, zero: zero[axis] })));
  const { floor, fates } = axisFates(strengths, { k, dropBottomFrac });
  const positive = modules.flatMap(({ S }) => S.filter((s) => s > 0));
  const range: HeatMap['range'] = positive.length > 0 ? [Math.min(...positive), Math.max(...positive)] : null;
  const counts: HeatMap['counts'] = { kept: 0, zeroed: 0, floor: 0, beyond: 0 };
  const columns: string[] = [];
  const rows = new Map<string, Map<string, HeatCell[]>>();
  modules.forEach((module, m) => {
    const { row, column } = placeOf(module.name);
    if (!columns.includes(column)) columns.push(column);
    const cells = module.S.map((s, axis): HeatCell => {
      counts[fates[m][axis]]++;
      return {
        module: module.name,
        axis,
        s,
        fate: fates[m][axis],
        shade: shadeOf(s, module, range, scale),
        used: module.votes?.used[axis] ?? null,
        heldout: module.votes?.heldout[axis] ?? null,
      };
    });
    rows.set(row, (rows.get(row) ?? new Map<string, HeatCell[]>()).set(column, cells));
  });
  return {
    columns,
    width: Math.max(0, ...modules.map(({ S }) => S.length)),
    rows: [...rows].map(([label, cells]) => ({ label, cells: columns.map((column) => cells.get(column) ?? null) })),
    floor,
    range,
    counts,
  };
}

function shadeOf(s: number, { S }: ModuleAxes, range: HeatMap['range'], scale: HeatScale): number {
  if (!(s > 0) || !range) return 0;
  if (scale === 'relative') return s / Math.max(...S);
  const [least, greatest] = range.map(Math.log);
  return greatest > least ? (Math.log(s) - least) / (greatest - least) : 1;
}

interface AxisAgreement {
  axis: number;
  /** Number of modules whose axis is not zeroed. */
  modules: number;
  /** Shares of pairs that project hack-ward, over these modules; null if there are no such pairs. */
  used: number | null;
  heldout: number | null;
}

/** Agreement by axis number, over all modules; empty if the pairs are unknown. */
export function agreement({ modules }: BasisAxes, nUsed: number, nHeldout: number): AxisAgreement[] {
  if (!modules.some(({ votes }) => votes)) return [];
  const width = Math.max(0, ...modules.map(({ S }) => S.length));
  return Array.from({ length: width }, (_, axis) => {
    const with_ = modules.flatMap(({ votes }) => {
      const used = votes?.used[axis];
      return votes && typeof used === 'number' ? [{ used, heldout: votes.heldout[axis] ?? 0 }] : [];
    });
    const share = (of: 'used' | 'heldout', n: number) =>
      n > 0 && with_.length > 0 ? with_.reduce((sum, vote) => sum + vote[of], 0) / (n * with_.length) : null;
    return { axis, modules: with_.length, used: share('used', nUsed), heldout: share('heldout', nHeldout) };
  });
}
