// Every figure in README, on the first screens and in the ten sentences, as published and as computed from the rows: the table printed by
// `npm run research -- verify`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FRONT_PATH } from '../../src/findings/front.ts';
import { HEADLINES_PATH } from '../../src/findings/headline.ts';
import type { SeriesId } from '../../src/findings/series.ts';
import type { SeriesSheet } from '../../src/findings/sheet.ts';
import { ageOf, FINDINGS_PAGE, headlineLines, verdictLine } from '../judge/readme.ts';
import { arenaReadme } from '../series/prediction/arena/text.ts';
import type { FrontSources } from './front.ts';
import { ELSEWHERE_PAGE } from './front-text.ts';
import type { SourcedHeadline } from './headline-of.ts';
import { readIn, type SourcedSentence, saidOf } from './sourced-sentence.ts';
import type { Sources } from './sources.ts';

export interface FigureRow {
  place: string;
  /** The environment of a headline, or the number of a sentence. */
  of: string;
  figure: string;
  /** Null if the published text lacks the sentence. */
  published: string | null;
  computed: string;
  source: string;
}

/** A JSON string literal's text with its quotes unescaped. */
const inJson = (text: string): string => text.replaceAll('\\"', '"');

/** @param told the headlines, and the front of the findings, computed from the rows */
export function figureRows(
  root: string,
  told: readonly SourcedHeadline[],
  { ten, elsewhere }: FrontSources,
  sources: Sources,
  sheets: ReadonlyMap<SeriesId, SeriesSheet>,
): FigureRow[] {
  const read = (path: string) => inJson(readFileSync(join(root, path), 'utf8'));
  const [readme, screens, page, front, other] = [
    'README.md',
    `public/${HEADLINES_PATH}`,
    FINDINGS_PAGE,
    `public/${FRONT_PATH}`,
    ELSEWHERE_PAGE,
  ].map((path) => ({ path, text: read(path) }));
  const rowsOf = ({ path, text }: typeof readme, of: string, said: SourcedSentence): FigureRow[] => {
    const published = readIn(text, said);
    return said.figures.map(({ name, text: computed, source }, i) => ({
      place: path,
      of,
      figure: name,
      published: published?.[i] ?? null,
      computed,
      source,
    }));
  };
  const verdicts = told.map(({ headline }) => ({
    of: headline.environment,
    said: saidOf(verdictLine(headline, ageOf(headline, sheets)), `sheet ${headline.asked?.question}`),
  }));
  const headlines = told.map(({ headline }) => headline);
  const last = saidOf(headlineLines(headlines, sheets).at(-1) ?? '', 'all sheets');
  const [arena] = arenaReadme(sources.arena('judged'), sources.arena('apart'));
  return [
    ...told.flatMap(({ headline: { environment }, said }) =>
      said.flatMap((one) => [...rowsOf(readme, environment, one), ...rowsOf(screens, environment, one)]),
    ),
    ...verdicts.flatMap(({ of, said }) => rowsOf(readme, of, said)),
    ...rowsOf(readme, 'all questions', last),
    ...rowsOf(readme, 'arena', saidOf(arena, 'arena/judged.runs.json.gz')),
    ...ten.flatMap(({ said }, i) => [page, front].flatMap((place) => rowsOf(place, `sentence ${i + 1}`, said))),
    ...elsewhere.said.flatMap((said) => [other, front].flatMap((place) => rowsOf(place, 'other hack', said))),
  ];
}
