// The older messenger (ARE's MessagingApp), for scenarios that are programs: people are their names, and the user is "Me".
import type { Tool } from '../../types.ts';
import type { Values } from '../../value.ts';
import { dict, list, nullable, num, type Reader, record, str, text, withDefault } from '../support/state.ts';
import { append, type Conversation, type Message } from './conversation.ts';
import { Messenger } from './messenger.ts';

type MessageV1 = Message & { sender: string };

export const ME = 'Me';

const readMessage: Reader<MessageV1> = (value, at) => {
  const { attachment, attachment_name, ...message } = record({
    sender: str,
    message_id: str,
    timestamp: num,
    content: withDefault(text, ''),
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

export class MessagingApp extends Messenger<MessageV1> {
  protected readonly participantsKey = 'participants';

  constructor(
    name: string | undefined,
    readonly tools: readonly Tool[],
  ) {
    super('MessagingApp', name);
  }

  loadState(state: Values): void {
    const { conversations, messages_view_limit, conversation_view_limit } = readState(state, '');
    for (const [id, conversation] of conversations) this.conversations.set(id, conversation);
    this.messagesViewLimit = messages_view_limit;
    this.conversationViewLimit = conversation_view_limit;
  }

  write(conversation: Conversation<MessageV1>, message: Omit<MessageV1, 'message_id'>): string {
    const message_id = this.draws.id();
    append(conversation, { message_id, ...message });
    return message_id;
  }
}
