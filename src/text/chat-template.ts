// Finds a model's chat template. This is a separate file from chat.ts, which renders templates and is loaded only when needed.

import type { ChatArgs } from './chat-args.ts';

/**
 * The chat template of a model: `file`, the text of chat_template.jinja, where there is one (it wins in transformers too), else
 * `chat_template` of the config, which is a text or a list of named texts of which `default` is taken. Null if the model has none.
 */
export function chatTemplateOf(tokenizerConfig: unknown, file: string | null): string | null {
  if (file !== null) return file;
  const found = (tokenizerConfig as { chat_template?: unknown } | null)?.chat_template;
  if (typeof found === 'string') return found;
  if (!Array.isArray(found)) return null;
  const named = found.find((entry: { name?: unknown }) => entry?.name === 'default') as { template?: unknown };
  return typeof named?.template === 'string' ? named.template : null;
}

/** The user's settings for a model's prompts, where they differ from the model's own files. */
export interface PromptSettings {
  /** `own`: the model's template. `chatml`: ChatML's markup. `none`: plain text without markup. Else a file's text, with its name for errors. */
  template?: 'own' | 'chatml' | 'none' | { readonly file: string; readonly text: string };
  /** Variables of the template besides its messages: `enable_thinking`, … They cannot replace the messages or the special tokens. */
  args?: ChatArgs;
}

/** Whether a chat template shows tools to the model and tells it to write calls in the form that tool-calls.ts reads. */
export const teachesTools = (template: string | null): boolean =>
  template !== null && /\btools\b/.test(template) && template.includes('<tool_call>');
