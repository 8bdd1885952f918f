// The older messenger (ARE's MessagingApp), for scenarios that are programs: people are their names, and the user is "Me".
import { AppBase } from '../../app.ts';
import { exception, type PythonError } from '../../python-error.ts';
import type { Tool } from '../../types.ts';
import type { Value, Values } from '../../value.ts';
import { asDict, dict, list, nullable, num, type Reader, record, str, text, usually } from '../support/state.ts';
import {
  append,
  type Conversation,
  conversationValue,
  type Message,
  matches,
  page,
  type Window,
  within,
} from './conversation.ts';

type MessageV1 = Message & { sender: string };
export type ConversationV1 = Conversation<MessageV1>;

export const ME = 'Me';
const MESSAGES_VIEW_LIMIT = 10;
const CONVERSATIONS_VIEW_LIMIT = 5;

const readMessage: Reader<MessageV1> = (value, at) => {
  const { attachment, attachment_name, ...message } = record({
    sender: str,
    message_id: str,
    timestamp: num,
    content: usually(text, ''),
    attachment: nullable(str),
    attachment_name: nullable(str),
  })(value, at);
  return Object.hasOwn(value as object, 'attachment') ? { ...message, attachment, attachment_name } : message;
};
const readState = record({
  conversations: dict(
    record({
      participants: list(str),
      messages: list(readMessage),
      title: nullable(str),
      conversation_id: str,
      last_updated: num,
    }),
  ),
  messages_view_limit: num,
  conversation_view_limit: num,
});

export class MessagingApp extends AppBase {
  conversations = new Map<string, ConversationV1>();
  messagesViewLimit = MESSAGES_VIEW_LIMIT;
  conversationViewLimit = CONVERSATIONS_VIEW_LIMIT;

  constructor(
    name: string | undefined,
    readonly tools: readonly Tool[],
  ) {
    super('MessagingApp', name);
  }

  getState(): Values {
    return {
      conversations: asDict(this.conversations, shown),
      messages_view_limit: this.messagesViewLimit,
      conversation_view_limit: this.conversationViewLimit,
    };
  }

  loadState(state: Values): void {
    const { conversations, messages_view_limit, conversation_view_limit } = readState(state, '');
    for (const [id, conversation] of conversations) this.conversations.set(id, conversation);
    this.messagesViewLimit = messages_view_limit;
    this.conversationViewLimit = conversation_view_limit;
  }

  reset(): void {
    this.conversations.clear();
  }

  conversation(id: string, raise: (text: string) => PythonError = exception): ConversationV1 {
    const conversation = this.conversations.get(id);
    if (!conversation) throw raise(`Conversation with id ${id} not found`);
    return conversation;
  }

  write(conversation: ConversationV1, message: Omit<MessageV1, 'message_id'>): string {
    const message_id = this.draws.id();
    append(conversation, { message_id, ...message });
    return message_id;
  }

  listed(conversations: readonly ConversationV1[], window: Window): Value {
    const limits = {
      total: this.conversations.size,
      conversations: this.conversationViewLimit,
      messages: this.messagesViewLimit,
    };
    return page(conversations, window, limits).map(shown);
  }

  found(min: string | null, max: string | null, holds: (text: string) => boolean): ConversationV1[] {
    return [...this.conversations.values()].filter((conversation) =>
      matches(conversation, () => within(conversation.messages, min, max, false), { inName: holds, inText: holds }),
    );
  }
}

export const shown = (conversation: ConversationV1): Values => conversationValue(conversation, 'participants');
