// A headline's figure for the docs, as SVG: one bar per condition with its 95 % interval, or its units if they differ too widely. The file
// has both colour schemes, so one picture serves light and dark; every length is computed from the rows.
import {
  conditionsOf,
  type EnvironmentHeadline,
  type HeadlineEstimate,
  headlineText,
} from '../../src/findings/headline.ts';

/** Path below the project. */
export const figurePath = (environment: string): string => `docs/figures/${environment}.svg`;

const WIDTH = 880;
const LEFT = 16;
const SPAN = WIDTH - 2 * LEFT;
const ROW = 50;

const STYLE =
  'text{font:14px system-ui,sans-serif;fill:#1f2328}.v{font-weight:600}.b{fill:#7f9fc8}.i{stroke:#1f2328;stroke-width:2;fill:none}' +
  '.a{stroke:#c3c9d1}@media(prefers-color-scheme:dark){text{fill:#e6e8eb}.b{fill:#4a6fa5}.i{stroke:#e6e8eb}.a{stroke:#555c66}}';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const place = (share: number) => (LEFT + SPAN * Math.min(1, Math.max(0, share))).toFixed(1);

export const headlineSvg = (headline: EnvironmentHeadline): string =>
  barsSvg(
    headline.sentence,
    conditionsOf(headline).map((bar) => ({ ...bar, name: bar.name.replace(' … ', ' this share ') })),
  );

/** Bars from 0 to 1, each with its name and value. */
export function barsSvg(title: string, bars: readonly HeadlineEstimate[]): string {
  const height = bars.length * ROW + 40;
  const rows = bars.flatMap((figure, i) => {
    const top = 8 + i * ROW;
    const { mean, interval, each = [] } = figure;
    const line = interval
      ? `<path class="i" d="M${place(interval.low)} ${top + 24}v12m0 -6H${place(interval.high)}m0 -6v12"/>`
      : each.map((value) => `<circle class="i" cx="${place(value)}" cy="${top + 30}" r="4"/>`).join('');
    return [
      `<text x="${LEFT}" y="${top + 14}"><tspan class="v">${headlineText(figure)}</tspan> ${escaped(figure.name)}</text>`,
      `<rect class="b" x="${LEFT}" y="${top + 21}" width="${(SPAN * Math.min(1, Math.max(0, mean))).toFixed(1)}" height="18"/>${line}`,
    ];
  });
  const axis = bars.length * ROW + 12;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<path class="a" d="M${place(share)} ${axis}v6"/><text x="${place(share)}" y="${axis + 21}" text-anchor="${share === 0 ? 'start' : share === 1 ? 'end' : 'middle'}">${100 * share}%</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    ...rows,
    `<path class="a" d="M${LEFT} ${axis}H${WIDTH - LEFT}"/>`,
    ...ticks,
    '</svg>',
    '',
  ].join('\n');
}
