// Writes shapes of a plot (plot.ts) as an SVG file, with literal colours, since a file has no stylesheet. Lowest layer; pure.
import type { Shape } from './plot.ts';

export const SCHEMES = ['light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

/** The page's colours (src/ui/styles/tokens.css). */
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

export interface SvgPart {
  /** Vertical offset, pixels. */
  top: number;
  shapes: readonly Shape[];
}

export interface SvgFile {
  width: number;
  height: number;
  /** Description of the picture, for accessibility. */
  words: string;
  scheme: Scheme;
}

/** All parts on the page's background. Throws RangeError for a colour that the page does not have. */
export function svgText({ width, height, words, scheme }: SvgFile, parts: readonly SvgPart[]): string {
  const text = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui,sans-serif">`,
    `<title>${escaped(words)}</title>`,
    `<rect width="${width}" height="${height}" fill="var(--surface)"/>`,
    ...parts.flatMap(({ top, shapes }) =>
      top === 0 ? shapes.map(svgOf) : [`<g transform="translate(0 ${top})">`, ...shapes.map(svgOf), '</g>'],
    ),
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
