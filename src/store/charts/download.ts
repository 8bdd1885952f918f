// A chart as CSV: exactly the points that are drawn, with one row per position on the axis.

import { toCsv } from '../../lib/csv.ts';
import { AXES, type AxisName } from './axis.ts';
import type { ChartData, LegendEntry, LineKind } from './data.ts';

const KINDS: Readonly<Record<LineKind, string>> = { raw: 'raw', seed: 'smoothed', main: '', evaluated: '' };

/** Columns: the axis, then each line by its legend name (with its seed if it is a single one) and the ends of its band. */
export function chartCsv(data: ChartData, legend: readonly LegendEntry[], axis: AxisName): string {
  const names = new Map(legend.map(({ id, label }) => [id, label]));
  const columns = data.lines.flatMap((line) => {
    const label = names.get(line.legend) ?? line.legend;
    const name =
      line.kind === 'raw' || line.kind === 'seed'
        ? `${label}, seed ${line.seeds[0]} ${KINDS[line.kind]}`
        : line.seeds.length > 1
          ? `${label}, mean of ${line.seeds.length}`
          : label;
    const own = { key: line.key, name };
    if (!line.band) return [own];
    const [low, high] = line.band;
    return [own, { key: low, name: `${name}, 95% from` }, { key: high, name: `${name}, 95% to` }];
  });
  return toCsv(
    [AXES[axis].unit, ...columns.map(({ name }) => name)],
    data.points.map((point) => [point.x, ...columns.map(({ key }) => point[key])]),
  );
}
