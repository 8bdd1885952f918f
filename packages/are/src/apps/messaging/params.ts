// Parameters that both messengers have.

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
export const DOWNLOAD = {
  ...CONVERSATION,
  message_id: { type: 'str', about: 'Id of the message with the file.' },
  download_path: { type: 'str', default: 'Downloads/', about: 'Folder to save it in.' },
} as const;

/** @param messages how many of each conversation are shown if nothing is said */
export const windowOf = <const N extends number>(messages: N) =>
  ({
    offset: { type: 'int', default: 0, about: 'How many conversations to skip.' },
    limit: { type: 'int', default: 5, about: 'How many conversations to return; few.' },
    offset_recent_messages_per_conversation: { type: 'int', default: 0, about: 'How many messages of each to skip.' },
    limit_recent_messages_per_conversation: { type: 'int', default: messages, about: 'How many messages of each.' },
  }) as const;
