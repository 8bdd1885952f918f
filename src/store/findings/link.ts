// The page, series, question and run that the address asks for: `?view=questions&series=exit&q=E1`, `?view=questions&q=Q2&run=<runId>`. A
// question's own letter names its series; without question, run and series it is one of the pages over all series, first the ten sentences.
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
  /** Names in the address that no series has, as typed; absent if all are known. */
  unknown?: string;
  /** A page over all series, if the address names no series. */
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

/** Most characters that the page quotes of an address. */
const MOST_CHARACTERS = 60;

/** The series that the first letter of a question's id names. */
export const seriesOfQuestion = (id: string): SeriesId | undefined =>
  SERIES.find(({ letters }) => letters.includes(id[0]))?.id;

/** Case is ignored: links are typed too. */
export const isLinkedQuestion = (id: string, question: string | null): boolean => id.toUpperCase() === question;

/** The page's address with the reference in it; parameters of another question or run are dropped. */
export function withFindings(href: string, { series, question, run = null, page }: FindingsRef): string {
  const url = new URL(href);
  const { searchParams } = url;
  searchParams.set('view', 'questions');
  for (const [name, value] of [
    ['run', run],
    // A question names its series itself, and addresses from before there were other series have none.
    ['series', page || (series === 'study' && (question || run)) ? null : series],
    ['page', page && page !== 'ten' ? page : null],
    // Older links have `world` in place of `series`; it is still read.
    ['world', null],
    ['q', question],
  ] as const) {
    if (value === null) searchParams.delete(name);
    else searchParams.set(name, value);
  }
  return url.href;
}
