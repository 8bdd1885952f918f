// Tools that are the same in both messaging apps of the reference.
import { valueError } from '../../python-error.ts';
import { toolsOf } from '../../tool.ts';
import type { Value } from '../../value.ts';
import { copyOf } from '../support/state.ts';
import type { Message } from './conversation.ts';
import { CONVERSATION, DATES, type Messenger, QUERY } from './messenger.ts';
import { pythonPattern } from './pattern.ts';

const tool = toolsOf<Messenger<Message>>();

export const DOWNLOAD_ATTACHMENT = tool({
  name: 'download_attachment',
  operation: 'WRITE',
  returns: 'str',
  params: {
    ...CONVERSATION,
    message_id: { type: 'str', about: 'Id of the message with the file.' },
    download_path: { type: 'str', default: 'Downloads/', about: 'Folder to save it in.' },
  },
  about: "Saves a message's file and returns its path.",
  run: (app, { conversation_id, message_id, download_path }) =>
    app.download(app.conversation(conversation_id), message_id, download_path),
});

/** @param isWhole whether times lose their fractions of a second */
export const regexSearch = (isWhole: boolean) =>
  tool({
    name: 'regex_search',
    operation: 'READ',
    returns: 'list[str]',
    params: { ...QUERY, ...DATES },
    about: 'Ids of conversations whose participants, title or messages match a regular expression, whatever the case.',
    run: (app, { query, min_date, max_date }) => {
      const pattern = pythonPattern(query);
      return app
        .found(min_date, max_date, (text) => pattern.test(text), isWhole)
        .map(({ conversation_id }) => conversation_id);
    },
  });

/** @param newest returns the messages, newest first; not called for a negative offset */
export function messagePage<M extends Message>(
  conversation_id: string,
  conversation_title: string | null,
  { offset, limit }: { offset: number; limit: number },
  newest: () => readonly M[],
): Value {
  if (offset < 0) throw valueError('Offset must be positive');
  const messages = newest();
  if (offset > messages.length) throw valueError('Offset is larger than the number of messages');
  const end = Math.min(messages.length, offset + limit);
  const range = { message_range: [offset, end], conversation_length: messages.length };
  return { messages: copyOf(messages.slice(offset, end)), metadata: { ...range, conversation_id, conversation_title } };
}
