// The messenger's tools.
import { exception, valueError } from '../../python-error.ts';
import { toolsOf } from '../../tool.ts';
import type { Tool } from '../../types.ts';
import { append, newestFirst, within } from './conversation.ts';
import { weightedRatio } from './fuzzy.ts';
import { CONVERSATION, DATES, MESSAGE_PAGE, QUERY, windowOf } from './messenger.ts';
import { DOWNLOAD_ATTACHMENT, messagePage, regexSearch } from './shared-tools.ts';
import { MessagingAppV2 } from './v2.ts';

/** Least similarity, from 0 to 100, at which a name matches. */
const NEAR = 80;

const USER = { user_id: { type: 'str', about: 'Id of the person.' } } as const;
const USERS = { user_ids: { type: 'list[str]', about: 'Ids of the others; the user is one of them anyway.' } } as const;
const NAME = { user_name: { type: 'str', about: 'Name of the person.' } } as const;
const CONTENT = { content: { type: 'str', default: '', about: 'Text of the message.' } } as const;
const ATTACHMENT = {
  attachment_path: { type: 'str | None', default: null, about: 'Path of a file to attach.' },
} as const;
const BOTH = ['agent', 'env'] as const;

const tool = toolsOf<MessagingAppV2>();
const DECLARED: readonly Tool[] = [
  tool({
    name: 'get_user_id',
    operation: 'READ',
    returns: 'str | None',
    params: NAME,
    about: 'The id of the person of exactly this name; null if there is none.',
    run: (app, { user_name }) => app.idOf.get(user_name) ?? null,
  }),
  tool({
    name: 'get_user_name_from_id',
    operation: 'READ',
    returns: 'str | None',
    params: USER,
    about: 'The name of the person of exactly this id; null if there is none.',
    run: (app, { user_id }) => app.nameOf.get(user_id) ?? null,
  }),
  tool({
    name: 'lookup_user_id',
    operation: 'READ',
    returns: 'dict[str, str]',
    params: NAME,
    about: 'Ids of people by name, of exactly this name or else of all names near to it, nearest first.',
    run: ({ idOf }, { user_name }) => {
      const exact = idOf.get(user_name);
      if (exact !== undefined) return { [user_name]: exact };
      const sought = user_name.toLowerCase().trim();
      const scored = [...idOf].map(([name, id]) => ({ name, id, score: weightedRatio(sought, name.toLowerCase()) }));
      const near = scored.filter(({ score }) => score >= NEAR).sort((a, b) => b.score - a.score);
      return Object.fromEntries(near.map(({ name, id }) => [name, id]));
    },
  }),
  tool({
    name: 'send_message',
    operation: 'WRITE',
    returns: 'str',
    params: { ...USER, ...CONTENT, ...ATTACHMENT },
    about: 'Sends a message to one person and returns the id of the conversation, which is made if there is none.',
    run: (app, { user_id, content, attachment_path }) => {
      const message = app.message(content, attachment_path);
      const id = app.conversationWith(user_id);
      append(app.conversation(id), message);
      return id;
    },
  }),
  tool({
    name: 'send_message_to_group_conversation',
    operation: 'WRITE',
    returns: 'str',
    params: { ...CONVERSATION, ...CONTENT, ...ATTACHMENT },
    about: 'Sends a message to a conversation of three people or more.',
    run: (app, { conversation_id, content, attachment_path }) => {
      const missing = () => valueError(`Conversation ${conversation_id} does not exist`);
      const conversation = app.conversation(conversation_id, missing);
      if (conversation.participants.length < 3)
        throw valueError(`Conversation ${conversation_id} is not a group conversation`);
      append(conversation, app.message(content, attachment_path));
      return conversation_id;
    },
  }),
  tool({
    name: 'create_group_conversation',
    roles: BOTH,
    operation: 'WRITE',
    returns: 'str',
    params: { ...USERS, title: { type: 'str | None', default: null, about: 'Title; names if not given.' } },
    about: 'Makes a conversation with two others or more and returns its id.',
    run: (app, { user_ids, title }) => {
      if (user_ids.length < 2) throw exception('Must have at least two other participants');
      return app.create(user_ids, title);
    },
  }),
  tool({
    name: 'get_existing_conversation_ids',
    operation: 'READ',
    returns: 'list[str]',
    params: USERS,
    about: 'Ids of the conversations of exactly these people and the user.',
    run: (app, { user_ids }) => {
      const sought = new Set<string | null>([...user_ids, app.userId]);
      const isSame = (participants: readonly string[]) => {
        const people = new Set<string | null>(participants);
        return people.size === sought.size && [...sought].every((id) => people.has(id));
      };
      return [...app.conversations].filter(([, { participants }]) => isSame(participants)).map(([id]) => id);
    },
  }),
  tool({
    name: 'list_recent_conversations',
    operation: 'READ',
    returns: 'list[ConversationV2]',
    params: windowOf(10),
    about: 'Lists conversations, those with the latest message first, each with its latest messages.',
    run: (app, window) => app.recent(window),
  }),
  tool({
    name: 'list_conversations_by_participant',
    operation: 'READ',
    returns: 'list[ConversationV2]',
    params: { ...USER, ...windowOf(5) },
    about: 'Lists the conversations that a person takes part in, each with its latest messages.',
    run: (app, { user_id, ...window }) => app.ofParticipant(user_id, window),
  }),
  DOWNLOAD_ATTACHMENT,
  tool({
    name: 'create_and_add_message',
    roles: ['env'],
    operation: 'WRITE',
    returns: 'NoneType',
    params: { ...CONVERSATION, sender_id: { type: 'str', about: 'Id of who writes.' }, content: { type: 'str' } },
    about: 'Somebody in a conversation writes a message.',
    run: (app, { conversation_id, sender_id, content }) => {
      app.receive(conversation_id, sender_id, content);
      return null;
    },
  }),
  tool({
    name: 'read_conversation',
    operation: 'READ',
    returns: 'dict',
    params: { ...CONVERSATION, ...MESSAGE_PAGE, ...DATES },
    about: 'Messages of a conversation, newest first, with the range shown and the total.',
    run: (app, { conversation_id, min_date, max_date, ...range }) => {
      const { messages, title } = app.conversation(conversation_id, valueError);
      return messagePage(conversation_id, title, range, () => newestFirst(within(messages, min_date, max_date, true)));
    },
  }),
  tool({
    name: 'add_participant_to_conversation',
    roles: BOTH,
    operation: 'WRITE',
    returns: 'str',
    params: { ...CONVERSATION, ...USER },
    about: 'Somebody joins a conversation.',
    run: (app, { conversation_id, user_id }) => {
      const conversation = app.conversation(conversation_id);
      if (conversation.participants.includes(user_id))
        throw exception(`Participant ${user_id} already in conversation`);
      app.changeParticipants(conversation, (participants) => [...participants, user_id]);
      return conversation_id;
    },
  }),
  tool({
    name: 'remove_participant_from_conversation',
    roles: BOTH,
    operation: 'WRITE',
    returns: 'str',
    params: { ...CONVERSATION, ...USER },
    about: 'Somebody leaves a conversation.',
    run: (app, { conversation_id, user_id }) => {
      const conversation = app.conversation(conversation_id);
      if (!conversation.participants.includes(user_id)) throw exception(`Participant ${user_id} not in conversation`);
      app.changeParticipants(conversation, (participants) => participants.filter((id) => id !== user_id));
      return conversation_id;
    },
  }),
  tool({
    name: 'change_conversation_title',
    roles: BOTH,
    operation: 'WRITE',
    returns: 'str',
    params: { ...CONVERSATION, title: { type: 'str', about: 'The new title.' } },
    about: 'Gives a conversation another title.',
    run: (app, { conversation_id, title }) => {
      app.conversation(conversation_id).title = title;
      return conversation_id;
    },
  }),
  tool({
    name: 'search',
    operation: 'READ',
    returns: 'list[str]',
    params: { ...QUERY, ...DATES },
    about: 'Ids of conversations whose participants, title or messages hold a text, whatever the case.',
    run: (app, { query, min_date, max_date }) => {
      const sought = query.toLowerCase();
      const holds = (text: string) => text.toLowerCase().includes(sought);
      return app.found(min_date, max_date, holds, true).map(({ conversation_id }) => conversation_id);
    },
  }),
  regexSearch(true),
];

/** Each tool explains what an id is, as in the reference. */
const explained = (what: string): readonly Tool[] =>
  DECLARED.map((declared) => ({ ...declared, about: `${declared.about}\n\n${what}` }));
const TOOLS = {
  NAME: explained('Ids of people are internal to this app: look them up by name.'),
  PHONE_NUMBER: explained('Ids of people are their phone numbers.'),
};

export const messagingAppV2 = (name?: string): MessagingAppV2 => new MessagingAppV2(name, TOOLS);
