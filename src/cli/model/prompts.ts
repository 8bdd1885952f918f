// How the prompts of a model are written where it is not as its own files say: flags of every command that takes a model.
import { readFile } from 'node:fs/promises';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { PromptSettings } from '../../text/chat-template.ts';
import { text, type Values } from '../args.ts';

export const PROMPT_FLAGS = {
  'chat-template': text(
    'HOW',
    'How conversations are written where it is not as the model’s own chat template does: chatml, none (plain text), or a file with a Jinja template.',
    null,
  ),
} as const;
export type PromptFlags = Values<typeof PROMPT_FLAGS>;

/** What rows that were made with these settings are told apart by; nothing where the model's own template was used. */
export const madeOfPrompts = (settings: PromptSettings): PromptSettings[] =>
  Object.keys(settings).length > 0 ? [settings] : [];

/** Throws SpecError for a file that cannot be read. */
export async function promptSettings({ 'chat-template': how }: PromptFlags): Promise<PromptSettings> {
  if (how === null || how === 'own') return {};
  if (how === 'chatml' || how === 'none') return { template: how };
  try {
    return { template: { file: how, text: await readFile(how, 'utf8') } };
  } catch (cause) {
    throw new SpecError(
      `--chat-template ${how}: ${(cause as NodeJS.ErrnoException).code ?? 'cannot be read'}.`,
      'Give chatml, none, or a file with a Jinja template.',
      { cause },
    );
  }
}

/** The same as the setting `chatTemplate` of a run; null where the flag is not given. Throws SpecError. */
export async function chatTemplateSetting(flags: PromptFlags): Promise<string | null> {
  if (flags['chat-template'] === null) return null;
  const { template = 'own' } = await promptSettings(flags);
  return typeof template === 'string' ? template : template.text;
}
