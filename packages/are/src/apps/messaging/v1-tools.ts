// The older messenger's tools.
import { exception, valueError } from '../../python-error.ts';
import { toolsOf } from '../../tool.ts';
import type { Tool } from '../../types.ts';
import { sortedSet } from '../support/text.ts';
import { newestFirst } from './conversation.ts';
import { CONVERSATION, DATES, MESSAGE_PAGE, QUERY, windowOf } from './messenger.ts';
import { DOWNLOAD_ATTACHMENT, messagePage, regexSearch } from './shared-tools.ts';
import { ME, MessagingApp } from './v1.ts';

const PERSON = { participant: { type: 'str', about: 'Full name of the person.' } } as const;
const ALL = ['agent', 'env', 'data'] as const;

const tool = toolsOf<MessagingApp>();
const TOOLS: readonly Tool[] = [
  tool({
    name: 'create_conversation',
    roles: ALL,
    operation: 'WRITE',
    returns: 'str',
    params: {
      participants: { type: 'list[str]', about: 'Full names of the others.' },
      title: { type: 'str | None', default: null, about: 'Title; names if not given.' },
    },
    about: 'Makes a conversation and returns its id.',
    run: (app, { participants, title }) => {
      if (participants.length < 1) throw exception('Must have at least one participant');
      const conversation_id = app.draws.id();
      const people = sortedSet([...participants, ME]);
      app.conversations.set(conversation_id, {
        participants: people,
        messages: [],
        title: title || people.join(', '),
        conversation_id,
        last_updated: app.world.now(),
      });
      return conversation_id;
    },
  }),
  tool({
    name: 'list_recent_conversations',
    operation: 'READ',
    returns: 'list[Conversation]',
    params: windowOf(5),
    about: 'Lists conversations, those with the latest message first, each with its latest messages.',
    run: (app, window) => app.recent(window),
  }),
  tool({
    name: 'list_conversations_by_participant',
    roles: ['agent', 'data'],
    operation: 'READ',
    returns: 'list[Conversation]',
    params: { ...PERSON, ...windowOf(5) },
    about: 'Lists the conversations that a person takes part in, each with its latest messages.',
    run: (app, { participant, ...window }) => app.ofParticipant(participant, window),
  }),
  tool({
    name: 'send_message',
    operation: 'WRITE',
    returns: 'str',
    params: { ...CONVERSATION, content: { type: 'str', default: '', about: 'Text of the message.' } },
    about: 'Sends a message to a conversation and returns its id.',
    run: (app, { conversation_id, content }) =>
      app.write(app.conversation(conversation_id), { sender: ME, timestamp: app.world.now(), content }),
  }),
  tool({
    name: 'send_attachment',
    operation: 'WRITE',
    returns: 'str',
    params: { ...CONVERSATION, filepath: { type: 'str', about: 'Path of the file.' } },
    about: 'Sends a file to a conversation and returns the id of the message.',
    run: (app, { conversation_id, filepath }) => {
      const conversation = app.conversation(conversation_id);
      const attached = app.attachmentOf(filepath, exception);
      return app.write(conversation, { sender: ME, timestamp: app.world.now(), content: '', ...attached });
    },
  }),
  DOWNLOAD_ATTACHMENT,
  tool({
    name: 'create_and_add_message',
    roles: ['env', 'data'],
    operation: 'WRITE',
    returns: 'str',
    params: {
      ...CONVERSATION,
      sender: { type: 'str', about: 'Full name of who writes; "Me" for the user.' },
      content: { type: 'str', about: 'Text of the message.' },
    },
    about: 'Somebody in a conversation writes a message.',
    run: (app, { conversation_id, sender, content }) => {
      const conversation = app.conversation(conversation_id);
      if (!conversation.participants.includes(sender)) throw exception(`Sender ${sender} not in conversation`);
      app.write(conversation, { sender, timestamp: Math.floor(app.world.now()), content });
      return conversation_id;
    },
  }),
  tool({
    name: 'read_conversation',
    roles: ['agent', 'data'],
    operation: 'READ',
    returns: 'dict',
    params: { ...CONVERSATION, ...MESSAGE_PAGE },
    about: 'Messages of a conversation, newest first, with the range shown and the total.',
    run: (app, { conversation_id, ...range }) => {
      const conversation = app.conversation(conversation_id, valueError);
      const newest = newestFirst(conversation.messages);
      const shown = messagePage(conversation_id, conversation.title, range, () => newest);
      // Reading also sorts the stored conversation, as in the reference.
      conversation.messages = newest;
      return shown;
    },
  }),
  tool({
    name: 'add_participant_to_conversation',
    roles: ALL,
    operation: 'WRITE',
    returns: 'str',
    params: { ...CONVERSATION, ...PERSON },
    about: 'Somebody joins a conversation.',
    run: (app, { conversation_id, participant }) => {
      const { participants } = app.conversation(conversation_id);
      if (participants.includes(participant)) throw exception(`Participant ${participant} already in conversation`);
      participants.push(participant);
      return conversation_id;
    },
  }),
  tool({
    name: 'remove_participant_from_conversation',
    roles: ALL,
    operation: 'WRITE',
    returns: 'str',
    params: { ...CONVERSATION, ...PERSON },
    about: 'Somebody leaves a conversation.',
    run: (app, { conversation_id, participant }) => {
      const { participants } = app.conversation(conversation_id);
      if (!participants.includes(participant)) throw exception(`Participant ${participant} not in conversation`);
      participants.splice(participants.indexOf(participant), 1);
      return conversation_id;
    },
  }),
  tool({
    name: 'search',
    roles: ['agent', 'data'],
    operation: 'READ',
    returns: 'list[str]',
    params: { ...QUERY, ...DATES },
    about: 'Conversations whose participants, title or messages hold a text, whatever the case.',
    // Returns whole conversations although it declares ids, as in the reference.
    run: (app, { query, min_date, max_date }) => {
      const sought = query.toLowerCase();
      return app.found(min_date, max_date, (text) => text.toLowerCase().includes(sought), false).map(app.shown);
    },
  }),
  regexSearch(false),
];

export const messagingApp = (name?: string): MessagingApp => new MessagingApp(name, TOOLS);
