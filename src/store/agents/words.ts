// Texts of the agents' view: one line per entry, names of the agents, and the end of a run.

import type { Entry, PagePart, PlayerName } from '../../lab/protocol/agents.ts';
import { clippedJson } from './shape.ts';

/** Names in the form and in charts. Traces and tables contain the id itself. */
export const AGENT_WORDS: Readonly<Record<PlayerName, string>> = {
  oracle: 'oracle',
  'oracle-mistake': 'oracle, 1 mistake',
  random: 'random',
  silent: 'silent',
  'tiny-agent': 'tiny-agent',
  'tiny-agent-forms': 'tiny-agent-forms',
  react: 'ReAct (loaded)',
  'react-onnx': 'ReAct (ONNX file)',
  'react-endpoint': 'ReAct (server)',
};

export const PART_WORDS: Readonly<Record<PagePart, string>> = {
  training: 'templates',
  composed: 'composed forms',
  'composed held out': 'held-out forms',
};

const MESSAGES = new Set(['send_message_to_agent', 'send_message_to_user']);

/** The line of an entry, split into its head and the rest. */
export function lineOf(entry: Entry): { head: string; rest: string } {
  switch (entry.kind) {
    case 'notification':
      return { head: 'Notification', rest: entry.text };
    case 'turn':
      return { head: `Turn ${entry.turn + 1}`, rest: entry.verdict.success ? 'passed' : 'failed' };
    case 'end':
      return { head: 'End', rest: ENDS[entry.reason] };
    case 'call': {
      const { tool, app, args, actor } = entry;
      if (MESSAGES.has(tool))
        return { head: actor === 'user' ? 'The user' : 'To the user', rest: String(args.content) };
      const given = Object.entries(args).filter(([, value]) => value !== null);
      return {
        head: `${app}.${tool}`,
        rest: given.map(([name, value]) => `${name}: ${clippedJson(value, 60)}`).join(', '),
      };
    }
  }
}

export const ENDS = {
  'turns done': 'The agent ended the last turn.',
  stopped: 'The run was stopped.',
  'time up': 'The simulated time was up.',
  'steps up': 'The agent had used up its actions.',
} as const;

/** Simulated seconds since the start, such as +0:07 or +1:02:03. */
export function sinceStart(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return h > 0 ? `+${h}:${two(m)}:${two(s)}` : `+${m}:${two(s)}`;
}
