// Variables that a user gives a chat template besides its messages: `enable_thinking=false`, … They come from flags, forms, links
// and files, so names and sizes are bounded here.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';

export type ChatArgs = Readonly<Record<string, unknown>>;

const LIMITS = {
  count: 16,
  name: 64,
  /** Most characters of all arguments together, written as JSON. */
  size: 4000,
  depth: 8,
} as const;

/** Names that a template gets from the conversation, from the tokenizer, or from Jinja itself. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['messages', 'add_generation_prompt', 'continue_final_message'],
  ...['bos_token', 'eos_token', 'pad_token', 'unk_token', 'cls_token', 'sep_token', 'mask_token'],
  ...['strftime_now', 'raise_exception', 'range', 'namespace', 'loop', 'self', 'caller'],
  ...['true', 'True', 'false', 'False', 'none', 'None'],
]);

const REMEDY = 'Give such as enable_thinking=false; the value is JSON, or else text.';

/** Throws SpecError for a name or a value that no template may get. `where` says in the message where the arguments came from. */
export function checkChatArgs(args: ChatArgs, where: string): ChatArgs {
  const names = Object.keys(args);
  const refuse = (what: string, remedy: string = REMEDY): never => {
    throw new SpecError(`${where}: ${what}`, remedy);
  };
  for (const name of names) {
    if (name.length > LIMITS.name || !/^[A-Za-z]\w*$/.test(name))
      refuse(
        `${JSON.stringify(name.slice(0, 80))} is no name of a template’s variable (letters, digits and _, at most ${LIMITS.name}).`,
      );
    if (RESERVED.has(name))
      refuse(`${name} is given by the lab (messages, special tokens, Jinja’s own names).`, 'Leave it out.');
    checkValue(args[name], (what) => refuse(`${name} ${what}`));
  }
  if (names.length > LIMITS.count) refuse(`${names.length} arguments, ${LIMITS.count} are allowed.`);
  const { length } = JSON.stringify(args);
  if (length > LIMITS.size) refuse(`${length} characters as JSON, ${LIMITS.size} are allowed.`);
  return args;
}

function checkValue(value: unknown, refuse: (what: string) => void, depth = 1): void {
  if (depth > LIMITS.depth) refuse(`is nested more than ${LIMITS.depth} deep.`);
  else if (typeof value === 'number' && !Number.isFinite(value))
    refuse('has a number beyond 1.8e308, which JSON cannot hold: put it in quotes, as text.');
  else if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    refuse('has a whole number beyond 2^53, which would be rounded: put it in quotes, as text.');
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) checkValue(inner, refuse, depth + 1);
}

/** Parses `NAME=VALUE` from the command line; the value is JSON if it parses, else text. Throws SpecError. */
export function chatArgOf(text: string): [name: string, value: unknown] {
  const at = text.indexOf('=');
  if (at < 0) throw new SpecError(`--chat-arg ${text.slice(0, 60)} has no value.`, REMEDY);
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), parseJsonText(value)];
  } catch {
    return [text.slice(0, at), value];
  }
}

/** Reads arguments as a spec, a link and a form hold them: the JSON text of an object, or '' for no arguments. Throws SpecError. */
export function readChatArgs(text: string, where = 'chatArgs'): ChatArgs {
  if (text.trim() === '') return {};
  // A text over the limit is refused without being parsed.
  if (text.length > LIMITS.size) return checkChatArgs({ text }, where);
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch {
    value = null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SpecError(
      `${where}: ${text.slice(0, 60)} is no JSON object.`,
      'Write such as {"enable_thinking": false}; leave it empty for none.',
    );
  return checkChatArgs(value as ChatArgs, where);
}

/** Writes arguments as JSON sorted by name and without white space, so that their order does not change the text. The fields of a value keep theirs,
 *  which a template may print. */
export function chatArgsText(args: ChatArgs): string {
  const names = Object.keys(args).sort();
  return names.length === 0 ? '' : JSON.stringify(Object.fromEntries(names.map((name) => [name, args[name]])));
}

/** A warning about arguments that a template never reads; null if it reads all. */
export const unreadWords = (names: readonly string[], label: string): string | null =>
  names.length === 0
    ? null
    : `${label}: its chat template never reads ${names.join(', ')}; without effect here (--chat-arg, chatArgs).`;
