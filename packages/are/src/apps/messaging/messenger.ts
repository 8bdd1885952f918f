// Base of both messaging apps of the reference: conversations, page sizes, attached files, and shared parameters of tools.
import { AppBase } from '../../app.ts';
import { fromBase64, toBase64 } from '../../base64.ts';
import { exception, PythonError } from '../../python-error.ts';
import type { Value, Values } from '../../value.ts';
import { asDict, dict, num } from '../support/state.ts';
import { baseName, joinPath } from '../support/text.ts';
import {
  type Conversation,
  conversationReader,
  conversationValue,
  type Message,
  matches,
  type ParticipantsKey,
  page,
  type Window,
  within,
} from './conversation.ts';

const MESSAGES_VIEW_LIMIT = 10;
const CONVERSATIONS_VIEW_LIMIT = 5;

export abstract class Messenger<M extends Message> extends AppBase {
  conversations = new Map<string, Conversation<M>>();
  messagesViewLimit = MESSAGES_VIEW_LIMIT;
  conversationViewLimit = CONVERSATIONS_VIEW_LIMIT;
  protected abstract readonly participantsKey: ParticipantsKey;

  readonly shown = (conversation: Conversation<M>): Values => conversationValue(conversation, this.participantsKey);

  getState(): Values {
    return {
      conversations: asDict(this.conversations, this.shown),
      messages_view_limit: this.messagesViewLimit,
      conversation_view_limit: this.conversationViewLimit,
    };
  }

  /** Takes over conversations as `stateOf` parses them. */
  protected loadConversations(
    state: Record<'messages_view_limit' | 'conversation_view_limit', number> & Pick<this, 'conversations'>,
  ): void {
    for (const [id, conversation] of state.conversations) this.conversations.set(id, conversation);
    this.messagesViewLimit = state.messages_view_limit;
    this.conversationViewLimit = state.conversation_view_limit;
  }

  reset(): void {
    this.conversations.clear();
  }

  /** @param raise the reference has a ValueError in some tools and a plain Exception in others */
  conversation(id: string, raise: (text: string) => PythonError = exception): Conversation<M> {
    const conversation = this.conversations.get(id);
    if (!conversation) throw raise(`Conversation with id ${id} not found`);
    return conversation;
  }

  listed(conversations: readonly Conversation<M>[], window: Window): Value {
    const limits = {
      total: this.conversations.size,
      conversations: this.conversationViewLimit,
      messages: this.messagesViewLimit,
    };
    return page(conversations, window, limits).map(this.shown);
  }

  /** Conversations, starting with the most recent message. */
  recent(window: Window): Value {
    const latest = [...this.conversations.values()].sort((a, b) => b.last_updated - a.last_updated);
    return this.listed(latest, window);
  }

  ofParticipant(part: string, window: Window): Value {
    const takesPart = ({ participants }: Conversation<M>) => participants.some((one) => one.includes(part));
    return this.listed([...this.conversations.values()].filter(takesPart), window);
  }

  /** Searches messages. @param isWhole whether times lose their fractions of a second */
  found(min: string | null, max: string | null, holds: (text: string) => boolean, isWhole: boolean): Conversation<M>[] {
    return [...this.conversations.values()].filter((conversation) =>
      matches(conversation, () => within(conversation.messages, min, max, isWhole), { inName: holds, inText: holds }),
    );
  }

  attachmentOf(path: string, raise: (text: string) => PythonError): Pick<Message, 'attachment' | 'attachment_name'> {
    const files = this.world.find('FILE_SYSTEM');
    if (!files?.exists(path)) throw raise(`File ${path} does not exist`);
    return { attachment: toBase64(files.read(path)), attachment_name: baseName(path) };
  }

  download(conversation: Conversation<M>, messageId: string, folder: string): string {
    const message = conversation.messages.find(({ message_id }) => message_id === messageId);
    if (!message?.attachment) throw exception('No attachment found in the specified message');
    const path = joinPath(folder, message.attachment_name ?? '');
    const files = this.world.find('FILE_SYSTEM');
    if (!files) throw new PythonError('FileNotFoundError', `[Errno 2] No such file or directory: '${path}'`);
    files.write(path, fromBase64(message.attachment));
    return path;
  }
}

/** Schema of an app's state; the apps differ in the keys of participants and sender. */
export const stateOf = <M extends Message>(people: ParticipantsKey, sender: 'sender' | 'sender_id') => ({
  conversations: dict(conversationReader<M>(people, sender)),
  messages_view_limit: num,
  conversation_view_limit: num,
});

export const CONVERSATION = { conversation_id: { type: 'str', about: 'Id of the conversation.' } } as const;
export const QUERY = { query: { type: 'str', about: 'What to look for.' } } as const;
export const DATES = {
  min_date: { type: 'str | None', default: null, about: 'Earliest date of messages, as YYYY-MM-DD HH:MM:SS.' },
  max_date: { type: 'str | None', default: null, about: 'Latest date of messages, as YYYY-MM-DD HH:MM:SS.' },
} as const;
export const MESSAGE_PAGE = {
  offset: { type: 'int', default: 0, about: 'How many messages to skip.' },
  limit: { type: 'int', default: 10, about: 'How many messages to return at most.' },
} as const;

/** Parameters of a window. @param messages default number of messages shown of each conversation */
export const windowOf = <const N extends number>(messages: N) =>
  ({
    offset: { type: 'int', default: 0, about: 'How many conversations to skip.' },
    limit: { type: 'int', default: 5, about: 'How many conversations to return; few.' },
    offset_recent_messages_per_conversation: { type: 'int', default: 0, about: 'How many messages of each to skip.' },
    limit_recent_messages_per_conversation: { type: 'int', default: messages, about: 'How many messages of each.' },
  }) as const;
