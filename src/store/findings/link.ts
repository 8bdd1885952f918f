// The page, series, question and run that an address requests: `?view=questions&series=exit&q=E1`, `?view=questions&q=Q2&run=<runId>`. A
// question's own letter determines its series. Without question, run and series the address leads to one of the pages over all series, by
// default the ten sentences.
import { SERIES, type SeriesId } from '../../findings/series.ts';

/** Pages over all series. */
export const FINDINGS_PAGES = ['ten', 'other-hack'] as const;
export type FindingsPage = (typeof FINDINGS_PAGES)[number];

export interface FindingsRef {
  series: SeriesId;
  /** The question as typed, in capitals. */
  question: string | null;
  /** A run of the study. */
  run?: string | null;
  /** Names in the address that do not belong to any series, as typed; absent if all are known. */
  unknown?: string;
  /** A page over all series, if the address does not name a series. */
  page?: FindingsPage;
}

const SHAPE = /^[A-Z]\d{1,3}[A-Z]?(-[A-Z0-9-]{1,20})?$/;

export function linksToFindings(search: string): FindingsRef {
  const params = new URLSearchParams(search);
  const question = params.get('q')?.toUpperCase() ?? '';
  const run = params.get('run');
  const own = SHAPE.test(question) ? seriesOfQuestion(question) : undefined;
  const named = params.get('series') ?? params.get('world');
  const given = own ?? SERIES.find(({ id }) => id === named)?.id;
  const series = given ?? 'study';
  const asksRun = series === 'study' && run !== null && /^[\w./-]{1,200}$/.test(run) ? run : null;
  const ref: FindingsRef = { series, question: own ? question : null, run: asksRun };
  const unknown = question !== '' && !own ? question : given || named === null ? null : named;
  if (unknown !== null) ref.unknown = unknown.slice(0, MOST_CHARACTERS);
  else if (!given && asksRun === null) ref.page = FINDINGS_PAGES.find((page) => page === params.get('page')) ?? 'ten';
  return ref;
}

/** Maximum number of characters that the page quotes from an address. */
const MOST_CHARACTERS = 60;

/** The series implied by the first letter of a question's id. */
export const seriesOfQuestion = (id: string): SeriesId | undefined =>
  SERIES.find(({ letters }) => letters.includes(id[0]))?.id;

/** Case is ignored, since users also type links. */
export const isLinkedQuestion = (id: string, question: string | null): boolean => id.toUpperCase() === question;

/** The page's address with the reference added. Parameters of another question or run are removed. */
export function withFindings(href: string, { series, question, run = null, page }: FindingsRef): string {
  const url = new URL(href);
  const { searchParams } = url;
  searchParams.set('view', 'questions');
  for (const [name, value] of [
    ['run', run],
    // A question's id implies its series, and addresses from before there were other series do not name one.
    ['series', page || (series === 'study' && (question || run)) ? null : series],
    ['page', page && page !== 'ten' ? page : null],
    // Older links use `world` instead of `series`, which is still accepted.
    ['world', null],
    ['q', question],
  ] as const) {
    if (value === null) searchParams.delete(name);
    else searchParams.set(name, value);
  }
  return url.href;
}
