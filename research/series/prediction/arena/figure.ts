// The arena's frontier as a figure of the docs, light and dark: the page's own picture (src/findings/arena/picture.ts) with colours written
// out, under a title and over its legend.
import { type Frontier, frontierOf, frontierWords, sheetStatus } from '../../../../src/findings/arena/frontier.ts';
import { legendOf, pictureOf } from '../../../../src/findings/arena/picture.ts';
import type { ArenaSheet, ArenaSheetName } from '../../../../src/findings/arena/sheet.ts';
import { markerOf } from '../../../../src/lib/marker.ts';
import type { Shape } from '../../../../src/lib/plot.ts';

export const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];

/** Where they are, below the project. */
export const arenaFigurePath = (scheme: Scheme): string => `docs/figures/arena${scheme === 'light' ? '' : '-dark'}.svg`;

/** Those of the page (src/ui/styles/tokens.css), which a file does not have. */
export const COLOURS: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  surface: ['#ffffff', '#161a21'],
  ink: ['#16181d', '#eceef2'],
  'ink-2': ['#4a505c', '#a8b0bd'],
  'ink-3': ['#626875', '#8d96a5'],
  line: ['#e0e0d8', '#2a313c'],
  'line-2': ['#8b8f98', '#6a7382'],
  good: ['#00694a', '#4fd3a6'],
  'arm-vermillion': ['#c84b00', '#ff8a4c'],
  'arm-blue': ['#0068a8', '#59b4f2'],
  'arm-green': ['#007f5c', '#2fd0a2'],
  'arm-purple': ['#a9457f', '#e89bc8'],
  'arm-amber': ['#9a6a00', '#f0c04a'],
  'arm-sky': ['#1f77a8', '#9ad7f7'],
  'arm-grey': ['#6b7280', '#9aa3b2'],
};

const WIDTH = 880;
const HEIGHT = 420;
const [HEAD, ROW, PAD] = [34, 20, 14];
/** Of a letter, about. */
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
  const text = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui,sans-serif">`,
    `<title>${escaped(`${sheetStatus(name, frontier)} ${frontierWords(frontier)}`)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="var(--surface)"/>`,
    svgOf(title),
    `<g transform="translate(0 ${HEAD})">`,
    ...shapes.map(svgOf),
    '</g>',
    `<g transform="translate(0 ${HEAD + HEIGHT + 8})">`,
    ...legend.shapes.map(svgOf),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
  return text.replace(/var\(--([\w-]+)\)/g, (_, token: string) => colour(token, scheme));
}

function colour(token: string, scheme: Scheme): string {
  const pair = COLOURS[token];
  if (!pair) throw new RangeError(`no colour --${token}`);
  return pair[SCHEMES.indexOf(scheme)];
}

/** In lines that fit the width. */
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

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function svgOf(shape: Shape): string {
  const { text = null, ...own } = { fill: 'none', ...shape } as Record<string, string | number | undefined>;
  const attributes = Object.entries(own)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        ` ${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}="${escaped(String(value))}"`,
    )
    .join('');
  return text === null ? `<path${attributes}/>` : `<text${attributes}>${escaped(String(text))}</text>`;
}
