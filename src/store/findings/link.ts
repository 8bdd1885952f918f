// The series, question and run that the address asks for: `?view=questions&series=exit&q=E1`, `?view=questions&q=Q2&run=<runId>`. A
// question's own letter names its series; without either it is the study's.
import { SERIES, type SeriesId } from '../../findings/series.ts';

export interface FindingsRef {
  series: SeriesId;
  /** As typed, in capitals. */
  question: string | null;
  /** A run of the study. */
  run?: string | null;
  /** What the address names that no series has, as typed; absent where all is known. */
  unknown?: string;
}

const SHAPE = /^[A-Z]\d{1,3}[A-Z]?(-[A-Z0-9-]{1,20})?$/;

export function asksForFindings(search: string): FindingsRef {
  const params = new URLSearchParams(search);
  const asked = params.get('q')?.toUpperCase() ?? '';
  const run = params.get('run');
  const own = SHAPE.test(asked) ? SERIES.find(({ letters }) => letters.includes(asked[0])) : undefined;
  const named = params.get('series') ?? params.get('world');
  const found = SERIES.find(({ id }) => id === named)?.id;
  const series = own?.id ?? found ?? 'study';
  const unknown = asked !== '' && !own ? asked : own || found || named === null ? null : named;
  return {
    series,
    question: own ? asked : null,
    ...(unknown !== null && { unknown: unknown.slice(0, MOST_CHARACTERS) }),
    run: series === 'study' && run !== null && /^[\w./-]{1,200}$/.test(run) ? run : null,
  };
}

/** Most characters that the page quotes of an address. */
const MOST_CHARACTERS = 60;

/** Case is ignored: links are typed too. */
export const isAsked = (id: string, question: string | null): boolean => id.toUpperCase() === question;

/** The page's address with the reference in it; parameters of another question or run are dropped. */
export function withFindings(href: string, { series, question, run = null }: FindingsRef): string {
  const url = new URL(href);
  const { searchParams } = url;
  searchParams.set('view', 'questions');
  for (const [name, value] of [
    ['run', run],
    // Addresses from before there were other series have none.
    ['series', series === 'study' ? null : series],
    // Older links have `world` in place of `series`; it is still read.
    ['world', null],
    ['q', question],
  ] as const) {
    if (value === null) searchParams.delete(name);
    else searchParams.set(name, value);
  }
  return url.href;
}
