// The messenger (ARE's MessagingAppV2), of which the simulated phone has two, Chats and Messages. People are known by id. In mode NAME an id
// is the app's own and has to be looked up; in mode PHONE_NUMBER it is a phone number, and anyone can be written to.
import { assertionError, exception, valueError } from '../../python-error.ts';
import type { Tool } from '../../types.ts';
import type { Values } from '../../value.ts';
import { asDict, dict, nullable, type Reader, record, str } from '../support/state.ts';
import { compareText, sortedSet } from '../support/text.ts';
import { append, type Conversation, type Message } from './conversation.ts';
import { Messenger, stateOf } from './messenger.ts';

type MessageV2 = Message & { sender_id: string };
type Mode = 'NAME' | 'PHONE_NUMBER';

const mode: Reader<Mode> = (value) => {
  if (value === 'NAME' || value === 'PHONE_NUMBER') return value;
  throw valueError(`${JSON.stringify(value ?? null)} is not a valid MessagingAppMode`);
};
const readState = record({
  ...stateOf<MessageV2>('participant_ids', 'sender_id'),
  mode,
  name_to_id: dict(str),
  id_to_name: dict(str),
  current_user_id: nullable(str),
  current_user_name: nullable(str),
});

export class MessagingAppV2 extends Messenger<MessageV2> {
  protected readonly participantsKey = 'participant_ids';
  mode: Mode = 'NAME';
  idOf = new Map<string, string>();
  nameOf = new Map<string, string>();
  userId: string | null = null;
  userName: string | null = null;

  constructor(
    name: string | undefined,
    private readonly toolsFor: Readonly<Record<Mode, readonly Tool[]>>,
  ) {
    super('MessagingAppV2', name);
  }

  /** The tools' descriptions depend on what an id is. */
  get tools(): readonly Tool[] {
    return this.toolsFor[this.mode];
  }

  override getState(): Values {
    const text = (item: string) => item;
    return {
      ...super.getState(),
      mode: this.mode,
      name_to_id: asDict(this.idOf, text),
      id_to_name: asDict(this.nameOf, text),
      current_user_id: this.userId,
      current_user_name: this.userName,
    };
  }

  loadState(state: Values): void {
    const loaded = readState(state, '');
    this.loadConversations(loaded);
    this.mode = loaded.mode;
    this.idOf = loaded.name_to_id;
    this.nameOf = loaded.id_to_name;
    this.userId = loaded.current_user_id;
    this.userName = loaded.current_user_name;
  }

  user(): string {
    if (this.userId === null) throw assertionError('Current user id must be set');
    return this.userId;
  }

  /** Sorted names of the other participants; someone without a name is shown by number, if ids are numbers. */
  defaultTitle(ids: readonly string[]): string {
    if (this.userId === null || !this.nameOf.has(this.userId)) throw assertionError('');
    const others = sortedSet(ids).filter((id) => id !== this.userId);
    const names = others.flatMap((id) => this.nameOf.get(id) ?? (this.mode === 'PHONE_NUMBER' ? id : []));
    return names.sort(compareText).join(', ');
  }

  create(ids: readonly string[], title: string | null): string {
    if (ids.length < 1) throw exception('Must have at least one participant');
    for (const id of ids) this.checkReachable(id);
    const named = title ?? this.defaultTitle(ids);
    const participants = sortedSet([...ids, this.user()]);
    const conversation_id = this.draws.id();
    this.conversations.set(conversation_id, {
      participants,
      messages: [],
      title: named || participants.join(', '),
      conversation_id,
      last_updated: this.world.now(),
    });
    return conversation_id;
  }

  private checkReachable(id: string): void {
    if (this.mode === 'NAME' && !this.nameOf.has(id))
      throw valueError(`User ${id} does not exist in Ids, you need to provide the Id of an existing user`);
    if (this.mode === 'PHONE_NUMBER' && !/\d/.test(id))
      throw valueError(
        `User ${id} is not a valid phone number, you need to provide the phone number of an existing user`,
      );
  }

  /** The untitled conversation with one other person; created if missing. */
  conversationWith(id: string): string {
    const existing = this.call('get_existing_conversation_ids', { user_ids: [id] }) as readonly string[];
    const title = this.defaultTitle([id]);
    const found = existing.find((conversation) => this.conversations.get(conversation)?.title === title);
    return found ?? this.create([this.user(), id], null);
  }

  /** Makes a message from the user, dated now. */
  message(content: string, attachmentPath: string | null): MessageV2 {
    const message = { sender_id: this.user(), timestamp: this.world.now(), content };
    if (attachmentPath === null) return { ...message, message_id: this.draws.id() };
    const attached = this.attachmentOf(attachmentPath, valueError);
    return { ...message, message_id: this.draws.id(), ...attached };
  }

  /** Adds a message that the environment sends in a participant's name; its time is in whole seconds. */
  receive(conversationId: string, sender_id: string, content: string): void {
    const conversation = this.conversation(conversationId);
    if (!conversation.participants.includes(sender_id)) throw exception(`Sender ${sender_id} not in conversation`);
    const timestamp = Math.floor(this.world.now());
    append(conversation, { message_id: this.draws.id(), sender_id, content, timestamp });
  }

  /** Changes the participants; a title generated from their names is generated again. */
  changeParticipants(
    conversation: Conversation<MessageV2>,
    change: (participants: readonly string[]) => string[],
  ): void {
    const isDefault = conversation.title === this.defaultTitle(conversation.participants);
    conversation.participants = change(conversation.participants);
    if (isDefault) conversation.title = this.defaultTitle(conversation.participants);
  }
}
