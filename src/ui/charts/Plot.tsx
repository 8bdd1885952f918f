// A chart in plain SVG: frame, ticks, titles, and room for the marks that its children draw. It is drawn at the available width, so that
// the size of text is constant, also on a phone. Colours are attributes, so that a saved image contains them too.
import type { ReactNode } from 'react';
import { frameOf, type Place, type PlotAxes, type PlotSize, placeOf } from '../../lib/plot.ts';
import { useWidth } from '../parts/use-width.ts';
import { Shapes } from './Shapes.tsx';

export interface PlotProps extends PlotAxes, Pick<PlotSize, 'pad'> {
  height?: number;
  /** The chart in words, for screen readers. */
  description: string;
  children: (place: Place) => ReactNode;
}

export function Plot({ height = 280, pad, description, x, y, children }: PlotProps) {
  const [box, width] = useWidth();
  const size = { width, height, pad };
  const place = placeOf(size, { x, y });
  return (
    <div ref={box} className="plot" style={{ height }}>
      {width > 0 ? (
        <svg className="picture" width={width} height={height} role="img" aria-label={description}>
          <Shapes shapes={frameOf({ x, y }, size, place)} />
          {children(place)}
        </svg>
      ) : null}
    </div>
  );
}
