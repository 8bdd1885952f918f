// A compact language for an agent's actions, for models too small for JSON: `Emails.send_email [$4] $2 $3`. Within an episode it is a
// bijection to JSON actions: every call has exactly one spelling, and any other is refused with a named error. Arguments are in their
// declared order; after an omitted one each has its name (`limit=3`).

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { App, Tool } from '../types.ts';
import { type Arg, type Args, plainArgs } from '../value.ts';
import type { Book } from './book.ts';
import { LanguageError, ValueReader, writeValue } from './values.ts';

/** A tool and its arguments, as in an agent's call. */
export interface CompactCall {
  readonly app: string;
  readonly tool: string;
  readonly args: Args;
}

/** Most characters of an action. */
export const LONGEST = 1000;
/** The call that ends every turn is one word. */
const SHORT: Readonly<Record<string, string>> = { 'AgentUserInterface.send_message_to_user': 'say' };
const LONG = new Map(Object.entries(SHORT).map(([long, short]) => [short, long]));

export function encodeAction({ app, tool, args }: CompactCall, book: Book, apps: readonly App[]): string {
  const params = toolOf(app, tool, apps).params.map(({ name }) => name);
  const unknown = Object.keys(args).find((name) => !params.includes(name));
  if (unknown !== undefined) throw new LanguageError('argument', `${app}.${tool} has no argument ${unknown}`);
  const long = `${app}.${tool}`;
  const words = [Object.hasOwn(SHORT, long) ? (SHORT[long] as string) : long];
  let isInOrder = true;
  for (const name of params) {
    if (!Object.hasOwn(args, name)) {
      isInOrder = false;
      continue;
    }
    const value = writeValue(args[name] as Arg, book);
    words.push(isInOrder ? value : `${name}=${value}`);
  }
  const text = words.join(' ');
  if (text.length > LONGEST) throw new LanguageError('length', `${text.length} characters, more than ${LONGEST}`);
  return text;
}

/** Throws LanguageError. */
export function decodeAction(text: string, book: Book, apps: readonly App[]): CompactCall {
  if (text === '') throw new LanguageError('empty', 'nothing was said');
  if (text.length > LONGEST) throw new LanguageError('length', `${text.length} characters, more than ${LONGEST}`);
  const reader = new ValueReader(text, book);
  const word = reader.take(/[A-Za-z_][\w.]*/y)?.[0] ?? '';
  const [app = '', tool = '', ...more] = (LONG.get(word) ?? word).split('.');
  if (more.length > 0) throw new LanguageError('tool', `no tool ${word}`);
  const { params } = toolOf(app, tool, apps);
  const args: Record<string, Arg> = {};
  while (!reader.isDone) {
    reader.need(' ');
    const name = reader.take(/([a-z_]\w*)=/y)?.[1] ?? params[Object.keys(args).length]?.name;
    if (name === undefined || !params.some((param) => param.name === name) || Object.hasOwn(args, name))
      throw new LanguageError('argument', `${word}: ${name ?? 'one argument too many'}`);
    setOwn(args, name, reader.value());
  }
  const call = { app, tool, args };
  const canonical = encodeAction(call, book, apps);
  if (canonical !== text) throw new LanguageError('canonical', `${text} is written ${canonical}`);
  return call;
}

/** The call as the JSON action of a ReAct agent. */
export const jsonOf = ({ app, tool, args }: CompactCall): string =>
  JSON.stringify({ action: `${app}__${tool}`, action_input: plainArgs(args) });

function toolOf(appName: string, name: string, apps: readonly App[]): Tool {
  const tool = apps.find((app) => app.name === appName)?.tool(name);
  if (!tool?.roles.includes('agent')) throw new LanguageError('tool', `no tool ${appName}.${name}`);
  return tool;
}
