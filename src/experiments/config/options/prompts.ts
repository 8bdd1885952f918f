// Options of the chat template and its arguments, and of thoughts, which judges may not see.

import * as z from 'zod/mini';
import { choice, integer, type OptionGroup, textOf } from '../../../lib/option.ts';
import { chatArgsText, readChatArgs } from '../../../text/chat-args.ts';
import type { PromptSettings } from '../../../text/chat-template.ts';
import { THINKING, type Thinking, thinkingFor } from '../../../text/thinking.ts';

const NAMES = ['own', 'chatml', 'none'] as const;
/** Most characters of a template that text/jinja renders. */
const MOST_CHARACTERS = 131_072;

const isTemplate = (text: string) => (NAMES as readonly string[]).includes(text) || text.includes('{');

const isReadable = (text: string): boolean => {
  try {
    readChatArgs(text);
    return true;
  } catch {
    return false;
  }
};

const canonicalChatArgs = (text: string): string => chatArgsText(readChatArgs(text));

export const PROMPTS = {
  heading: 'Problems',
  role: 'training',
  options: {
    chatTemplate: textOf(
      `${NAMES.join(', ')}, or the text of a Jinja template`,
      z.string().check(z.maxLength(MOST_CHARACTERS), z.refine(isTemplate)),
      {
        default: 'own',
        isAbsentAtDefault: true,
        label: 'Chat template',
        help: 'How conversations are written for the model.',
        helpMore:
          'own: as its own chat template does. chatml: in ChatML. none: as plain text. Else the text of a Jinja template; the command line takes a file (--chat-template).',
        glossary: {
          title: 'Chat template',
          meaning: 'The text that a conversation becomes before it is tokenized, with the tokens around each turn.',
          formula: 'Jinja: messages → text; its special tokens are encoded as they are written',
          range: 'own, chatml, none, or a Jinja template',
          nullValue: 'own. Every model of the lab reads ChatML.',
          notShown: 'Whether the model was trained on that form: another one works, and worse.',
        },
      },
    ),
    chatArgs: textOf(
      'a JSON object of at most 16 variables of the chat template, as {"enable_thinking":false}; messages, special tokens and Jinja’s own names are not among them',
      // Equal arguments get equal texts, whether from a flag, a form, a link or a file.
      z
        .string()
        .check(
          z.refine(isReadable, { error: 'not arguments of a chat template', abort: true }),
          z.overwrite(canonicalChatArgs),
        ),
      {
        default: '',
        isAbsentAtDefault: true,
        label: 'Template arguments',
        help: 'Variables for the model’s chat template, as a JSON object.',
        helpMore: 'Such as {"enable_thinking":false}. Empty: none.',
        glossary: 'chatArguments',
      },
    ),
    thinking: choice(['auto', ...THINKING], {
      default: 'auto',
      isAbsentAtDefault: true,
      label: 'Thoughts',
      help: 'Whether graders, checks and judges see <think>…</think>.',
      helpMore:
        'auto: strip where the model’s chat template knows thoughts, else keep. strip: what stands after the last </think> is judged. keep: the whole text is.',
      glossary: 'thinking',
    }),
    thinkingBudget: integer(0, 32_768, {
      default: 0,
      isAbsentAtDefault: true,
      label: 'Thinking budget',
      unit: 'tokens',
      help: 'A thought that is longer is ended by the lab. 0: none.',
      helpMore:
        'The end is shown to the model and not trained on; the answer has what is left of the completion’s length.',
      glossary: 'thinking',
      disabledBecause: (of) => (Number(of('maxTurns')) > 1 ? 'only with one turn an episode' : null),
    }),
  },
  concepts: {
    chatArguments: {
      title: 'Arguments of the chat template',
      meaning: 'What a chat template is told beside the conversation: whether to think, which tools there are.',
      formula: 'a JSON object: name → value; read by the template as its variables',
      range: 'at most 16 names and 4000 characters; no name that the lab gives itself',
      nullValue: 'Empty: the template has its own defaults, and neither tools nor documents.',
      notShown: 'Whether a model was trained with them. A name that the template never reads is told.',
    },
    thinking: {
      title: 'Thoughts',
      meaning: 'What a model writes between <think> and </think>: trained as all else, and no part of its answer.',
      formula:
        'answer = what stands after the last </think>, leading newlines taken off; a text without either tag is its own answer',
      range: 'auto, strip, keep; a budget of 0 … 32 768 tokens, less than the completion’s length',
      nullValue: 'keep: all that was written is judged. A thought that never ends leaves no answer under strip.',
      notShown: 'Whether the thought is why the answer is right.',
    },
  },
} satisfies OptionGroup;

/** Records omit each of these at its default. */
type PromptOptions = Partial<{
  chatTemplate: string;
  chatArgs: string;
  thinking: 'auto' | Thinking;
  thinkingBudget: number;
}>;

export function promptSettingsOf({ chatTemplate = 'own', chatArgs = '' }: PromptOptions): PromptSettings {
  const args = chatArgs === '' ? {} : { args: readChatArgs(chatArgs) };
  if (chatTemplate === 'own') return args;
  if (chatTemplate === 'chatml' || chatTemplate === 'none') return { template: chatTemplate, ...args };
  return { template: { file: 'chatTemplate', text: chatTemplate }, ...args };
}

/** Whether thoughts are removed before a rollout is judged. `knowsThinking`: whether the model's chat template has thoughts; null if unknown,
 *  as for embedded models. The result is null if the spec does not say either; then everything is judged, as in earlier versions. */
export function thinkingIn({ thinking = 'auto' }: PromptOptions, knowsThinking: boolean | null): Thinking | null {
  if (thinking !== 'auto') return thinking;
  return knowsThinking === null ? null : thinkingFor(knowsThinking);
}

/** The same for an environment; null if thoughts are neither removed, limited nor counted. */
export function thoughtsIn(options: PromptOptions, knowsThinking: boolean | null): Thinking | null {
  const { thinking = 'auto', thinkingBudget = 0 } = options;
  const isIdle = thinking === 'auto' && knowsThinking !== true && thinkingBudget === 0;
  return isIdle ? null : (thinkingIn(options, knowsThinking) ?? 'keep');
}
