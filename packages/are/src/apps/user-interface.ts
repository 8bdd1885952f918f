// The chat of user and agent (ARE's AgentUserInterface). A message to the user ends the agent's turn, which the episode's runner handles;
// this app only stores the message.
import { AppBase } from '../app.ts';
import { PythonError } from '../python-error.ts';
import { toolsOf } from '../tool.ts';
import type { Tool } from '../types.ts';
import type { Value, Values } from '../value.ts';
import { copyOf, list, nullable, num, record, str, withDefault } from './support/state.ts';

type Sender = 'User' | 'Agent';
type AUIMessage = {
  sender: Sender;
  content: string;
  attachments: string[];
  /** Seconds since 1970. */
  timestamp: number;
  /** Null until the agent has seen it; the agent's own messages count as read at once. */
  time_read: number | null;
  id: string | null;
};

const readState = record({
  messages: list(
    record({
      sender: (value, at): Sender => {
        if (value === 'User' || value === 'Agent') return value;
        throw new PythonError('ValueError', `${at}: ${JSON.stringify(value ?? null)} is not a valid Sender`);
      },
      content: str,
      attachments: withDefault(list(str), []),
      timestamp: num,
      time_read: nullable(num),
      id: nullable(str),
    }),
  ),
});

export class AgentUserInterface extends AppBase {
  readonly tools: readonly Tool[] = TOOLS;
  messages: AUIMessage[] = [];

  constructor() {
    super('AgentUserInterface');
  }

  getState(): Values {
    return { messages: copyOf(this.messages) };
  }

  /** A loaded chat starts at second 0, as in the reference: the earliest time is subtracted from all times. */
  loadState(state: Values): void {
    const { messages } = readState(state, '');
    const earliest = Math.min(...messages.flatMap(({ timestamp, time_read }) => [timestamp, time_read || timestamp]));
    this.messages = messages.map((message) => ({
      ...message,
      timestamp: message.timestamp - earliest,
      time_read: message.time_read ? message.time_read - earliest : message.time_read,
    }));
  }

  reset(): void {
    this.messages = [];
  }

  send(sender: Sender, content: string, attachments: readonly string[] = []): string {
    const timestamp = this.world.now();
    const id = this.draws.id();
    const time_read = sender === 'Agent' ? timestamp : null;
    this.messages.push({ sender, content, attachments: [...attachments], timestamp, time_read, id });
    return id;
  }

  of(sender: Sender): AUIMessage[] {
    return this.messages.filter((message) => message.sender === sender);
  }

  markRead(messages: readonly AUIMessage[]): void {
    for (const message of messages) message.time_read = this.world.now();
  }
}

const READ = { roles: ['agent', 'data'], operation: 'READ', isUnchecked: true, params: {} } as const;

const lastOf = (messages: readonly AUIMessage[]): Value => copyOf(messages.at(-1) ?? null);

const tool = toolsOf<AgentUserInterface>();
const TOOLS: readonly Tool[] = [
  tool({
    name: 'send_message_to_user',
    roles: ['agent', 'data'],
    operation: 'WRITE',
    returns: 'str | None',
    params: { content: { type: 'str', default: '', about: 'What to tell the user.' } },
    about: "Sends a message to the user. This ends the agent's turn.",
    run: (app, { content }) => {
      app.send('Agent', content);
      return null;
    },
  }),
  tool({
    name: 'send_message_to_agent',
    roles: ['user'],
    operation: 'WRITE',
    returns: 'str',
    params: {
      content: { type: 'str', default: '', about: 'What to tell the agent.' },
      attachments: { type: 'list[str] | None', default: null, about: 'Addresses of attached files.' },
      base64_utf8_encoded_attachment_contents: {
        type: 'list[dict[str, Any]] | None',
        default: null,
        about: 'Contents of the attached files; not kept.',
      },
    },
    about: 'Sends a message to the agent and returns its id.',
    run: (app, { content, attachments }) => app.send('User', content, attachments ?? []),
  }),
  tool({
    ...READ,
    name: 'get_last_message_from_user',
    returns: 'AUIMessage | None',
    about: "The user's last message, which counts as read then; null if there is none.",
    run: (app) => {
      app.markRead(
        app
          .of('User')
          .slice(-1)
          .filter(({ time_read }) => time_read === null),
      );
      return lastOf(app.of('User'));
    },
  }),
  tool({
    ...READ,
    name: 'get_last_unread_messages',
    returns: 'list[AUIMessage]',
    about: "The user's messages that have not been read yet; they count as read then.",
    run: (app) => {
      const unread = app.of('User').filter(({ time_read }) => time_read === null);
      app.markRead(unread);
      return copyOf(unread);
    },
  }),
  tool({
    ...READ,
    name: 'get_last_message_from_agent',
    returns: 'AUIMessage | None',
    about: "The agent's last message; null if there is none.",
    run: (app) => lastOf(app.of('Agent')),
  }),
  tool({
    ...READ,
    name: 'get_all_messages',
    returns: 'list[AUIMessage]',
    about: 'All messages, newest first; all count as read then.',
    run: (app) => {
      app.markRead(app.messages);
      return copyOf([...app.messages].sort((a, b) => b.timestamp - a.timestamp));
    },
  }),
];
