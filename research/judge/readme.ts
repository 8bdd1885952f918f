// What was found, as text between markers, written by `npm run research -- publish` from the published sheets and headlines. README has one
// line an environment; the docs' page of findings has every question: what must be asked first, then what was asked again with what was
// asked first, what fails before what holds. Sentences are the questions' own, so none says more than its rule's word.

import { plural } from '../../src/experiments/analysis/words.ts';
import type { Status } from '../../src/experiments/judge/estimate.ts';
import type { EnvironmentHeadline } from '../../src/findings/headline.ts';
import { SERIES, SERIES_IDS, type SeriesId, seriesOf } from '../../src/findings/series.ts';
import type { SeriesSheet, ShownQuestion } from '../../src/findings/sheet.ts';
import { countsOf, type Stem, statusCounts, stemsOf } from '../../src/findings/stems.ts';
import { inBrackets, points } from '../../src/lib/numbers.ts';
import type { Markers } from './markers.ts';

export const STUDY_MARKERS: Markers = { start: '<!-- study --report -->', end: '<!-- end -->' };
export const AGE_MARKERS: Markers = { start: '<!-- ages -->', end: '<!-- end ages -->' };
export const FINDINGS_MARKERS: Markers = { start: '<!-- findings -->', end: '<!-- end findings -->' };

export const HEADLINE_MARKERS: Markers = { start: '<!-- headlines -->', end: '<!-- end headlines -->' };
/** The page that has every question in a sentence. */
export const FINDINGS_PAGE = 'docs/explanation/findings.md';
/** The page that says over all series what holds, under which conditions, and what would change it. It begins with README's lines. */
export const OVERVIEW_PAGE = 'docs/findings.md';

/** Its parts, and whose questions each has. */
export const FINDINGS_PARTS: readonly { markers: Markers; series: readonly SeriesId[] }[] = [
  { markers: STUDY_MARKERS, series: ['study'] },
  { markers: FINDINGS_MARKERS, series: SERIES_IDS.filter((id) => id !== 'study') },
];

/** Told in a sentence each; of the others the ids alone, since there is little to be told of what is open. */
const DECIDED: readonly Status[] = ['fails', 'holds'];

/** README's lines: each environment's sentence with its difference, interval, n and page, then how all questions stand. */
export function headlineLines(
  headlines: readonly EnvironmentHeadline[],
  sheets: ReadonlyMap<SeriesId, SeriesSheet>,
): string[] {
  const lines = headlines.map(({ environment, asked, unit, sentence, n, figures }) => {
    const { mean, interval } = figures.find(({ name }) => name === 'difference')!;
    const page = asked ? seriesOf(asked.series).docs : `docs/explanation/${environment}.md`;
    const by = asked ? ` (${asked.question})` : '';
    return `- [${environment}](${page}): ${sentence} ${points(mean)}${inBrackets(interval, points, ' ')} points, n = ${n} ${unit}${by}.`;
  });
  const all = [...sheets.values()].flatMap(({ questions }) => questions);
  return [
    ...lines,
    `- [All ${all.length} entries of ${sheets.size} series](${FINDINGS_PAGE}), in a sentence each: ${countsOf(all)}.`,
  ];
}

/** On an environment's page of the docs: `<!-- headline NAME -->`. */
export const headlineMarkers = (environment: string): Markers => ({
  start: `<!-- headline ${environment} -->`,
  end: '<!-- end headline -->',
});

/** The sentence, its figure, and the differences with what n counts. @param up from the page to docs/ */
export function headlineSection(
  { environment, unit, sentence, n, figures }: EnvironmentHeadline,
  up = '../',
): string[] {
  const differences = figures
    .filter(({ name }) => name.startsWith('difference'))
    .map(({ name, mean, interval }) => {
      const between = interval ? ` (95% CI ${points(interval.low)} to ${points(interval.high)})` : '';
      return `${name} ${points(mean)} points${between}`;
    });
  return [
    `**${sentence}**`,
    '',
    `![${sentence}](${up}figures/${environment}.svg)`,
    '',
    `Paired by unit: ${differences.join('; ')}; n = ${n} ${unit}. Whiskers are 95% intervals over units (Student); a bar without one is one model that every unit began as.`,
  ];
}

/** Of those series that are there, for the page of findings. */
export function findingsSummary(sheets: ReadonlyMap<SeriesId, SeriesSheet>): string[] {
  return SERIES.flatMap(({ id, label, docs }) => {
    const sheet = sheets.get(id);
    if (!sheet) return [];
    const { questions, first = [], origin } = sheet;
    const stems = stemsOf(questions);
    const isDecided = ({ entries }: Stem) => entries.length > 1 || DECIDED.includes(entries[0].standing);
    const others = stems.filter((stem) => !isDecided(stem)).flatMap(({ entries }) => entries);
    const asked = stems.length === questions.length ? '' : `, ${questions.length} entries`;
    return [
      `- **${label}** ([lab book](../${docs.replace(/^docs\//, '')}), ${plural(stems.length, 'question')}${asked}${origin ? `, ${plural(origin.runs, 'run')}` : ''})`,
      ...first.map((line) => `  - ${line}`),
      ...stems.filter(isDecided).flatMap(({ entries }) => {
        const standing = entries.length === 1 ? entries[0].standing : countsOf(entries);
        return [`  - *${standing}*: ${summaryOf(entries)}`, ...limits(entries)];
      }),
      ...others.map(({ id, standing, title }) => `  - *${standing}*: ${id}, “${title}”`),
      ...limits(others),
    ];
  });
}

/** What the rows show that the verdicts' words do not, below them: one line an entry. What is open claims nothing to be limited. */
const limits = (entries: readonly ShownQuestion[]): string[] =>
  entries.flatMap(({ id, standing, limits = [] }) =>
    limits.length > 0 && standing !== 'open' ? [`    - ${id}: ${limits.join(' ')}`] : [],
  );

/** What fails, then what holds, a sentence for those that say the same; then which of its entries stand elsewhere. */
function summaryOf(entries: readonly ShownQuestion[]): string {
  const sentences = DECIDED.flatMap((standing) =>
    sayingAlike(entries.filter((entry) => entry.standing === standing)).map(({ said, by }) => {
      const ids = by.map(({ id, n, unit }) => `${id}, n = ${n} ${unit}`).join('; ');
      return `${said.replace(/\.$/, '')} (${ids}).`;
    }),
  );
  const rest = entries.filter(({ standing }) => !DECIDED.includes(standing));
  // Where nothing is told, what was asked.
  const question = sentences.length === 0 ? [entries[0].title] : [];
  return [...question, ...sentences, ...(rest.length > 0 ? [`(${named(rest)}.)`] : [])].join(' ');
}

/** Asked elsewhere, an entry says the same and where. */
function sayingAlike(entries: readonly ShownQuestion[]): { said: string; by: ShownQuestion[] }[] {
  const all: { said: string; by: ShownQuestion[] }[] = [];
  for (const entry of entries) {
    const first = all.find(({ said }) => entry.said.startsWith(said.replace(/\.$/, '')));
    if (first) first.by.push(entry);
    else all.push({ said: entry.said, by: [entry] });
  }
  return all;
}

/** `*in part*: C6a, C12; *open*: C7` */
const named = (entries: readonly ShownQuestion[]): string =>
  statusCounts(entries)
    .map(({ standing }) => {
      const ids = entries.filter((entry) => entry.standing === standing).map(({ id }) => id);
      return `*${standing}*: ${ids.join(', ')}`;
    })
    .join('; ');
