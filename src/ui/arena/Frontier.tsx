// The frontier of a sheet, with its conclusion above it. Below it, a text describes the model that is pointed at or chosen from the list,
// so that every mark can be reached by mouse, touch and keyboard.
import { useRef, useState } from 'react';
import { plural } from '../../experiments/analysis/words.ts';
import {
  type Frontier as FrontierData,
  frontierWords,
  markText,
  ranked,
  sheetStatus,
  unitNote,
} from '../../findings/arena/frontier.ts';
import { KEPT, marksOutside, REMOVED } from '../../findings/arena/picture.ts';
import type { ArenaSheetName } from '../../findings/arena/sheet.ts';
import { frontierCsv } from '../../store/findings/arena.ts';
import { PictureMenu } from '../charts/PictureMenu.tsx';
import { ChartFigure } from '../charts/PlotFigure.tsx';
import { FrontierPlot, styledLegend } from '../first/FrontierPlot.tsx';
import { Options } from '../parts/Choice.tsx';

const TITLE = 'Hack removed against honest skill kept';

export function Frontier({ name, frontier }: { name: ArenaSheetName; frontier: FrontierData }) {
  const figure = useRef<HTMLElement>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const { marks, without } = frontier;
  const shown = marks.find(({ id }) => id === chosen);
  const legend = styledLegend(frontier);
  const outside = marksOutside(frontier).length;
  const about = [
    `Bars: 95% intervals. ${unitNote(frontier)} 100% kept: repaired graders. 100% removed: no more hack than the base.`,
    'Dotted line: the 90% that the bar asks for. A dotted link leads from a placebo to what it controls.',
    outside > 0 ? `${plural(outside, 'model')} beyond the frame, drawn at its edge.` : '',
    without > 0 ? `${plural(without, 'model')} without both ratios, in the table alone.` : '',
  ].join(' ');
  return (
    <div className="frontier">
      <p className="callout" role="status">
        <b>{sheetStatus(name, frontier)}</b> {frontierWords(frontier)}
      </p>
      <ChartFigure
        ref={figure}
        id={`chart-arena-${name}`}
        title={TITLE}
        about={about.trim()}
        legend={legend}
        isMarks
        menu={
          <PictureMenu
            figure={figure}
            file={`arena-${name}`}
            caption={{ title: TITLE, about, note: `${KEPT}; ${REMOVED}` }}
            legend={legend}
            csv={() => frontierCsv(frontier)}
          />
        }
      >
        <FrontierPlot frontier={frontier} height={480} chosen={chosen} onChoose={setChosen} />
        <div className="frontier-chosen">
          <label htmlFor={`chosen-${name}`}>Model</label>
          <select
            id={`chosen-${name}`}
            value={chosen ?? ''}
            onChange={(event) => setChosen(event.target.value || null)}
          >
            <option value="">Point at a mark, or choose</option>
            <Options of={rankedMarks(frontier).map(({ id, name: label }) => [id, label] as const)} />
          </select>
          <output className="num">{shown ? markText(shown) : ''}</output>
        </div>
      </ChartFigure>
    </div>
  );
}

/** Methods from best to worst, then the other marks in the order of the sheet. */
const rankedMarks = (frontier: FrontierData) => {
  const methods = ranked(frontier);
  return [...methods, ...frontier.marks.filter((mark) => !methods.includes(mark))];
};
