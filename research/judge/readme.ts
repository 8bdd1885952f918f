// Findings as text between markers, written by `npm run research -- publish` from the published sheets and headlines. README has one line
// per environment; the docs' page of findings has every question: a prerequisite comes first, a repetition beside its original, failures
// before successes. Sentences are the questions' own, so none claims more than its verdict.

import { plural } from '../../src/experiments/analysis/words.ts';
import type { Status } from '../../src/experiments/judge/estimate.ts';
import type { AgeStatus } from '../../src/findings/age.ts';
import { AGE_WORDS } from '../../src/findings/front.ts';
import { countText, differenceText, type EnvironmentHeadline } from '../../src/findings/headline.ts';
import { SERIES, SERIES_IDS, type SeriesId, seriesOf } from '../../src/findings/series.ts';
import type { SeriesSheet, ShownQuestion } from '../../src/findings/sheet.ts';
import { countsOf, type Stem, statusCounts, stemsOf } from '../../src/findings/stems.ts';
import type { Markers } from './markers.ts';

export const STUDY_MARKERS: Markers = { start: '<!-- study --report -->', end: '<!-- end -->' };
export const AGE_MARKERS: Markers = { start: '<!-- ages -->', end: '<!-- end ages -->' };
const FINDINGS_MARKERS: Markers = { start: '<!-- findings -->', end: '<!-- end findings -->' };

export const HEADLINE_MARKERS: Markers = { start: '<!-- headlines -->', end: '<!-- end headlines -->' };
/** The page with a sentence for every question. */
export const FINDINGS_PAGE = 'docs/explanation/findings.md';
/** The page on what holds across all series, under which conditions, and what would change it. It begins with README's lines. */
export const OVERVIEW_PAGE = 'docs/findings.md';

/** Parts of the page of findings, and the series in each. */
export const FINDINGS_PARTS: readonly { markers: Markers; series: readonly SeriesId[] }[] = [
  { markers: STUDY_MARKERS, series: ['study'] },
  { markers: FINDINGS_MARKERS, series: SERIES_IDS.filter((id) => id !== 'study') },
];

/** Questions of these statuses get a sentence; the others are listed by id. */
const DECIDED: readonly Status[] = ['fails', 'holds'];

/** README's lines: each environment's sentence with its controls, verdict, n and page, then the status of all questions. */
export function headlineLines(
  headlines: readonly EnvironmentHeadline[],
  sheets: ReadonlyMap<SeriesId, SeriesSheet>,
): string[] {
  const all = [...sheets.values()].flatMap(({ questions }) => questions);
  const lines = headlines.map((headline) => {
    const { environment, asked, sentence, beside } = headline;
    const page = asked ? seriesOf(asked.series).docs : `docs/explanation/${environment}.md`;
    const verdict = verdictLine(headline, ageOf(headline, sheets));
    return `- [${environment}](${page}): ${[sentence, ...beside, verdict].join(' ')}`;
  });
  return [
    ...lines,
    `- [Ten sentences, and all ${[...sheets.values()].flatMap(({ questions }) => stemsOf(questions)).length} questions](${FINDINGS_PAGE}) (${all.length} entries of ${sheets.size} series): ${countsOf(all)}. A rule is older than every row in ${olderCount(all)} that hold; no interval is corrected for their number.`,
  ];
}

/** Age of the rule that judges a headline. */
export const ageOf = ({ asked }: EnvironmentHeadline, sheets: ReadonlyMap<SeriesId, SeriesSheet>): AgeStatus | null =>
  (asked && sheets.get(asked.series)?.questions.find(({ id }) => id === asked.question)?.age?.status) ?? null;

/**
 * `*holds* (G1, n = 5 training seeds; gain in other universes: +25.2 [+22.8 +27.6] points).` @param age of the rule, stated unless it is
 * older than every row
 */
export function verdictLine(headline: EnvironmentHeadline, age: AgeStatus | null = null): string {
  const { asked, verdict } = headline;
  const count = countText(headline);
  if (!asked || !verdict) return `No rule judges it (${count}).`;
  const judged = verdict.judged.map((estimate) => `; ${estimate.name}: ${differenceText(estimate)} points`);
  const late = age === null || age === 'before' ? '' : `; ${AGE_WORDS[age]}`;
  return `*${capital(verdict.word)}* (${asked.question}, ${count}${judged.join('')}${late}).`;
}

