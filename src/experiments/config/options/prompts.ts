// How what is said to the model is written.
import * as z from 'zod/mini';
import { custom, type OptionGroup } from '../../../lib/option.ts';
import type { PromptSettings } from '../../../text/chat-template.ts';

const NAMES = ['own', 'chatml', 'none'] as const;
/** As long as a template may be that is rendered (bounded-template.ts). */
const MOST_CHARACTERS = 131_072;

const isTemplate = (text: string) => (NAMES as readonly string[]).includes(text) || text.includes('{');

export const PROMPTS = {
  heading: 'Problems',
  role: 'training',
  options: {
    chatTemplate: custom(
      z.string().check(z.maxLength(MOST_CHARACTERS), z.refine(isTemplate)),
      { type: 'text', of: `${NAMES.join(', ')}, or the text of a Jinja template` },
      {
        default: 'own',
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
  },
} satisfies OptionGroup;

/** How a run's prompts are written. */
export function promptSettingsOf({ chatTemplate }: { readonly chatTemplate: string }): PromptSettings {
  if (chatTemplate === 'own') return {};
  if (chatTemplate === 'chatml' || chatTemplate === 'none') return { template: chatTemplate };
  return { template: { file: 'chatTemplate', text: chatTemplate } };
}
