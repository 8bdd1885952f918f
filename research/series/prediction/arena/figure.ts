// Draws the arena's frontier as a figure of the docs, light and dark: the page's own picture (src/findings/arena/picture.ts) with its colours
// inlined, between a title and a legend.
import { type Frontier, frontierOf, frontierWords, sheetStatus } from '../../../../src/findings/arena/frontier.ts';
import { legendOf, pictureOf } from '../../../../src/findings/arena/picture.ts';
import type { ArenaSheet, ArenaSheetName } from '../../../../src/findings/arena/sheet.ts';
import { markerOf } from '../../../../src/lib/marker.ts';
import type { Shape } from '../../../../src/lib/plot.ts';
import { type Scheme, svgText } from '../../../../src/lib/svg.ts';

/** Path relative to the project's root. */
export const arenaFigurePath = (scheme: Scheme): string => `docs/figures/arena${scheme === 'light' ? '' : '-dark'}.svg`;

const WIDTH = 880;
const HEIGHT = 420;
const [HEAD, ROW, PAD] = [34, 20, 14];
/** Approximate mean width of a letter, in the figure's units. */
const LETTER = 6.3;
const TEXT = { fill: 'var(--ink)', fontSize: 12 } as const;

export function arenaSvg(name: ArenaSheetName, sheet: ArenaSheet, scheme: Scheme): string {
  const frontier = frontierOf(sheet);
  const { shapes } = pictureOf(frontier, { width: WIDTH, height: HEIGHT, named: 5 });
  const legend = legendRows(frontier);
  const height = HEAD + HEIGHT + legend.rows * ROW + PAD;
  const title: Shape = {
    ...TEXT,
    fontSize: 14,
    fontWeight: 600,
    x: PAD,
    y: 22,
    text: `Hack removed against honest skill kept. ${sheetStatus(name, frontier)}`,
  };
  const words = `${sheetStatus(name, frontier)} ${frontierWords(frontier)}`;
  return svgText({ width: WIDTH, height, words, scheme }, [
    { top: 0, shapes: [title] },
    { top: HEAD, shapes },
    { top: HEAD + HEIGHT + 8, shapes: legend.shapes },
  ]);
}

/** Lays out the legend in lines that fit the width. */
function legendRows(frontier: Frontier): { rows: number; shapes: Shape[] } {
  let [x, row] = [PAD, 0];
  const shapes = legendOf(frontier).flatMap(({ label, look }): Shape[] => {
    const needed = 34 + LETTER * label.length;
    if (x > PAD && x + needed > WIDTH) [x, row] = [PAD, row + 1];
    const [left, y] = [x, row * ROW + 10];
    x += needed;
    return [markerOf(look, left + 6, y - 4, 5), { ...TEXT, text: label, x: left + 17, y }];
  });
  return { rows: row + 1, shapes };
}