/** How many of the questions that hold have a rule older than every row: `26 of 56`. */
function olderCount(all: readonly ShownQuestion[]): string {
  const held = all.filter(({ standing }) => standing === 'holds');
  return `${held.filter(({ age }) => age?.status === 'before').length} of ${held.length}`;
}

const capital = (text: string): string => `${text[0].toUpperCase()}${text.slice(1)}`;

/** Markers on an environment's page of the docs: `<!-- headline NAME -->`. */
export const headlineMarkers = (environment: string): Markers => ({
  start: `<!-- headline ${environment} -->`,
  end: '<!-- end headline -->',
});

/** The sentence, its figure, its verdict, and its controls and limits. @param up path from the page to docs/ */
export function headlineSection(headline: EnvironmentHeadline, up = '../'): string[] {
  const { environment, sentence, beside } = headline;
  return [
    `**${sentence}** ${[...beside, verdictLine(headline)].join(' ')}`,
    '',
    `![${sentence}](${up}figures/${environment}.svg)`,
    '',
    'Whiskers are 95% intervals over units, and over evaluation draws where there are several; a bar without one is one model that every unit began as, and dots are units that differ too widely for an interval.',
  ];
}

/** Lines for the page of findings, on the given series. */
export function findingsSummary(sheets: ReadonlyMap<SeriesId, SeriesSheet>): string[] {
  return SERIES.flatMap(({ id, label, docs }) => {
    const sheet = sheets.get(id);
    if (!sheet) return [];
    const { questions, first = [], origin } = sheet;
    const stems = stemsOf(questions);
    const isDecided = ({ entries }: Stem) => entries.length > 1 || DECIDED.includes(entries[0].standing);
    const others = stems.filter((stem) => !isDecided(stem)).flatMap(({ entries }) => entries);
    const entriesText = stems.length === questions.length ? '' : `, ${questions.length} entries`;
    return [
      `- **${label}** ([lab book](../${docs.replace(/^docs\//, '')}), ${plural(stems.length, 'question')}${entriesText}${origin ? `, ${plural(origin.runs, 'run')}` : ''})`,
      ...first.map((line) => `  - ${line}`),
      ...stems.filter(isDecided).flatMap(({ entries }) => {
        const standing = entries.length === 1 ? entries[0].standing : countsOf(entries);
        return [`  - *${standing}*: ${summaryOf(entries)}`, ...limitLines(entries)];
      }),
      ...others.map(({ id, standing, title }) => `  - *${standing}*: ${id}, “${title}”`),
      ...limitLines(others),
    ];
  });
}

/** Limits besides the verdicts' words: one line per entry. Open questions claim nothing, so they have no limits. */
const limitLines = (entries: readonly ShownQuestion[]): string[] =>
  entries.flatMap(({ id, standing, limits = [] }) =>
    limits.length > 0 && standing !== 'open' ? [`    - ${id}: ${limits.join(' ')}`] : [],
  );

/** Failures, then successes, with one sentence for equal findings; then the ids of the other entries. */
function summaryOf(entries: readonly ShownQuestion[]): string {
  const sentences = DECIDED.flatMap((standing) =>
    groupedBySentence(entries.filter((entry) => entry.standing === standing)).map(({ said, by }) => {
      const ids = by.map(({ id, n, unit }) => `${id}, n = ${n} ${unit}`).join('; ');
      return `${said.replace(/\.$/, '')} (${ids}).`;
    }),
  );
  const rest = entries.filter(({ standing }) => !DECIDED.includes(standing));
  // Without a result, show the title.
  const question = sentences.length === 0 ? [entries[0].title] : [];
  return [...question, ...sentences, ...(rest.length > 0 ? [`(${idsByStatus(rest)}.)`] : [])].join(' ');
}

/** Groups entries with the same sentence; a repetition's sentence is the original's with the base appended. */
function groupedBySentence(entries: readonly ShownQuestion[]): { said: string; by: ShownQuestion[] }[] {
  const all: { said: string; by: ShownQuestion[] }[] = [];
  for (const entry of entries) {
    const first = all.find(({ said }) => entry.said.startsWith(said.replace(/\.$/, '')));
    if (first) first.by.push(entry);
    else all.push({ said: entry.said, by: [entry] });
  }
  return all;
}

/** `*in part*: C6a, C12; *open*: C7` */
const idsByStatus = (entries: readonly ShownQuestion[]): string =>
  statusCounts(entries)
    .map(({ standing }) => {
      const ids = entries.filter((entry) => entry.standing === standing).map(({ id }) => id);
      return `*${standing}*: ${ids.join(', ')}`;
    })
    .join('; ');
