// A small chart of the arena's frontier on the first screen: the sheet's conclusion, the plot, and a link to the arena. Renders nothing if
// no sheet is published. Loaded when it scrolls into view.
import { ARENA_QUESTION, frontierOf, frontierWords, longerWords, sheetStatus } from '../../findings/arena/frontier.ts';
import { Legend } from '../charts/Legend.tsx';
import { ViewLink } from '../parts/links.tsx';
import { FrontierPlot, styledLegend } from './FrontierPlot.tsx';
import { useArena } from './use-arena.ts';
import './found.css';

export default function ArenaPicture() {
  // A sheet that cannot be read is reported on the arena's page, not here.
  const published = useArena().value ?? [];
  const [shown] = published;
  if (!shown) return null;
  const apart = shown.name === 'judged' ? published.find(({ name }) => name === 'apart') : undefined;
  const frontier = frontierOf(shown.sheet);
  return (
    <section className="arena-first" aria-label="Arena">
      <h3>{ARENA_QUESTION}</h3>
      <p>
        <b>{sheetStatus(shown.name, frontier)}</b> {frontierWords(frontier)} {apart ? longerWords(apart.sheet) : ''}
      </p>
      <Legend title="Legend of the arena" lines={styledLegend(frontier)} isMarks />
      <FrontierPlot frontier={frontier} height={280} />
      <p>
        <ViewLink view="arena">All methods, their intervals and their runs</ViewLink>
      </p>
    </section>
  );
}
