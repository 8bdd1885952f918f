// Conversations and messages in the format of state files, and what both messaging apps of the reference share: paging, search, time spans.
import { valueError } from '../../python-error.ts';
import type { Values } from '../../value.ts';
import { parseDateTime } from '../support/clock.ts';
import { copyOf, list, nullable, num, type Reader, record, str, text, withDefault } from '../support/state.ts';
import { sortedSet } from '../support/text.ts';

export type Message = {
  message_id: string;
  /** Seconds since 1970. */
  timestamp: number;
  content: string;
  /** Base64; the name is given if the message has a file. */
  attachment?: string | null;
  attachment_name?: string | null;
};

export type Conversation<M extends Message> = {
  participants: string[];
  messages: M[];
  title: string | null;
  conversation_id: string;
  last_updated: number;
};

/** Key of the participants, which differs between the two messaging apps. */
export type ParticipantsKey = 'participants' | 'participant_ids';

export function conversationValue<M extends Message>(of: Conversation<M>, key: ParticipantsKey): Values {
  const { participants, messages, title, conversation_id, last_updated } = of;
  return { [key]: [...participants], messages: copyOf(messages), title, conversation_id, last_updated };
}

export function conversationReader<M extends Message>(
  people: ParticipantsKey,
  sender: string,
): Reader<Conversation<M>> {
  const message = record({
    [sender]: str,
    message_id: str,
    timestamp: num,
    content: withDefault(text, ''),
    attachment: nullable(str),
    attachment_name: nullable(str),
  });
  const readMessage: Reader<Values> = (value, at) => {
    const { attachment, attachment_name, ...rest } = message(value, at);
    return Object.hasOwn(value as object, 'attachment') ? { ...rest, attachment, attachment_name } : rest;
  };
  const conversation = record({
    [people]: list(str),
    messages: list(readMessage),
    title: nullable(str),
    conversation_id: str,
    last_updated: num,
  });
  return (value, at) => {
    const { [people]: participants, ...rest } = conversation(value, at);
    // The type of a reader with computed field names is not inferred.
    return { participants, ...rest } as Conversation<M>;
  };
}

/** A conversation was last updated by its newest message, whoever wrote it. */
export function append<M extends Message>(conversation: Conversation<M>, message: M): void {
  conversation.messages.push(message);
  conversation.last_updated = Math.max(conversation.last_updated, message.timestamp);
}

/** Newest first; messages of the same moment keep their order. */
export const newestFirst = <M extends Message>(messages: readonly M[]): M[] =>
  [...messages].sort((a, b) => b.timestamp - a.timestamp);

/** Messages between two dates, both included. @param isWhole whether times are truncated to whole seconds */
export function within<M extends Message>(
  messages: readonly M[],
  min: string | null,
  max: string | null,
  isWhole: boolean,
): M[] {
  const from = min === null ? Number.NEGATIVE_INFINITY : parseDateTime(min);
  const to = max === null ? Number.POSITIVE_INFINITY : parseDateTime(max);
  return messages.filter(({ timestamp }) => {
    const time = isWhole ? Math.trunc(timestamp) : timestamp;
    return from <= time && time <= to;
  });
}

/** The shown part of a list of conversations. */
export interface Window {
  offset: number;
  limit: number;
  offset_recent_messages_per_conversation: number;
  limit_recent_messages_per_conversation: number;
}

interface Limits {
  /** Number of all conversations, not only the listed ones: the reference compares the offset to it. */
  total: number;
  conversations: number;
  messages: number;
}

/** The conversations of a window, each with a window of its messages, newest first. */
export function page<M extends Message>(
  listed: readonly Conversation<M>[],
  window: Window,
  limits: Limits,
): Conversation<M>[] {
  const { offset, limit } = window;
  const from = window.offset_recent_messages_per_conversation;
  const length = window.limit_recent_messages_per_conversation;
  checkLimit(limit, limits.conversations);
  if (offset < 0) throw valueError('Offset must be non-negative');
  if (offset > limits.total) throw valueError('Offset is larger than the number of conversations');
  checkLimit(length, limits.messages);
  if (from < 0) throw valueError('Offset must be non-negative');
  return listed
    .slice(offset, Math.min(offset + limit, listed.length))
    .map((conversation) => ({
      ...conversation,
      participants: sortedSet(conversation.participants),
      title: conversation.title || conversation.participants.join(', '),
      messages: newestFirst(conversation.messages).slice(from, Math.min(conversation.messages.length, from + length)),
    }));
}

function checkLimit(limit: number, most: number): void {
  if (limit > most)
    throw valueError(
      `Limit must be smaller than the view limit of ${most} - Please use a smaller limit and use offset to navigate`,
    );
}

/** Whether a conversation's participants, title, or messages within the dates contain the searched text. */
export function matches<M extends Message>(
  { participants, title }: Conversation<M>,
  messages: () => readonly M[],
  search: { inName(text: string): boolean; inText(text: string): boolean },
): boolean {
  return (
    participants.some((name) => search.inName(name.toLowerCase())) ||
    (title !== null && search.inName(title.toLowerCase())) ||
    messages().some(({ content }) => search.inText(content))
  );
}
