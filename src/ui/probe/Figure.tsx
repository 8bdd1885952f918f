// The frame of the probe's charts: title, legend, menu, and a plain SVG drawn at the width that the page gives, with its axes.
// Colours are written as attributes, so that a saved picture has them too.
import { type ReactNode, useRef } from 'react';
import type { Axis, LegendItem } from '../../store/kinds/probe/chart.ts';
import { PictureMenu } from '../charts/ChartMenu.tsx';
import { useWidth } from '../parts/use-width.ts';

const HEIGHT = 280;
const PAD = { left: 46, right: 14, top: 12, bottom: 40 };
const TEXT = { fill: 'var(--ink-2)', fontSize: 11 } as const;

export interface Place {
  x: (value: number) => number;
  y: (value: number) => number;
}

interface FigureProps {
  id: string;
  title: string;
  about: string;
  /** For those who cannot see it. */
  description: string;
  x: Axis;
  y: Axis;
  /** In the place of the numbers of its ticks, by place. */
  xWords?: readonly string[];
  xLabel: string;
  yLabel: string;
  legend: readonly LegendItem[];
  swatch: (item: LegendItem) => ReactNode;
  csv: () => string;
  children: (place: Place) => ReactNode;
}

export function Figure({
  id,
  title,
  about,
  description,
  x,
  y,
  xWords,
  xLabel,
  yLabel,
  legend,
  swatch,
  csv,
  children,
}: FigureProps) {
  const figure = useRef<HTMLElement>(null);
  const [box, width] = useWidth();
  const right = width - PAD.right;
  const bottom = HEIGHT - PAD.bottom;
  const middle = (PAD.top + bottom) / 2;
  const place: Place = {
    x: (value) => PAD.left + ((value - x.low) / (x.high - x.low)) * (right - PAD.left),
    y: (value) => bottom - ((value - y.low) / (y.high - y.low)) * (bottom - PAD.top),
  };
  const caption = { title, about, note: `${xLabel}; ${yLabel}` };
  return (
    <figure className="chart" ref={figure} aria-labelledby={id} data-testid={id}>
      <figcaption>
        <div className="chart-title">
          <h3 id={id}>{title}</h3>
          <span className="chart-tools">
            <PictureMenu figure={figure} file={id} caption={caption} legend={legend} csv={csv} />
          </span>
        </div>
        <p>{about}</p>
      </figcaption>
      <ul className="legend" aria-label={`Legend of ${title}`}>
        {legend.map((item) => (
          <li key={item.id} data-legend={item.id}>
            {swatch(item)}
            <span>{item.label}</span>
            <span className="muted num">n = {item.n}</span>
          </li>
        ))}
      </ul>
      <div ref={box} style={{ height: HEIGHT }}>
        {width > 0 ? (
          <svg className="picture" width={width} height={HEIGHT} role="img" aria-label={description}>
            {y.ticks.map((tick) => (
              <g key={tick}>
                <line
                  x1={PAD.left}
                  x2={right}
                  y1={place.y(tick)}
                  y2={place.y(tick)}
                  stroke={tick === 0 ? 'var(--ink-3)' : 'var(--line)'}
                />
                <text x={PAD.left - 7} y={place.y(tick) + 4} textAnchor="end" {...TEXT}>
                  {String(tick).replace('-', '−')}
                </text>
              </g>
            ))}
            {x.ticks.map((tick, i) => (
              <text key={tick} x={place.x(tick)} y={bottom + 16} textAnchor="middle" {...TEXT}>
                {xWords?.[i] ?? tick}
              </text>
            ))}
            <text x={(PAD.left + right) / 2} y={HEIGHT - 6} textAnchor="middle" {...TEXT}>
              {xLabel}
            </text>
            <text x={12} y={middle} transform={`rotate(-90 12 ${middle})`} textAnchor="middle" {...TEXT}>
              {yLabel}
            </text>
            {children(place)}
          </svg>
        ) : null}
      </div>
    </figure>
  );
}
