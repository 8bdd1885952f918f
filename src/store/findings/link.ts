// Which series of questions the address asks for, and which question of it: `?view=questions&world=exit&q=E1`. A question's own letter
// names its series; without either it is the study's.
import { SERIES, type SeriesId } from '../../experiments/questions/series.ts';

export interface FindingsRef {
  /** Null: the study of projected GRPO, whose questions have addresses of their own (kinds/study/link.ts). */
  series: SeriesId | null;
  question: string | null;
}

const SHAPE = /^[A-Z]\d{1,3}[A-Z]?(-[A-Z0-9-]{1,20})?$/;

export function asksForFindings(search: string): FindingsRef {
  const params = new URLSearchParams(search);
  const asked = params.get('q')?.toUpperCase() ?? '';
  const own = SHAPE.test(asked) ? SERIES.find(({ letters }) => letters.includes(asked[0])) : undefined;
  if (own) return { series: own.id, question: asked };
  const world = SERIES.find(({ id }) => id === params.get('world'));
  return { series: asked.startsWith('Q') ? null : (world?.id ?? null), question: null };
}

/** Ids are told apart without their case: links are typed too. */
export const isAsked = (id: string, question: string | null): boolean => id.toUpperCase() === question;

/** The page's address with that in it; what belongs to another question or run goes. */
export function withFindings(href: string, { series, question }: FindingsRef): string {
  const url = new URL(href);
  const { searchParams } = url;
  searchParams.set('view', 'questions');
  searchParams.delete('run');
  for (const [name, value] of [
    ['world', series],
    ['q', question],
  ] as const) {
    if (value === null) searchParams.delete(name);
    else searchParams.set(name, value);
  }
  return url.href;
}
