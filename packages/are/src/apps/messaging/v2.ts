// The messenger (ARE's MessagingAppV2, of which the phone has two: Chats and Messages): people by id, conversations of two or more.
// By name, ids are the app's own and have to be looked up; by phone number, anyone can be written to.
import { AppBase } from '../../app.ts';
import { assertionError, exception, PythonError, valueError } from '../../python-error.ts';
import type { Tool } from '../../types.ts';
import type { Values } from '../../value.ts';
import { fromBase64, toBase64 } from '../support/base64.ts';
import { asDict, dict, list, nullable, num, type Reader, record, str, text, usually } from '../support/state.ts';
import { baseName, compareText, joinPath, sortedSet } from '../support/text.ts';
import { append, type Conversation, conversationValue, type Message } from './conversation.ts';

export type MessageV2 = Message & { sender_id: string };
export type ConversationV2 = Conversation<MessageV2>;
type Mode = 'NAME' | 'PHONE_NUMBER';

const MESSAGES_VIEW_LIMIT = 10;
const CONVERSATIONS_VIEW_LIMIT = 5;

const mode: Reader<Mode> = (value) => {
  if (value === 'NAME' || value === 'PHONE_NUMBER') return value;
  throw valueError(`${JSON.stringify(value ?? null)} is not a valid MessagingAppMode`);
};
const readMessage: Reader<MessageV2> = (value, at) => {
  const { attachment, attachment_name, ...message } = record({
    sender_id: str,
    message_id: str,
    timestamp: num,
    content: usually(text, ''),
    attachment: nullable(str),
    attachment_name: nullable(str),
  })(value, at);
  const carriesFile = Object.hasOwn(value as object, 'attachment');
  return carriesFile ? { ...message, attachment, attachment_name } : message;
};
const readState = record({
  conversations: dict(
    record({
      participant_ids: list(str),
      messages: list(readMessage),
      title: nullable(str),
      conversation_id: str,
      last_updated: num,
    }),
  ),
  messages_view_limit: num,
  conversation_view_limit: num,
  mode,
  name_to_id: dict(str),
  id_to_name: dict(str),
  current_user_id: nullable(str),
  current_user_name: nullable(str),
});

export class MessagingAppV2 extends AppBase {
  conversations = new Map<string, ConversationV2>();
  messagesViewLimit = MESSAGES_VIEW_LIMIT;
  conversationViewLimit = CONVERSATIONS_VIEW_LIMIT;
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

  /** What tools say of themselves depends on what an id is. */
  get tools(): readonly Tool[] {
    return this.toolsFor[this.mode];
  }

  getState(): Values {
    const text = (item: string) => item;
    return {
      conversations: asDict(this.conversations, (conversation) => conversationValue(conversation, 'participant_ids')),
      messages_view_limit: this.messagesViewLimit,
      conversation_view_limit: this.conversationViewLimit,
      mode: this.mode,
      name_to_id: asDict(this.idOf, text),
      id_to_name: asDict(this.nameOf, text),
      current_user_id: this.userId,
      current_user_name: this.userName,
    };
  }

  loadState(state: Values): void {
    const loaded = readState(state, '');
    for (const [key, { participant_ids, ...rest }] of loaded.conversations)
      this.conversations.set(key, { ...rest, participants: participant_ids });
    this.messagesViewLimit = loaded.messages_view_limit;
    this.conversationViewLimit = loaded.conversation_view_limit;
    this.mode = loaded.mode;
    this.idOf = loaded.name_to_id;
    this.nameOf = loaded.id_to_name;
    this.userId = loaded.current_user_id;
    this.userName = loaded.current_user_name;
  }

  reset(): void {
    this.conversations.clear();
  }

  /** @param raise the reference has a ValueError in some tools and a plain Exception in others */
  conversation(id: string, raise: () => PythonError = () => exception(`Conversation with id ${id} not found`)) {
    const conversation = this.conversations.get(id);
    if (!conversation) throw raise();
    return conversation;
  }

  user(): string {
    if (this.userId === null) throw assertionError('Current user id must be set');
    return this.userId;
  }

  /** Names of the others, sorted; of people without a name their number, where ids are numbers. */
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

  /** The conversation with one other that bears no title of its own; a new one where there is none. */
  conversationWith(id: string): string {
    const existing = this.call('get_existing_conversation_ids', { user_ids: [id] }) as readonly string[];
    const title = this.defaultTitle([id]);
    const found = existing.find((conversation) => this.conversations.get(conversation)?.title === title);
    return found ?? this.create([this.user(), id], null);
  }

  /** A message of the user, now. */
  message(content: string, attachmentPath: string | null): MessageV2 {
    const message = { sender_id: this.user(), timestamp: this.world.now(), content };
    if (attachmentPath === null) return { ...message, message_id: this.draws.id() };
    const files = this.world.find('FILE_SYSTEM');
    if (!files?.exists(attachmentPath)) throw valueError(`File ${attachmentPath} does not exist`);
    const attachment = toBase64(files.read(attachmentPath));
    return { ...message, message_id: this.draws.id(), attachment, attachment_name: baseName(attachmentPath) };
  }

  /** A message of anyone in the conversation; times of the world's own messages are whole seconds. */
  receive(conversationId: string, sender_id: string, content: string): void {
    const conversation = this.conversation(conversationId);
    if (!conversation.participants.includes(sender_id)) throw exception(`Sender ${sender_id} not in conversation`);
    const timestamp = Math.floor(this.world.now());
    append(conversation, { message_id: this.draws.id(), sender_id, content, timestamp });
  }

  download(conversation: ConversationV2, messageId: string, folder: string): string {
    const message = conversation.messages.find(({ message_id }) => message_id === messageId);
    if (!message?.attachment) throw exception('No attachment found in the specified message');
    const path = joinPath(folder, message.attachment_name ?? '');
    const files = this.world.find('FILE_SYSTEM');
    if (!files) throw new PythonError('FileNotFoundError', `[Errno 2] No such file or directory: '${path}'`);
    files.write(path, fromBase64(message.attachment));
    return path;
  }

  /** Changes who takes part; a title that was made of names is made anew. */
  changeParticipants(conversation: ConversationV2, change: (participants: readonly string[]) => string[]): void {
    const isDefault = conversation.title === this.defaultTitle(conversation.participants);
    conversation.participants = change(conversation.participants);
    if (isDefault) conversation.title = this.defaultTitle(conversation.participants);
  }
}
