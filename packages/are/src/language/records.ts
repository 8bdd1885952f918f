// Results of calls in the second dialect: one line per record, with the fields of its kind (dialect.ts). A single mail is shown with its
// content.
import { isDict, isList, type Value } from '../value.ts';
import type { Book } from './book.ts';

type Fields = Readonly<Record<string, Value>>;

/** Short names of fields with long names. */
const SHORT: Readonly<Record<string, string>> = {
  city_living: 'city',
  start_strftime: 'begins',
  zip_code: 'zip',
  start_location: 'from',
  end_location: 'to',
};
const MOMENT = /(\d{4}-\d\d-\d\d) (\d\d:\d\d)/;

export function shownRecords(value: Value, book: Book): string {
  const { records } = book.dialect;
  const kindOf = (one: Value) => (isDict(one) ? records?.find(([id]) => Object.hasOwn(one, id)) : undefined);

  function record(one: Fields, isAlone: boolean): string {
    const [id, fields] = kindOf(one) ?? ['', []];
    const all: Fields = id === 'contact_id' ? { ...one, name: `${one.first_name} ${one.last_name}` } : one;
    const known = [...fields, ...(isAlone && id === 'email_id' ? ['content'] : [])].filter((name) =>
      Object.hasOwn(all, name),
    );
    return known.map((name) => `${SHORT[name] ?? name} ${field(name, all[name] as Value)}`).join(' ');
  }

  function field(name: string, one: Value): string {
    if (name === 'content') return book.marked(String(one));
    if (name === 'start_strftime') {
      const [, date = '', hour = ''] = MOMENT.exec(String(one)) ?? [];
      return `$${book.note(date)} $${book.note(hour)}`;
    }
    return shown(one, false);
  }

  /** @param isAlone whether it is the whole result */
  function shown(one: Value, isAlone: boolean): string {
    if (typeof one === 'string') return /^[a-z]{1,12}$/.test(one) ? one : `$${book.note(one)}`;
    if (typeof one === 'number') return Number.isInteger(one) ? String(one) : `$${book.note(String(one))}`;
    if (isList(one)) return several(one, kindOf(one[0] ?? null) ? '\n' : ', ');
    if (!isDict(one)) return String(one);
    if (kindOf(one)) return record(one, isAlone);
    const entries = Object.entries(one) as [string, Value][];
    if (entries.length > 0 && entries.every(([, item]) => kindOf(item))) return several(Object.values(one), '\n');
    // Of a page with records, only the records are shown.
    const pages = entries.filter(([, item]) => hasRecords(item));
    if (pages.length > 0) return pages.map(([, item]) => shown(item, false)).join('\n');
    return entries.length === 0 ? 'none' : entries.map(([name, item]) => `${name} ${shown(item, false)}`).join(' ');
  }
  const several = (items: readonly Value[], between: string) =>
    items.length === 0 ? 'none' : items.map((item) => shown(item, false)).join(between);
  const hasRecords = (one: Value): boolean =>
    isList(one)
      ? one.some((item) => kindOf(item))
      : isDict(one) && Object.values(one).some((item) => kindOf(item as Value));

  return shown(value, true);
}
