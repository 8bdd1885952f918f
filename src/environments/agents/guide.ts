// Who shows how it is done: does what the oracle does, and first looks up what the oracle knows without having been told, an id or an
// address, as an agent would: the person by name, the mail by subject.
import type { Tampering } from '@projected-grpo-lab/are/agents/scripted.ts';
import { OracleAgent } from '@projected-grpo-lab/are/agents/scripted.ts';
import type { AgentAction } from '@projected-grpo-lab/are/agents/types.ts';
import { APP_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import type { Book } from '@projected-grpo-lab/are/language/book.ts';
import { type CompactCall, encodeAction } from '@projected-grpo-lab/are/language/language.ts';
import { makeScenario } from '@projected-grpo-lab/are/scenario/import.ts';
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import type { Arg, Args } from '@projected-grpo-lab/are/value.ts';
import { isDict, isList } from '@projected-grpo-lab/are/value.ts';
import type { Speaker } from './play.ts';
import { stagedOf } from './task.ts';
import type { AgentTask } from './types.ts';

type Records = Readonly<Record<string, Readonly<Record<string, never>>>>;

/** @param looksUp false: what was not shown is written out in quotes */
export function guideOf(task: AgentTask, tamper?: Tampering, looksUp = true): Speaker {
  const { trace, oracle } = stagedOf(task);
  const inner = new OracleAgent(makeScenario(trace, APP_CLASSES).events, oracle, tamper);
  const lookups = lookupsOf(trace);
  let pending: CompactCall | null = null;
  const asked = new Set<CompactCall>();
  return ({ view, book }) => {
    if (pending === null) {
      const { action }: { action: AgentAction } = inner.act(view);
      if (action.kind === 'idle') return null;
      pending = action;
    }
    const look = looksUp ? unknownOf(pending.args, book).flatMap((text) => lookups.get(text) ?? []) : [];
    const next = look.find((call) => !asked.has(call));
    const call = next ?? pending;
    if (next) asked.add(next);
    else pending = null;
    return encodeAction(call, book, view.apps);
  };
}

/** Texts of the arguments that were not shown. */
function unknownOf(args: Args, book: Book): string[] {
  const texts = (value: Arg): string[] => {
    if (typeof value === 'string') return book.handleOf(value) === null ? [value] : [];
    if (isList(value)) return value.flatMap(texts);
    return isDict(value) ? Object.values(value).flatMap(texts) : [];
  };
  return Object.values(args).flatMap(texts);
}

/** By text, the calls that show it. */
function lookupsOf({ apps }: Trace): Map<string, CompactCall[]> {
  const state = (name: string) => (apps.find((app) => app.name === name)?.app_state ?? {}) as Record<string, never>;
  const lookups = new Map<string, CompactCall[]>();
  const rows = (table: unknown) => Object.values((table ?? {}) as Records) as Record<string, never>[];
  const call = (app: string, tool: string, args: Args): CompactCall => ({ app, tool, args });
  for (const { first_name, last_name, contact_id, email } of rows(state('Contacts').contacts)) {
    const search = call('Contacts', 'search_contacts', { query: `${first_name} ${last_name}` });
    for (const shown of [contact_id, email]) lookups.set(shown, [search]);
  }
  for (const { event_id, title } of rows(state('Calendar').events))
    lookups.set(event_id, [call('Calendar', 'search_events', { query: title })]);
  const { INBOX } = state('Emails').folders as unknown as { INBOX: { emails: Record<string, never>[] } };
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
