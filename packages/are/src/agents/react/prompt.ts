// Prompt of a ReAct agent: the rules of its task, the output format, its apps' tools and its notifications; and the form of later messages.
// The form and its tokens (`[TASK]`, `Action:`, `<end_action>`) are the reference's (ARE, arXiv 2509.17158); the sentences are the lab's
// own.
import { publicName } from '../../catalogue.ts';
import { stamp } from '../../clock.ts';
import type { Message } from '../../notifications/inbox.ts';
import type { Verbosity } from '../../notifications/notified.ts';
import { pythonRepr } from '../../python-text.ts';
import type { App, Tool } from '../../types.ts';

const END_ACTION = '<end_action>';
export const STOPS: readonly string[] = [END_ACTION, 'Observation:'];

export const agentTools = (apps: readonly App[]): { app: App; tool: Tool }[] =>
  apps.flatMap((app) => app.tools.filter(({ roles }) => roles.includes('agent')).map((tool) => ({ app, tool })));

export function systemPrompt(apps: readonly App[], now: number, verbosity: Verbosity): string {
  return [
    'You are an assistant who acts for a user in a set of apps. You work on a task by calling tools, one at a time.',
    [
      'Write each answer in this form and nothing after it:',
      'Thought: what you know and what has to be done next',
      'Action:',
      `{"action": "App__tool", "action_input": {"name": value}}${END_ACTION}`,
      'One thought and one action an answer. The action is JSON. You then get what the tool returned as an observation.',
    ].join('\n'),
    [
      'Rules:',
      '- Write to the user only when the task is done or cannot be done; until then work without asking.',
      '- Do what was asked and nothing else; keep to the names, times and words that were given.',
      '- Where something is ambiguous, do what is clear, then ask about the rest.',
      '- Where something is to happen later, wait for it with the tool for waiting.',
    ].join('\n'),
    `Tools:\n${agentTools(apps)
      .map(({ app, tool }) => toolLine(app, tool))
      .join('\n')}`,
    NOTIFIED[verbosity],
    `It is ${stamp(now).slice(0, 13)}:00 (UTC).`,
  ].join('\n\n');
}

const NOTIFIED: Readonly<Record<Verbosity, string>> = {
  LOW: 'You are told of messages from the user, and of nothing else that happens in the apps.',
  MEDIUM:
    'You are told of messages from the user, and of what others do in the apps that concerns the user, such as a new mail.',
  HIGH: 'You are told of messages from the user, and of what happens in the apps.',
};

export function toolLine(app: App, tool: Tool): string {
  const inputs = Object.fromEntries(
    tool.params.map(({ name, type, about = '', default: fallback }) => [
      name,
      `${type}${fallback === undefined ? '' : `, ${pythonRepr(fallback)} where it is left out`}${about && `: ${about}`}`,
    ]),
  );
  return [
    `- ${publicName(app, tool)}: Acts on app ${app.name}: ${tool.about.trim()}`,
    `  Takes inputs: ${JSON.stringify(inputs)}`,
    `  Returns an output of type: ${tool.returns ?? 'None'}`,
  ].join('\n');
}

/** @param isStart whether the agent has no task yet, so that the user's messages are its task */
export function messagesText(messages: readonly Message[], isStart: boolean): string[] {
  const userMessages = messages.filter(({ kind }) => kind === 'USER_MESSAGE').map(({ text }) => contentOf(text));
  const notified = messages.filter(({ kind }) => kind === 'ENVIRONMENT_NOTIFICATION');
  return [
    ...(userMessages.length > 0
      ? [isStart ? `[TASK]: \n${userMessages.join('\n')}` : framed('User messages updates:', userMessages)]
      : []),
    ...(notified.length > 0
      ? [
          framed(
            'Environment notifications updates:',
            notified.map(({ time, text }) => `[${stamp(time)}] ${text}`),
          ),
        ]
      : []),
  ];
}

const framed = (head: string, lines: readonly string[]): string => `${head}\n***\n${lines.join('\n')}\n***`;

export const observation = (step: number, text: string): string =>
  framed(`[OUTPUT OF STEP ${step}] Observation:`, [text === '' ? 'No observation' : text]);

export const errorText = (step: number, text: string): string =>
  `${framed(`[OUTPUT OF STEP ${step}] ERROR:`, [text])}\nCorrect what was wrong and try again; where it fails twice, try another way.`;

/** The user's text within the form in which a message reaches the inbox. */
const contentOf = (text: string): string => /^Message: (.*)\nAlready read: /ms.exec(text)?.[1] ?? text;
