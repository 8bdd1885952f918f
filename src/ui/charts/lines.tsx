// How a line of a chart is drawn: its stroke, where it is marked, and the band of its seeds.
import type { ChartLine, ChartPoint } from '../../store/charts/data.ts';
import { MARKERS } from './recharts.ts';

const isFaint = ({ kind }: ChartLine) => kind === 'raw' || kind === 'seed';

export function strokeOf(line: ChartLine) {
  return {
    stroke: line.style.color,
    strokeWidth: isFaint(line) ? 1 : 2,
    strokeOpacity: isFaint(line) ? 0.32 : 1,
    strokeDasharray: isFaint(line) ? undefined : line.style.dash,
  };
}

/** Every evaluation has its marker; a line through steps has a few, and one where it is a single point. `r` is half of its height. */
export function marksOf(line: ChartLine, points: readonly ChartPoint[]): { points: readonly ChartPoint[]; r: number } {
  const isEvaluated = line.kind === 'evaluated';
  const own = isFaint(line) ? [] : points.filter((point) => typeof point[line.key] === 'number');
  const every = isEvaluated ? 1 : Math.max(1, Math.ceil(own.length / MARKERS));
  return { points: own.filter((_, i) => i % every === 0), r: isEvaluated ? 4.5 : 3.2 };
}

/** The mean's interval at a point, cut to the value axis; nulls where too few seeds have come. */
export function bandOf([low, high]: readonly [string, string], bottom: number, top: number) {
  const within = (y: number) => Math.min(top, Math.max(bottom, y));
  return (point: ChartPoint): [number, number] | [null, null] => {
    const [a, b] = [point[low], point[high]];
    return typeof a === 'number' && typeof b === 'number' ? [within(a), within(b)] : [null, null];
  };
}
