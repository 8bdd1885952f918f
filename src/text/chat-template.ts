// Finds a model's chat template. It is apart from what renders it (chat.ts), which is loaded when a conversation is first written.

import type { ChatArgs } from './chat-args.ts';

/**
 * The template of a model: the file's text where there is one (it wins in transformers too), else `chat_template` of the
 * config: a text, or a list of named ones, of which `default` is taken. Null where the model has none.
 */
export function chatTemplateOf(tokenizerConfig: unknown, file: string | null): string | null {
  if (file !== null) return file;
  const found = (tokenizerConfig as { chat_template?: unknown } | null)?.chat_template;
  if (typeof found === 'string') return found;
  if (!Array.isArray(found)) return null;
  const named = found.find((entry: { name?: unknown }) => entry?.name === 'default') as { template?: unknown };
  return typeof named?.template === 'string' ? named.template : null;
}

/** A person's wishes for a model's prompts, where they differ from the model's own files. */
export interface PromptSettings {
  /** `own`: the model's template. `chatml`: ChatML's markup. `none`: plain text, without any. Else a file's text, with its name for errors. */
  template?: 'own' | 'chatml' | 'none' | { readonly file: string; readonly text: string };
  /** Variables of the template beside its messages: `enable_thinking`, … They cannot replace the messages or the special tokens. */
  args?: ChatArgs;
}

/** Whether a chat template shows tools to the model, and has it write calls as tool-calls.ts reads them. */
export const teachesTools = (template: string | null): boolean =>
  template !== null && /\btools\b/.test(template) && template.includes('<tool_call>');
