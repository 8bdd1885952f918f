// Tests the compact language: each form of a value, and the name of each error.
import { describe, expect, it } from 'vitest';
import { APP_CLASSES } from '../apps/registry.ts';
import { generateScenario } from '../generate/generate.ts';
import { makeScenario } from '../scenario/import.ts';
import { type Arg, Float } from '../value.ts';
import { Book } from './book.ts';
import { decodeAction, encodeAction, jsonOf } from './language.ts';
import { shownValue } from './observation.ts';
import { LanguageError, type LanguageFault } from './values.ts';

const { apps } = makeScenario(generateScenario({ split: 'execution', seed: 1, index: 0 }).trace, APP_CLASSES);
const bookOf = (...texts: string[]): Book => {
  const book = new Book();
  for (const text of texts) book.note(text);
  return book;
};
const book = () => bookOf('Ana Ruiz', '2024-10-18', '14:00', 'Invoice', 'ana@example.org');

describe('the language', () => {
  const calls: [string, string, Record<string, Arg>, string][] = [
    ['Emails', 'send_email', { recipients: ['ana@example.org'], subject: 'Invoice', content: 'No "one".\n' }, ''],
    ['Calendar', 'add_calendar_event', { start_datetime: '2024-10-18 14:00:00', attendees: ['Ana Ruiz'] }, ''],
    ['Contacts', 'add_new_contact', { first_name: 'Ana', last_name: 'Ruiz', age: 30 }, ''],
    ['Contacts', 'edit_contact', { contact_id: 'x', updates: { first_name: 'Bo', age: 3, job: null } }, ''],
    ['RentAFlat', 'search_apartments', { min_price: new Float(800), max_price: 900.5, saved_only: true }, ''],
    ['Shopping', 'checkout', {}, ''],
    ['AgentUserInterface', 'send_message_to_user', { content: 'Done.' }, ''],
  ];
  calls[0]![3] = 'Emails.send_email [$5] $4 "No \\"one\\".\\n"';
  calls[1]![3] = 'Calendar.add_calendar_event start_datetime=$2~$3 attendees=[$1]';
  calls[2]![3] = 'Contacts.add_new_contact $1.1 $1.2 age=30';
  calls[3]![3] = 'Contacts.edit_contact "x" {"first_name"="Bo" "age"=3 "job"=null}';
  calls[4]![3] = 'RentAFlat.search_apartments min_price=800.0 max_price=900.5 saved_only=true';
  calls[5]![3] = 'Shopping.checkout';
  calls[6]![3] = 'say "Done."';

  it.each(calls)('writes %s.%s', (app, tool, args, text) => {
    expect(encodeAction({ app, tool, args }, book(), apps)).toBe(text);
    expect(decodeAction(text, book(), apps)).toEqual({ app, tool, args });
  });

  const faults: [LanguageFault, string][] = [
    ['empty', ''],
    ['length', `say "${'a'.repeat(1000)}"`],
    ['tool', 'Emails.send_mail [$5]'],
    ['tool', 'Emails'],
    ['tool', 'Emails.add_email'],
    ['tool', '$1'],
    ['argument', 'Shopping.checkout $1 $2'],
    ['argument', 'Shopping.checkout code=$1'],
    ['argument', 'say content=$1 content=$1'],
    ['handle', 'say $6'],
    ['handle', 'say $0'],
    ['handle', 'say $1.3'],
    ['handle', 'say $1~$3'],
    ['value', 'say done'],
    ['value', 'say [$1'],
    ['argument', 'say $1 '],
    ['value', 'say  $1'],
    ['value', 'say "\\x"'],
    ['value', `say ${'['.repeat(20)}`],
    ['canonical', 'say "Invoice"'],
    ['canonical', 'say content=$4'],
    ['canonical', 'say $04'],
    ['canonical', 'AgentUserInterface.send_message_to_user $4'],
    ['canonical', 'say 01'],
  ];
  it.each(faults)('refuses (%s) %.40s', (fault, text) => {
    let refused: unknown = null;
    try {
      decodeAction(text, book(), apps);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(LanguageError);
    expect((refused as LanguageError).fault).toBe(fault);
  });

  it('refuses to write calls that no tool accepts', () => {
    const write = (args: Record<string, Arg>) => () =>
      encodeAction({ app: 'Shopping', tool: 'checkout', args }, book(), apps);
    expect(write({ code: 'x' })).toThrow(/has no argument code/);
    expect(write({ discount_code: 1e300 })).toThrow(/the number/);
  });

  it('translates a call to the JSON of other agents', () => {
    expect(jsonOf(decodeAction('Contacts.search_contacts $1', book(), apps))).toBe(
      '{"action":"Contacts__search_contacts","action_input":{"query":"Ana Ruiz"}}',
    );
  });
});

describe('the book', () => {
  it('marks the names in a sentence, and not its first word', () => {
    const own = new Book();
    expect(own.marked('Delete Ana Ruiz at 14:00, then mail a@b.org: "Be there." Tell me when.')).toBe(
      'Delete $1 at $2, then mail $3: $4 Tell me when.',
    );
    expect([1, 2, 3, 4].map((handle) => own.textOf(handle))).toEqual(['Ana Ruiz', '14:00', 'a@b.org', 'Be there.']);
    expect(own.marked('Ask Ana Ruiz.')).toBe('Ask $1.');
    expect(own.textOf(0)).toBe(null);
  });

  it('shows the fields that distinguish a record from others', () => {
    const own = book();
    const id = 'a'.repeat(32);
    const record = { [id]: { item_id: id, price: 9.5, available: true, options: { color: 'red' } } };
    expect(shownValue(record, own)).toBe('item_id $6 price 9.5 options color red');
    expect([shownValue([], own), shownValue('Invoice', own), shownValue({ total: 2 }, own)]).toEqual([
      'none',
      '$4',
      'total 2',
    ]);
  });
});
