// The guide demonstrates a task: it does what the oracle does, but first looks up what the oracle knows without having been told. There is one for
// templates and one for composed forms.
// The guide for templates looks up ids and addresses as an agent would: a person by name, a mail by subject.

import { OracleAgent, type Tampering } from '@projected-grpo-lab/are/agents/scripted.ts';
import type { AgentAction, AgentView } from '@projected-grpo-lab/are/agents/types.ts';
import { APP_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import type { Book } from '@projected-grpo-lab/are/language/book.ts';
import { type CompactCall, encodeAction } from '@projected-grpo-lab/are/language/language.ts';
import { makeScenario } from '@projected-grpo-lab/are/scenario/import.ts';
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { type Arg, type Args, isDict, isList } from '@projected-grpo-lab/are/value.ts';
import { type AgentTask, type Speaker, stagedOf } from './task.ts';

type Records = Readonly<Record<string, Readonly<Record<string, never>>>>;

/** @param looksUp if false, unseen texts are written out in quotes */
export function guideOf(task: AgentTask, tamper?: Tampering, looksUp = true): Speaker {
  const { trace, oracle } = stagedOf(task);
  const inner = new OracleAgent(makeScenario(trace, APP_CLASSES).events, oracle, tamper);
  const lookups = lookupsOf(trace);
  let pending: CompactCall | null = null;
  const lookedUp = new Set<CompactCall>();
  return ({ view, book }) => {
    if (pending === null) {
      const { action }: { action: AgentAction } = inner.act(view);
      if (action.kind === 'idle') return null;
      pending = action;
    }
    const look = looksUp ? unknownOf(pending.args, book).flatMap((text) => lookups.get(text) ?? []) : [];
    const next = look.find((call) => !lookedUp.has(call));
    const call = next ?? pending;
    if (next) lookedUp.add(next);
    else pending = null;
    return encodeAction(call, book, view.apps);
  };
}

/** Text arguments that the agent has not been shown. */
function unknownOf(args: Args, book: Book): string[] {
  const texts = (value: Arg): string[] => {
    if (typeof value === 'string') return book.handleOf(value) === null ? [value] : [];
    if (isList(value)) return value.flatMap(texts);
    return isDict(value) ? Object.values(value).flatMap(texts) : [];
  };
  return Object.values(args).flatMap(texts);
}

/** Maps each text to the calls that show it. */
function lookupsOf({ apps }: Trace): Map<string, CompactCall[]> {
  const state = (name: string) => (apps.find((app) => app.name === name)?.app_state ?? {}) as Record<string, unknown>;
  const lookups = new Map<string, CompactCall[]>();
  const rows = (table: unknown) => Object.values((table ?? {}) as Records) as Record<string, never>[];
  const call = (app: string, tool: string, args: Args): CompactCall => ({ app, tool, args });
  for (const { first_name, last_name, contact_id, email } of rows(state('Contacts').contacts)) {
    const search = call('Contacts', 'search_contacts', { query: `${first_name} ${last_name}` });
    for (const shown of [contact_id, email]) lookups.set(shown, [search]);
  }
  for (const { event_id, title } of rows(state('Calendar').events))
    lookups.set(event_id, [call('Calendar', 'search_events', { query: title })]);
  const { INBOX } = state('Emails').folders as { INBOX: { emails: Record<string, never>[] } };
  for (const { email_id, subject } of INBOX.emails)
    lookups.set(email_id, [call('Emails', 'search_emails', { query: subject })]);
  const ofItem = new Map<string, CompactCall>();
  for (const { name, variants } of rows(state('Shopping').products)) {
    const search = call('Shopping', 'search_product', { product_name: name });
    for (const item of Object.keys(variants)) {
      ofItem.set(item, search);
      lookups.set(item, [search]);
    }
  }
  const orders = call('Shopping', 'list_orders', {});
  for (const { order_id, order_items } of rows(state('Shopping').orders)) {
    const [item = ''] = Object.keys(order_items);
    lookups.set(order_id, [...[ofItem.get(item)].flatMap((search) => search ?? []), orders]);
  }
  for (const { apartment_id, location } of rows(state('RentAFlat').apartments))
    lookups.set(apartment_id, [call('RentAFlat', 'search_apartments', { location })]);
  return lookups;
}

// Lookups for unseen texts: for each text, the calls that show it and what those calls need to know. An agent that cannot make a call yet first looks for
// what it needs: the sender's address by the mail's subject, then the sender by the address.

type Row = Readonly<Record<string, never>>;

interface Source {
  readonly call: CompactCall;
  readonly needs: readonly string[];
}

/** Most lookups in a row for one text. */
const DEEPEST = 4;

class Finder {
  private readonly sources = new Map<string, Source[]>();
  private readonly asked = new Set<string>();
  private readonly words = new Set<string>();

  constructor({ apps }: Trace) {
    const state = (name: string) => (apps.find((app) => app.name === name)?.app_state ?? {}) as Record<string, unknown>;
    const rows = (table: unknown) => Object.values((table ?? {}) as Record<string, Row>);
    for (const { first_name, last_name, contact_id, email, phone, city_living, job } of rows(
      state('Contacts').contacts,
    )) {
      const name = `${first_name} ${last_name}`;
      const shown = [name, contact_id, email, phone, city_living, job];
      for (const query of [name, email, phone, first_name])
        this.add(shown, 'Contacts', 'search_contacts', { query }, [query]);
      for (const known of [city_living, job]) this.add(shown, 'Contacts', 'get_contacts', {}, [known]);
    }
    for (const { event_id, title, attendees, start_strftime } of rows(state('Calendar').events)) {
      const shown = [event_id, ...(attendees as string[]), ...String(start_strftime).slice(-19, -3).split(' ')];
      this.add(shown, 'Calendar', 'search_events', { query: title }, [title]);
    }
    const { INBOX } = state('Emails').folders as { INBOX: { emails: Row[] } };
    for (const { email_id, subject, sender } of INBOX.emails)
      this.add([email_id, sender], 'Emails', 'search_emails', { query: subject }, [subject]);
    const itemOf = new Map<string, string>();
    for (const { name, variants } of rows(state('Shopping').products))
      for (const { item_id, price, options } of rows(variants)) {
        itemOf.set(item_id, name);
        const { color } = options as { color: string };
        this.words.add(color);
        this.add([item_id, String(price), color], 'Shopping', 'search_product', { product_name: name }, [name]);
      }
    for (const { order_id, order_items } of rows(state('Shopping').orders))
      this.add([order_id], 'Shopping', 'list_orders', {}, Object.keys(order_items));
    for (const { apartment_id, name, location, zip_code, price } of rows(state('RentAFlat').apartments)) {
      const shown = [apartment_id, location, zip_code, String(price)];
      this.add(shown, 'RentAFlat', 'search_apartments', { name }, [name]);
      this.add([name, ...shown], 'RentAFlat', 'search_apartments', { location }, [location]);
    }
  }

  private add(shown: readonly string[], app: string, tool: string, args: Args, needs: readonly string[]): void {
    for (const text of shown) {
      const known = this.sources.get(text) ?? [];
      known.push({ call: { app, tool, args }, needs });
      this.sources.set(text, known);
    }
  }

  /** The next lookup for what these texts name; null if everything was shown or nothing can be found.
   *  @param seen everything shown so far, for words without a handle */
  next(texts: readonly string[], book: Book, seen: string): CompactCall | null {
    const known = (text: string) => (this.words.has(text) ? seen.includes(text) : book.handleOf(text) !== null);
    const lookFor = (text: string, depth: number): CompactCall | null => {
      if (known(text) || depth > DEEPEST) return null;
      const sources = (this.sources.get(text) ?? []).filter(
        ({ call, needs }) => !needs.includes(text) && !this.asked.has(JSON.stringify(call)),
      );
      const ready = sources.find(({ needs }) => needs.every(known));
      if (ready) return ready.call;
      for (const { needs } of sources)
        for (const need of needs) {
          const call = lookFor(need, depth + 1);
          if (call) return call;
        }
      return null;
    };
    for (const text of texts) {
      const call = lookFor(text, 0);
      if (!call) continue;
      this.asked.add(JSON.stringify(call));
      return call;
    }
    return null;
  }

  /** Texts to look up for this one: itself, or those that it names. */
  namedIn(text: string, book: Book): string[] {
    if (book.handleOf(text) !== null) return [];
    if (this.sources.has(text)) return [text];
    const named = [...text.matchAll(book.dialect.entity)].flatMap(({ 0: found }) => [
      found,
      found.slice(found.indexOf(' ') + 1),
    ]);
    const words = text.match(/\p{L}+/gu) ?? [];
    return [...named, ...words.filter((word) => this.words.has(word))];
  }
}

// The guide for composed forms does what the oracle does, but first finds out what the oracle knows without having been told. It reads what arrives before
// acting on it, waits once for events, and waits whole minutes for a time.

const MINUTE = 60;
/** Longest wait for an event without a stated time. */
const LONG = 10 * MINUTE;
/** Minutes between two checks for an event without a notification. */
const GLANCE = 5;

export function composedGuideOf(task: AgentTask, tamper?: Tampering): Speaker {
  const { trace, oracle } = stagedOf(task);
  const inner = new OracleAgent(makeScenario(atOnce(trace), APP_CLASSES).events, oracle, tamper);
  const finder = new Finder(trace);
  let pending: CompactCall | null = null;
  let reading: CompactCall | null = null;
  let seen = '';
  return ({ view, book, shown }) => {
    seen += shown;
    reading ??= arrived(view);
    const read = reading;
    if (pending === null) {
      const { action }: { action: AgentAction } = inner.act(view);
      if (action.kind === 'idle') return null;
      pending = inWholeMinutes(action);
    }
    const isWait = pending.tool === 'wait_for_notification';
    if (read && !isWait) {
      reading = null;
      return encodeAction(read, book, view.apps);
    }
    const texts = Object.values(pending.args).flatMap(textsOf);
    const found = finder.next(
      texts.flatMap((text) => finder.namedIn(text, book)),
      book,
      seen,
    );
    if (found) return encodeAction(found, book, view.apps);
    const call = pending;
    pending = null;
    return encodeAction(call, book, view.apps);
  };
}

/** Calls that are allowed up to a time limit are made at once. */
const atOnce = (trace: Trace): Trace => ({
  ...trace,
  events: trace.events.map((event) =>
    event.event_time_comparator === 'LESS_THAN' ? { ...event, event_relative_time: 1 } : event,
  ),
});

/** Waits in whole minutes, which a text can express. */
function inWholeMinutes({ app, tool, args }: CompactCall): CompactCall {
  const { timeout } = args;
  if (tool !== 'wait_for_notification' || typeof timeout !== 'number') return { app, tool, args };
  return { app, tool, args: { timeout: timeout <= GLANCE ? LONG : MINUTE * Math.ceil(timeout / MINUTE) } };
}

/** The call that reads a message that has just arrived: a mail, or one in a chat. */
function arrived({ messages }: AgentView): CompactCall | null {
  for (const { kind, text } of messages) {
    if (kind === 'USER_MESSAGE') continue;
    if (text.includes('New email received')) return { app: 'Emails', tool: 'get_email_by_index', args: { idx: 0 } };
    const [, conversation_id] = /conversation ID: ([0-9a-f]{32})/.exec(text) ?? [];
    if (conversation_id) return { app: 'Chats', tool: 'read_conversation', args: { conversation_id } };
  }
  return null;
}

function textsOf(value: Arg): string[] {
  if (typeof value === 'string') return [value];
  if (isList(value)) return value.flatMap(textsOf);
  return isDict(value) ? Object.values(value).flatMap(textsOf) : [];
}
