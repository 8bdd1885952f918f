// Turns conversations into the token ids that a model reads; every prompt goes through here. Environments write a conversation in the lab's
// notation (ChatML, chatml.ts), commands give messages; a prompt writer turns either into the text of the model's own chat template and
// encodes it with exactly the special tokens that the template writes. For a model whose template writes the notation itself, as the
// lab's own models do, the notation is encoded as it is.

import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { PromptSettings } from './chat-template.ts';
import {
  BEFORE_ANSWER,
  CHATML_TEMPLATE,
  type ChatMessage,
  chatOf,
  conversationIn,
  END_OF_TURN,
  followUpIn,
  START_OF_TURN,
  type TemplateMessage,
} from './chatml.ts';
import type { PromptCodec } from './codec.ts';
import type { ToolDefinition } from './tool-calls.ts';

/** What a prompt writer needs of a model. */
export interface PromptModel {
  /** Its tokenizer, which encodes a conversation's text as it is. */
  plain: PromptCodec;
  /** The model's chat template; null if it has none. */
  template: string | null;
  tokenizerConfig: unknown;
  /** Names the model in errors. */
  label: string;
}

let renderChat: typeof import('./chat.ts').renderChat | null = null;

/** Loads the template interpreter, which is large and which the lab's own models do not need. It must be loaded before any rendering. */
export async function loadTemplates(): Promise<void> {
  renderChat ??= (await import('./chat.ts')).renderChat;
}

/** Whether prompts need the template interpreter. */
export const needsTemplates = (template: string | null, settings: PromptSettings): boolean =>
  typeof settings.template === 'object' ||
  Object.keys(settings.args ?? {}).length > 0 ||
  (settings.template !== 'none' && settings.template !== 'chatml' && template !== null && template !== CHATML_TEMPLATE);

/** A stand-in for an answer, to find out what a template writes after one. It is letters only, since templates trim and split texts. */
const ANSWER = 'zqanswerqz';
const ANSWERED: readonly ChatMessage[] = [
  { role: 'user', content: 'u' },
  { role: 'assistant', content: ANSWER },
];
/** Number of tokens after an answer that are searched for the end token: some templates write a space before it. */
const END_WITHIN = 3;
/** Conversations with white space that only a template which writes the lab's notation renders exactly as `chatOf` does. */
const PROBES: readonly (readonly ChatMessage[])[] = [
  [{ role: 'user', content: ' u\n' }],
  [{ role: 'system', content: ' s\n' }, ...ANSWERED, { role: 'user', content: ' v\n' }],
];

/** How conversations are written as text. */
type Form = { kind: 'plain' } | { kind: 'chatml' } | { kind: 'template'; text: string };

export class PromptWriter {
  /** The codec for prompts of environments: its `encodeChat` takes the lab's notation. */
  readonly codec: PromptCodec;
  /** A codec whose `encodeChat` takes the text that `chat` returns. */
  readonly chatCodec: PromptCodec;
  #isNotation: boolean | null = null;
  #answerEnd: number | null = null;

