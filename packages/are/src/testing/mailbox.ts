// Helpers for tests of the event loop: an app that stores texts, with the class of the mail app so that notifications recognise it; and
// small environments.
import { AppBase } from '../app.ts';
import { Environment, type EnvironmentOptions } from '../environment.ts';
import { actionEvent, type When } from '../events/graph.ts';
import type { ActionEvent, ScenarioEvent } from '../events/types.ts';
import { toolsOf } from '../tool.ts';
import type { Tool } from '../types.ts';
import type { Args } from '../value.ts';

export class EmailApp extends AppBase {
  texts: string[] = [];

  constructor() {
    super('EmailClientV2', 'Mailbox');
  }

  get tools(): readonly Tool[] {
    return TOOLS;
  }

  getState() {
    return { texts: [...this.texts] };
  }

  loadState(state: { texts?: readonly string[] }): void {
    this.texts = [...(state.texts ?? [])];
  }

  reset(): void {
    this.texts = [];
  }
}

const tool = toolsOf<EmailApp>();
const TOOLS = [
  tool({
    name: 'write',
    roles: ['agent', 'user', 'env'],
    operation: 'WRITE',
    returns: 'str',
    params: { text: { type: 'Any' }, more: { type: 'str', default: '' } },
    about: 'Keeps a text.',
    run: (app, { text }) => {
      app.texts.push(String(text));
      return `${text}!`;
    },
  }),
  tool({
    name: 'count',
    roles: ['env'],
    operation: 'READ',
    returns: 'dict',
    params: {},
    about: 'How many texts there are.',
    run: (app) => ({ size: app.texts.length }),
  }),
  tool({
    name: 'send_email_to_user_only',
    roles: ['env'],
    operation: 'WRITE',
    returns: 'str',
    params: { sender: { type: 'str' }, subject: { type: 'str' }, content: { type: 'str' } },
    about: 'Is told of at MEDIUM.',
    run: () => 'id',
  }),
];

export function emailEvent(
  app: EmailApp,
  id: string,
  type: ActionEvent['type'],
  args: Args,
  when: Omit<When, 'id'> = {},
  name = 'write',
): ActionEvent {
  return actionEvent({ id, ...when, type, app, tool: app.tool(name) as Tool, args });
}

/** A started 30-second environment. */
export function environmentOf(
  events: readonly ScenarioEvent[],
  app = new EmailApp(),
  options: EnvironmentOptions = {},
) {
  const environment = new Environment({ duration: 30, ...options }).register([app]).schedule(events);
  environment.begin();
  return environment;
}

/** Plays the scenario to its end. */
export const played = (events: readonly ScenarioEvent[], app?: EmailApp, options?: EnvironmentOptions) => {
  const environment = environmentOf(events, app, options);
  while (environment.step());
  return environment;
};
