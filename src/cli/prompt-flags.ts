// The flags that say how a model is asked, and what of its text is its answer. Commands that render a chat share them.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { ModelText } from '../storage/model-text.ts';
import { type ChatArgs, chatArgOf, checkChatArgs } from '../text/chat-args.ts';
import { THINKING, type Thinking } from '../text/thinking.ts';
import { named, oneOf } from './args.ts';

/** Throws SpecError for a name that is given twice, or that no template may get. */
function argsOf(given: readonly string[]): ChatArgs {
  const args = given.map(chatArgOf);
  const names = args.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new SpecError(`--chat-arg ${twice} is given twice.`, 'Leave one of them out.');
  return checkChatArgs(Object.fromEntries(args), '--chat-arg');
}

export const CHAT_ARG_FLAG = named<ChatArgs>(
  'A variable for the model’s chat template (several times), such as enable_thinking=false; the value is JSON, or else text.',
  {},
  argsOf,
);

export const THINKING_FLAG = oneOf(
  THINKING,
  'Whether what stands in <think>…</think> is judged: strip (the answer alone) or keep (all). strip where absent and the model’s chat template knows thoughts, else keep.',
  null,
);

/** What the flag comes to with this model. */
export const thinkingWith = (flag: Thinking | null, { knowsThinking }: Pick<ModelText, 'knowsThinking'>): Thinking =>
  flag ?? (knowsThinking ? 'strip' : 'keep');

/** Tells of arguments that the model's template never reads. Throws FormatError where the model has no template. */
export async function noteUnread(
  { unread }: Pick<ModelText, 'unread'>,
  { note }: { note(line: string): void },
): Promise<void> {
  const words = await unread();
  if (words !== null) note(words);
}
