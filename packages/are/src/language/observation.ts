// Observations of an agent in the compact language: the user's messages and its calls' results, with every text as a handle. Only the
// fields that distinguish records are shown; a small model sees no others.

import type { AgentView } from '../agents/types.ts';
import type { Message } from '../notifications/inbox.ts';
import { isDict, isList, type Value } from '../value.ts';
import type { Book } from './book.ts';
import { shownRecords } from './records.ts';

const SHOWN = new Set(
  'contact_id email email_id subject sender event_id title attendees name variants item_id color options price order_id order_items apartment_id conversation_id error'.split(
    ' ',
  ),
);
export function shownValue(value: Value, book: Book): string {
  if (typeof value === 'string') return /^[a-z]{1,12}$/.test(value) ? value : `$${book.note(value)}`;
  if (isList(value))
    return value.length === 0 ? 'none' : value.map((item) => shownValue(item as Value, book)).join(', ');
  if (!isDict(value)) return String(value);
  const entries = Object.entries(value) as [string, Value][];
  if (entries.length === 0) return 'none';
  // Records keyed by their ids, which they also contain.
  if (entries.every(([key, item]) => /^[0-9a-f]{32}$/.test(key) && isDict(item)))
    return entries.map(([, item]) => shownValue(item, book)).join(', ');
  const known = entries.filter(([key]) => SHOWN.has(key));
  return (known.length > 0 ? known : entries).map(([key, item]) => `${key} ${shownValue(item, book)}`).join(' ');
}

const CONTENT = /(?:^|\n)Message: ([\s\S]*?)\nAlready read: /;

function shownMessage({ kind, text }: Message, book: Book): string {
  const content = kind === 'USER_MESSAGE' ? (CONTENT.exec(text)?.[1] ?? text) : text;
  return book.marked(content);
}

/** Outcome of the last action, then the messages since, one per line. */
export function shownView({ outcome, messages }: Pick<AgentView, 'outcome' | 'messages'>, book: Book): string {
  const result = outcome === null ? [] : [shownOutcome(outcome, book)];
  const lines = [...result, ...messages.map((message) => shownMessage(message, book))];
  const text = lines.join('\n');
  return text.length > book.dialect.longest ? `${text.slice(0, book.dialect.longest)}…` : text;
}

function shownOutcome(outcome: NonNullable<AgentView['outcome']>, book: Book): string {
  if ('error' in outcome) return `error: ${outcome.error.kind}`;
  if (outcome.value === null) return 'ok';
  return book.dialect.records ? shownRecords(outcome.value, book) : shownValue(outcome.value, book);
}
