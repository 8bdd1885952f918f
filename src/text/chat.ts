// Renders a model's chat template, which is Jinja text in tokenizer_config.json (or, in newer models, in chat_template.jinja beside it)
// that says how the model writes a conversation. The interpreter (jinja/template.ts) does as Jinja2 does, within a limit of work.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { TemplateMessage } from './chatml.ts';
import { namedToken } from './codec.ts';
import { renderTemplate } from './jinja/template.ts';

/** The special tokens that transformers gives to a template, if the model has them. */
const SPECIAL_TOKENS = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'].map((name) => `${name}_token`);

/**
 * The conversation as the model was trained to see it. It ends where the assistant's next turn begins or, if `addGenerationPrompt` is
 * false, with its last message. `label` names the model in errors. Throws FormatError if the template refuses these messages.
 */
export function renderChat(
  messages: readonly TemplateMessage[],
  template: string,
  tokenizerConfig: unknown,
  label: string,
  args: Readonly<Record<string, unknown>> = {},
  addGenerationPrompt = true,
): string {
  const config = (tokenizerConfig ?? {}) as Record<string, unknown>;
  const tokens = SPECIAL_TOKENS.flatMap((key) => {
    const token = namedToken(config[key]);
    return token ? [[key, token]] : [];
  });
  try {
    return renderTemplate(template, {
      // transformers passes None for tools and documents that are not given.
      tools: null,
      documents: null,
      ...args,
      ...Object.fromEntries(tokens),
      messages: messages.map(definedFields),
      add_generation_prompt: addGenerationPrompt,
    });
  } catch (cause) {
    throw new FormatError(
      `${label}: its chat template cannot be rendered (${(cause instanceof Error ? cause.message : String(cause)).slice(0, 300)}).`,
      'Give the prompt as plain text, or take tokenizer_config.json again from where the model came.',
      { cause },
    );
  }
}

/** The fields that a message has, without undefined ones: a template may test whether a field is there. */
const definedFields = (message: TemplateMessage): Record<string, unknown> =>
  Object.fromEntries(
    (['role', 'content', 'tool_calls', 'tool_call_id', 'name'] as const).flatMap((field) =>
      message[field] === undefined ? [] : [[field, message[field]]],
    ),
  );
