// A plot with its title, description, legend, and the menu that saves it. All charts in plain SVG are of this kind.
import { type ReactNode, type Ref, useRef } from 'react';
import { useNarrow } from '../parts/use-narrow.ts';
import { Legend, type LegendProps } from './Legend.tsx';
import { PictureMenu } from './PictureMenu.tsx';
import { Plot, type PlotProps } from './Plot.tsx';

/** Maximum number of legend lines above the chart on a phone. A longer legend is below the chart. */
const MOST_ABOVE = 6;

interface FigureProps extends Pick<LegendProps, 'isMarks' | 'hidden' | 'onHidden'> {
  /** Identifies the figure, and names the files that are saved. */
  id: string;
  title: string;
  about: string;
  legend?: LegendProps['lines'];
}

/** A figure of several plots, or of one that cannot be saved. */
export function ChartFigure({
  id,
  title,
  about,
  legend = [],
  menu,
  ref,
  children,
  ...shown
}: FigureProps & { menu?: ReactNode; ref?: Ref<HTMLElement>; children: ReactNode }) {
  const isBelow = useNarrow() && legend.length > MOST_ABOVE;
  const key = legend.length > 0 ? <Legend title={`Legend of ${title}`} lines={legend} {...shown} /> : null;
  return (
    <figure ref={ref} className="chart" aria-labelledby={id} data-testid={id}>
      <figcaption>
        <div className="chart-title">
          <h3 id={id}>{title}</h3>
          <span className="chart-tools">{menu}</span>
        </div>
        <p>{about}</p>
        {isBelow ? null : key}
      </figcaption>
      {children}
      {isBelow ? key : null}
    </figure>
  );
}

interface PlotFigureProps extends FigureProps, PlotProps {
  /** The values that are drawn, as CSV. */
  csv: () => string;
}

export function PlotFigure({
  id,
  title,
  about,
  legend = [],
  isMarks,
  hidden,
  onHidden,
  csv,
  ...plot
}: PlotFigureProps) {
  const figure = useRef<HTMLElement>(null);
  const caption = { title, about, note: [plot.x.label, plot.y?.label].filter(Boolean).join('; ') };
  const drawn = legend.filter((item) => !hidden?.has(item.id));
  return (
    <ChartFigure
      {...{ id, title, about, legend, isMarks, hidden, onHidden }}
      ref={figure}
      menu={<PictureMenu figure={figure} file={id} caption={caption} legend={drawn} csv={csv} />}
    >
      <Plot {...plot} />
    </ChartFigure>
  );
}
