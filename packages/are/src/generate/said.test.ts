// Tests that a generated task contains everything that its oracle needs: each compared value is in a message of the user or the
// environment, or can be found in the apps by something in these messages. It does not test whether a person would understand the task.
import { describe, expect, it } from 'vitest';
import type { Trace } from '../scenario/schema.ts';
import type { Value, Values } from '../value.ts';
import { TOOL_CHECKERS } from '../verifier/registry.ts';
import { generateScenarios, PARTS } from './generate.ts';
import { DEFAULT_SIZE, universeOf } from './universe.ts';

const CLASS_OF: Readonly<Record<string, string>> = { Emails: 'EmailClientV2', Chats: 'MessagingAppV2', Cabs: 'CabApp' };

/** Maps ids and addresses in the apps to the names that people use for them; any one of the names is enough. */
function namesIn(trace: Trace): Map<string, readonly string[]> {
  const state = (name: string) => trace.apps.find((app) => app.name === name)?.app_state as Record<string, Values>;
  const rows = (value: Value | undefined) => Object.values((value ?? {}) as Record<string, Values>);
  const names = new Map<string, readonly string[]>();
  for (const { contact_id, email, phone, first_name, last_name, city_living, job } of rows(
    state('Contacts').contacts,
  )) {
    const attended = rows(state('Calendar').events).filter(({ attendees }) =>
      (attendees as readonly string[]).includes(`${first_name} ${last_name}`),
    );
    const titles = attended.map(({ title }) => title);
    const sent = rows((state('Emails').folders as Record<string, Values>).INBOX!.emails)
      .filter(({ sender }) => sender === email)
      .map(({ subject }) => subject);
    const name = `${first_name} ${last_name}`;
    const known = [name, first_name, email, phone, city_living, job, ...titles, ...sent] as string[];
    for (const key of [contact_id, email, phone, `${first_name} ${last_name}`]) names.set(key as string, known);
  }
  for (const { event_id, title } of rows(state('Calendar').events)) names.set(event_id as string, [title as string]);
  for (const mail of rows((state('Emails').folders as Record<string, Values>).INBOX!.emails))
    names.set(mail.email_id as string, [mail.subject as string]);
  const products = new Map<string, string>();
  for (const { name, variants } of rows(state('Shopping').products))
    for (const item of rows(variants)) {
      const { item_id, options } = item as { item_id: string; options: Values };
      products.set(item_id, name as string);
      names.set(item_id, [`${name} in ${options.color}`, `In ${options.color}`, `one in ${options.color}`]);
    }
  for (const { order_id, order_items } of rows(state('Shopping').orders))
    names.set(
      order_id as string,
      Object.keys(order_items as Values).map((id) => products.get(id) as string),
    );
  for (const { apartment_id, name, location } of rows(state('RentAFlat').apartments))
    names.set(apartment_id as string, [name as string, `cheapest apartment in ${location}`]);
  return names;
}

const leaves = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap(leaves) : value === null ? [] : [String(value)];
const readAs = (text: string | null | undefined, type: string | null | undefined): unknown =>
  type === 'list' || type === 'dict' ? JSON.parse(text ?? 'null') : text;

/** Compared values of the oracle that no text contains. */
function unmentioned(trace: Trace): string[] {
  const names = namesIn(trace);
  const said = trace.events
    .filter(({ event_type }) => event_type !== 'AGENT')
    .flatMap(({ action }) => action?.args?.map(({ value }) => value) ?? [])
    .join('\n');
  const knows = (text: string): boolean => {
    if (said.includes(text) || text.startsWith('{{') || (text === '1' && said.includes(' one '))) return true;
    if (names.get(text)?.some((name) => said.includes(name))) return true;
    const [, date, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d):00$/.exec(text) ?? [];
    return date !== undefined && said.includes(date) && said.includes(time as string);
  };
  return trace.events.flatMap(({ event_id, event_type, action }) => {
    if (event_type !== 'AGENT') return [];
    const app = action?.app ?? '';
    const checkers = TOOL_CHECKERS.get(`${CLASS_OF[app] ?? app}__${action?.function}`)?.args ?? {};
    return (action?.args ?? [])
      .filter(({ name }) => checkers[name] !== undefined && checkers[name] !== 'llm_checker')
      .flatMap(({ name, value, value_type }) => leaves(readAs(value, value_type)).map((leaf) => [name, leaf] as const))
      .filter(([, leaf]) => !knows(leaf))
      .map(([name, leaf]) => `${event_id}.${name}: ${leaf}`);
  });
}

describe('a generated task', () => {
  it.each(PARTS)('contains every value that its oracle is compared by (%s)', (part) => {
    for (const { trace, template } of generateScenarios(40, 13, part))
      expect([template.id, unmentioned(trace)]).toEqual([template.id, []]);
  });

  it('that lacks a value is detected', () => {
    const [generated] = generateScenarios(1, 13);
    const trace = structuredClone(generated!.trace);
    for (const { action } of trace.events.filter(({ event_type }) => event_type === 'USER'))
      action!.args![0]!.value = 'Do it.';
    expect(unmentioned(trace)).not.toEqual([]);
  });
});

describe('a universe', () => {
  it('has unique names of people, mails and events', () => {
    for (let seed = 0; seed < 40; seed++) {
      const { user, people, mails, occasions, flats } = universeOf(seed, seed % 2 === 0);
      const lists = [
        [user, ...people].map(({ first }) => first),
        [user, ...people].map(({ phone }) => phone),
        people.map(({ city }) => city),
        mails.map(({ subject }) => subject),
        occasions.map(({ title }) => title),
        flats.map(({ price }) => price),
      ];
      for (const list of lists as readonly unknown[][]) expect(new Set(list).size).toBe(list.length);
    }
  });

  it('has the given size, within limits', () => {
    const small = { people: 3, mails: 2, occasions: 2, products: 2 };
    const large = { people: 7, mails: 8, occasions: 7, products: 6 };
    for (const size of [small, DEFAULT_SIZE, large]) {
      const { people, mails, occasions, products } = universeOf(1, false, size);
      const counts = {
        people: people.length,
        mails: mails.length,
        occasions: occasions.length,
        products: products.length,
      };
      expect(counts).toEqual(size);
    }
    expect(() => universeOf(1, false, { people: 2 })).toThrow(/Ask for|people/);
    expect(generateScenarios(14, 1, 'training', small)).toHaveLength(70);
    expect(generateScenarios(14, 1, 'held out', large)).toHaveLength(70);
  });
});