  constructor(
    private readonly model: PromptModel,
    private readonly settings: PromptSettings = {},
  ) {
    const writer = this;
    const { plain } = model;
    const codecOf = (encodeChat: (text: string) => number[]): PromptCodec => ({
      ...plain,
      get answerEnd() {
        return writer.#end();
      },
      get rewritesChat() {
        return writer.#form.kind !== 'chatml';
      },
      encodeChat,
    });
    this.codec = codecOf((text) => this.#encode(text));
    this.chatCodec = codecOf((text) => (this.#form.kind === 'plain' ? plain.encodePrompt(text) : plain.encode(text)));
  }

  /** The conversation as the model was trained to see it, ending where its answer begins. Throws FormatError if there is no template, and
   *  SpecError for tools if the conversation is not written by a template. */
  chat(messages: readonly TemplateMessage[], tools: readonly ToolDefinition[] | null = null): string {
    const form = this.#form;
    if (form.kind === 'template') return this.#render(form.text, messages, true, tools);
    const plain = messages.filter((message): message is ChatMessage => message.role !== 'tool');
    if (tools !== null || plain.length < messages.length)
      throw new SpecError(
        `${this.model.label}: its conversations are written without a template that could show tools.`,
        'Leave tools out, or take a model whose chat template has them.',
      );
    return form.kind === 'plain' ? plain.map(({ content }) => content).join('\n\n') : chatOf(plain);
  }

  /** The chat template that conversations are written with; null if there is none. */
  get template(): string | null {
    const { template = 'own' } = this.settings;
    if (typeof template === 'object') return template.text;
    return template === 'own' ? this.model.template : template === 'chatml' ? CHATML_TEMPLATE : null;
  }

  /** How conversations are written. Throws if the model has no template and none is chosen. */
  get #form(): Form {
    const { template = 'own', args = {} } = this.settings;
    const { plain, label } = this.model;
    if (template === 'none') return { kind: 'plain' };
    if (template === 'chatml') {
      const unknown = [START_OF_TURN, END_OF_TURN].filter((token) => plain.encode(token).length !== 1);
      if (unknown.length === 0) return { kind: 'chatml' };
      throw new SpecError(
        `${label}: its tokenizer has no token ${unknown.join(', ')}, which prompts in ChatML are written with.`,
        'Give --chat-template FILE with a template that the model knows, or none for plain text.',
      );
    }
    const own = typeof template === 'object' ? template.text : this.model.template;
    if (own === null)
      throw new FormatError(
        `${label} has no chat template, neither in tokenizer_config.json nor as chat_template.jinja.`,
        'Say how its prompts are written: --chat-template chatml, none or FILE (in a run the option chatTemplate); or take the model’s chat version.',
      );
    const isLabs = own === CHATML_TEMPLATE && Object.keys(args).length === 0;
    return isLabs ? { kind: 'chatml' } : { kind: 'template', text: own };
  }

  #render(
    template: string,
    messages: readonly TemplateMessage[],
    isBegun = true,
    tools: readonly ToolDefinition[] | null = null,
  ): string {
    const { tokenizerConfig, label } = this.model;
    if (!renderChat) throw new Error('A template is rendered before loadTemplates().');
    const { template: file } = this.settings;
    const where = typeof file === 'object' ? `${label} with ${file.file}` : label;
    const { args } = this.settings;
    return renderChat(
      messages,
      template,
      tokenizerConfig,
      where,
      tools === null ? args : withTools(args, tools),
      isBegun,
    );
  }

  /** Whether the template writes the lab's notation itself, so that a text in the notation that is no whole conversation can be encoded as it is. */
  #writesNotation(template: string): boolean {
    this.#isNotation ??= PROBES.every((messages) => {
      try {
        return this.#render(template, messages) === chatOf(messages);
      } catch (error) {
        // A template that refuses these roles does not write the notation; one that cannot be rendered at all fails later, on the first prompt.
        if (error instanceof FormatError) return false;
        throw error;
      }
    });
    return this.#isNotation;
  }

  #encode(text: string): number[] {
    const { plain } = this.model;
    const form = this.#form;
    if (form.kind === 'chatml') return plain.encode(text);
    const messages = conversationIn(text);
    if (messages) return this.chatCodec.encodeChat(this.chat(messages));
    const next = followUpIn(text);
    if (next)
      return form.kind === 'plain' ? plain.encode(`\n\n${this.chat(next.messages)}\n\n`) : this.#after(form.text, next);
    if (form.kind === 'template' && this.#writesNotation(form.text)) return plain.encode(text);
    throw new SpecError(
      `${this.model.label}: a prompt of this environment is no conversation (${JSON.stringify(text.slice(0, 60))} …), so that no chat template can write it.`,
      'Choose another environment; or a model whose tokenizer has <|im_start|> and <|im_end|>, with --chat-template chatml.',
    );
  }

  /** The template's text between an answer and the next one, without the end token if the model has written it itself. */
  #after(template: string, { messages, ended }: { messages: ChatMessage[]; ended: boolean }): number[] {
    const ids = this.model.plain.encode(this.#behind(template, [...ANSWERED, ...messages]));
    const end = ended ? ids.slice(0, END_WITHIN).findIndex((id) => this.model.plain.endTokens.includes(id)) : -1;
    return ids.slice(end + 1);
  }

  /** The template's text after the stand-in answer. Throws FormatError if the template does not write the answer. */
  #behind(template: string, messages: readonly ChatMessage[], isBegun = true): string {
    const text = this.#render(template, messages, isBegun);
    const at = text.indexOf(ANSWER);
    if (at < 0)
      throw new FormatError(
        `${this.model.label}: its chat template does not write what an assistant has said, so that no turn can follow an answer.`,
        'Give another with --chat-template FILE.',
      );
    return text.slice(at + ANSWER.length);
  }

  /** The end token that the template writes after an answer, if the model stops at it; else the tokenizer's own end token. */
  #end(): number {
    this.#answerEnd ??= this.#findEnd();
    return this.#answerEnd;
  }

  #findEnd(): number {
    const { plain, template } = this.model;
    const { template: chosen = 'own' } = this.settings;
    if (chosen === 'own' && template === null) return plain.answerEnd;
    const form = this.#form;
    if (form.kind === 'plain') return plain.answerEnd;
    const behind = form.kind === 'chatml' ? BEFORE_ANSWER : this.#behind(form.text, ANSWERED, false);
    const ids = plain.encode(behind).slice(0, END_WITHIN);
    return ids.find((id) => plain.endTokens.includes(id)) ?? plain.answerEnd;
  }
}

/** The arguments of a template with the tools that the model may call added. */
const withTools = (args: PromptSettings['args'], tools: readonly ToolDefinition[]): Record<string, unknown> =>
  Object.fromEntries([...Object.entries(args ?? {}), ['tools', tools]]);
