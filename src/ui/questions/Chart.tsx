// A question's chart, of whatever kind it is.
import type { Chart as ChartData, Table } from '../../experiments/questions/types.ts';
import { DotFigure } from './DotFigure.tsx';
import { LineFigure } from './LineFigure.tsx';
import { MarkFigures } from './MarkFigure.tsx';

/** `table`: the question's first, whose rows a chart's marks may be. */
export function Chart({ id, chart, table }: { id: string; chart: ChartData; table?: Table }) {
  switch (chart.kind) {
    case 'lines':
      return <LineFigure id={id} chart={chart} />;
    case 'dots':
      return <DotFigure id={id} chart={chart} />;
    case 'marks':
      return table ? <MarkFigures id={id} chart={chart} table={table} /> : null;
  }
}
