// Chat templates: a model's own way of writing a conversation, as Jinja text in tokenizer_config.json (or, lately, in
// chat_template.jinja beside it), rendered as Jinja2 renders it, under a limit of work
// (jinja/template.ts). A leaf: messages in, text out.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { TemplateMessage } from './chatml.ts';
import { namedToken } from './codec.ts';
import { renderTemplate } from './jinja/template.ts';

/** Special tokens that transformers gives to a template, each where the model has it. */
const SPECIAL_TOKENS = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'].map((name) => `${name}_token`);

/**
 * The conversation as the model was trained to see it, ending where the assistant begins, or (`isBegun` false) with its last message. `label`
 * names the model in errors. Throws FormatError where the template refuses these messages.
 */
export function renderChat(
  messages: readonly TemplateMessage[],
  template: string,
  tokenizerConfig: unknown,
  label: string,
  args: Readonly<Record<string, unknown>> = {},
  isBegun = true,
): string {
  const config = (tokenizerConfig ?? {}) as Record<string, unknown>;
  const tokens = SPECIAL_TOKENS.flatMap((key) => {
    const token = namedToken(config[key]);
    return token ? [[key, token]] : [];
  });
  try {
    return renderTemplate(template, {
      // transformers gives None where nothing is given.
      tools: null,
      documents: null,
      ...args,
      ...Object.fromEntries(tokens),
      messages: messages.map(shown),
      add_generation_prompt: isBegun,
    });
  } catch (cause) {
    throw new FormatError(
      `${label}: its chat template cannot be rendered (${(cause instanceof Error ? cause.message : String(cause)).slice(0, 300)}).`,
      'Give the prompt as plain text, or take tokenizer_config.json again from where the model came.',
      { cause },
    );
  }
}

/** Only what a message has: a template may ask whether a field is there. */
const shown = (message: TemplateMessage): Record<string, unknown> =>
  Object.fromEntries(
    (['role', 'content', 'tool_calls', 'tool_call_id', 'name'] as const).flatMap((field) =>
      message[field] === undefined ? [] : [[field, message[field]]],
    ),
  );
