// Flags of every command that takes a model: how its prompts are written where not as its own files say, and which part of its text is the
// answer.
import { readFile } from 'node:fs/promises';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { ModelText } from '../../storage/model-text.ts';
import { type ChatArgs, chatArgOf, checkChatArgs } from '../../text/chat-args.ts';
import type { PromptSettings } from '../../text/chat-template.ts';
import type { Thinking } from '../../text/thinking.ts';
import { named, text, type Values } from '../args.ts';

export { JUDGED_WORDS, THINKING_FLAG, thinkingWith } from '../thinking.ts';

/** Throws SpecError for a name that is given twice, or that no template may get. */
function argsOf(given: readonly string[]): ChatArgs {
  const args = given.map(chatArgOf).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = args.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new SpecError(`--chat-arg ${twice} is given twice.`, 'Leave one of them out.');
  return checkChatArgs(Object.fromEntries(args), '--chat-arg');
}

export const PROMPT_FLAGS = {
  'chat-template': text(
    'HOW',
    'How conversations are written where it is not as the model’s own chat template does: chatml, none (plain text), or a file with a Jinja template.',
    null,
  ),
  'chat-arg': named<ChatArgs>(
    'A variable for the chat template (several times), such as enable_thinking=false; the value is JSON, or else text.',
    {},
    argsOf,
  ),
} as const;
export type PromptFlags = Values<typeof PROMPT_FLAGS>;

/** Names of the flags that are given. */
export const promptFlagsIn = (flags: Partial<PromptFlags>): string[] => [
  ...((flags['chat-template'] ?? null) === null ? [] : ['--chat-template']),
  ...(Object.keys(flags['chat-arg'] ?? {}).length === 0 ? [] : ['--chat-arg']),
];

/** `why`: the reason why nothing is written for a model. Throws SpecError where one of the flags is given all the same. */
export function refuseUnused(flags: Partial<PromptFlags> & { thinking?: Thinking | null }, why: string): void {
  const given = [...promptFlagsIn(flags), ...((flags.thinking ?? null) === null ? [] : ['--thinking'])];
  if (given.length > 0)
    throw new SpecError(`${given.join(', ')}: ${why}.`, `Leave ${given.length > 1 ? 'them' : 'it'} out.`);
}
/** Reason with --rows. */
export const ROWS_ALONE = 'rows that are there already are printed, and no model is asked';

/** Warns of arguments that the model's template never reads. Throws FormatError where the model has no template. */
export async function noteUnread(
  { unread }: Pick<ModelText, 'unread'>,
  { note }: { note(line: string): void },
): Promise<void> {
  const words = await unread();
  if (words !== null) note(words);
}

/** Distinguishes rows made with these settings; empty where the model's own template was used and all of a text was judged, so that rows
 *  from before either option keep their keys. */
export const promptIdentity = (settings: PromptSettings, thinking: Thinking = 'keep'): object[] => [
  ...(Object.keys(settings).length > 0 ? [settings] : []),
  ...(thinking === 'keep' ? [] : [{ thinking }]),
];

/** Throws SpecError for a file that cannot be read. */
export async function promptSettings({
  'chat-template': how = null,
  'chat-arg': given = {},
}: Partial<PromptFlags>): Promise<PromptSettings> {
  const args = Object.keys(given).length > 0 ? { args: given } : {};
  if (how === null || how === 'own') return args;
  if (how === 'chatml' || how === 'none') return { template: how, ...args };
  try {
    return { template: { file: how, text: await readFile(how, 'utf8') }, ...args };
  } catch (cause) {
    throw new SpecError(
      `--chat-template ${how}: ${(cause as NodeJS.ErrnoException).code ?? 'cannot be read'}.`,
      'Give chatml, none, or a file with a Jinja template.',
      { cause },
    );
  }
}

/** The same as the run's setting `chatTemplate`; null where the flag is not given. Throws SpecError. */
export async function chatTemplateSetting(flags: Pick<PromptFlags, 'chat-template'>): Promise<string | null> {
  if (flags['chat-template'] === null) return null;
  const { template = 'own' } = await promptSettings({ 'chat-template': flags['chat-template'] });
  return typeof template === 'string' ? template : template.text;
}
