// The older messenger (ARE's MessagingApp), for scenarios that are programs: people are identified by name, and the user is "Me".
import type { Tool } from '../../types.ts';
import type { Values } from '../../value.ts';
import { record } from '../support/state.ts';
import { append, type Conversation, type Message } from './conversation.ts';
import { Messenger, stateOf } from './messenger.ts';

type MessageV1 = Message & { sender: string };

export const ME = 'Me';

const readState = record(stateOf<MessageV1>('participants', 'sender'));

export class MessagingApp extends Messenger<MessageV1> {
  protected readonly participantsKey = 'participants';

  constructor(
    name: string | undefined,
    readonly tools: readonly Tool[],
  ) {
    super('MessagingApp', name);
  }

  loadState(state: Values): void {
    this.loadConversations(readState(state, ''));
  }

  write(conversation: Conversation<MessageV1>, message: Omit<MessageV1, 'message_id'>): string {
    const message_id = this.draws.id();
    append(conversation, { message_id, ...message });
    return message_id;
  }
}
