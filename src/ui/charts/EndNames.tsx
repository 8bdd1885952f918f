// The names of a chart's lines at their right ends, so that the reader need not look back and forth between lines and legend.
import { usePlotArea, useXAxisDomain, useYAxisScale } from 'recharts';
import type { ChartData, LegendEntry } from '../../store/charts/data.ts';
import { type EndLabel, nameHeight, placed } from '../../store/charts/direct-labels.ts';

/** With more names, or in a narrower chart, names would overlap; the legend has them all. */
const MOST = 6;
const LEAST_WIDTH = 220;
const FONT_SIZE = 11;
const HEIGHT = nameHeight(FONT_SIZE);

export function EndNames({ data, legend }: { data: ChartData; legend: readonly LegendEntry[] }) {
  const area = usePlotArea();
  const scale = useYAxisScale();
  const domain = useXAxisDomain();
  const end = Number(domain?.at(-1) ?? Number.POSITIVE_INFINITY);
  if (!area || !scale || area.width < LEAST_WIDTH) return null;
  const labels = legend.flatMap(({ id, label, style }): EndLabel[] => {
    const line = data.lines.find((one) => one.legend === id && (one.kind === 'main' || one.kind === 'evaluated'));
    const last = line && data.points.findLast((point) => point.x <= end && typeof point[line.key] === 'number');
    const y = last && scale(last[line.key] as number);
    return typeof y === 'number' ? [{ id, text: label, color: style.color, y: y - 7 }] : [];
  });
  if (labels.length < 2 || labels.length > MOST) return null;
  const room = { gap: HEIGHT, top: area.y + FONT_SIZE - 2, bottom: area.y + area.height - 3 };
  return (
    <g className="end-names">
      {placed(labels, room).map(({ id, text, color, y }) => (
        <text
          key={id}
          x={area.x + area.width - 2}
          y={y}
          textAnchor="end"
          fill={color}
          stroke="var(--surface)"
          strokeWidth={4}
          paintOrder="stroke"
          fontSize={FONT_SIZE}
          fontWeight={600}
          pointerEvents="none"
        >
          {text}
        </text>
      ))}
    </g>
  );
}
