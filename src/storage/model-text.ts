// Text of a model: its tokenizer, chat template, end tokens and own sampling settings. It is opened on demand, so that a folder without
// a tokenizer can still be factored.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { chatArgsText, unreadWords } from '../text/chat-args.ts';
import { chatTemplateOf, type PromptSettings, teachesTools } from '../text/chat-template.ts';
import type { TemplateMessage } from '../text/chatml.ts';
import type { PromptCodec } from '../text/codec.ts';
import { loadCodec, namedToken, withSpecialTokens } from '../text/codec.ts';
import { endsOf, type GenerationDefaults, generationDefaults } from '../text/generation.ts';
import { loadTemplates, needsTemplates, PromptWriter } from '../text/prompts.ts';
import { knowsThinking } from '../text/thinking.ts';
import type { ToolDefinition } from '../text/tool-calls.ts';
import type { ModelFiles } from './model-files.ts';
import { sha256 } from './sources.ts';

export interface ModelText {
  /** Its `encodeChat` reads the lab's notation. */
  codec: PromptCodec;
  /** Its `encodeChat` reads the output of `chat`. */
  chatCodec: PromptCodec;
  defaults: GenerationDefaults;
  hasChatTemplate: boolean;
  /** A conversation in the model's format, up to the beginning of the assistant's turn. Throws FormatError without a template. */
  chat(messages: readonly TemplateMessage[], tools?: readonly ToolDefinition[] | null): string;
  /** The conversation as token ids. */
  chatIds(messages: readonly TemplateMessage[], tools?: readonly ToolDefinition[] | null): number[];
  /** Whether the chat template shows tools, and writes calls in a form that tool-calls.ts can parse. */
  knowsTools: boolean;
  /** The texts of special tokens, and the template, for a client that writes prompts itself. */
  notation: { eos: string | null; bos: string | null; pad: string | null; template: string | null };
  /** Whether the chat template supports thoughts (text/thinking.ts); false without one. */
  knowsThinking: boolean;
  /** Note on arguments that the chat template never reads; null if it reads all. Throws FormatError if there are arguments but no
   *  template. */
  unread(): Promise<string | null>;
  /** Sha-256 of the chat template and its arguments: equal if prompts have the same form. */
  promptsSha256(): Promise<string>;
  /** The same model with other prompt settings. Throws as openModelText does. */
  withSettings(settings: PromptSettings): Promise<ModelText>;
}

/** Text files of a model's folder, for any form of its weights. */
export type TextFiles = Pick<
  ModelFiles,
  | 'config'
  | 'rawConfig'
  | 'tokenizerJson'
  | 'tokenizerConfig'
  | 'specialTokensMap'
  | 'generationConfig'
  | 'chatTemplate'
>;

/** `label` names the model in errors. Throws FormatError if the tokenizer is missing, unreadable or another model's. */
export async function openModelText(
  files: TextFiles,
  label: string,
  settings: PromptSettings = {},
): Promise<ModelText> {
  const { config, generationConfig, rawConfig } = files;
  const own = await tokenizerOf(files, label, endsOf(generationConfig, rawConfig));
  const plain = config.layerTypes
    ? (await import('../text/without-images.ts')).withoutImages(own, rawConfig, label)
    : own;
  if (plain.vocabSize > config.vocab) {
    throw new FormatError(
      `${label}: the tokenizer has ${plain.vocabSize} tokens, the model only ${config.vocab}.`,
      'Use the tokenizer.json that belongs to the model.',
    );
  }
  return textWith(files, label, plain, settings);
}

async function textWith(
  files: TextFiles,
  label: string,
  plain: PromptCodec,
  settings: PromptSettings,
): Promise<ModelText> {
  const { chatTemplate, generationConfig } = files;
  const tokenizerConfig = withSpecialTokens(files.tokenizerConfig as object, files.specialTokensMap);
  const template = chatTemplateOf(tokenizerConfig, chatTemplate);
  if (needsTemplates(template, settings)) await loadTemplates();
  const writer = new PromptWriter({ plain, template, tokenizerConfig, label }, settings);
  const { codec, chatCodec } = writer;
  const chat: ModelText['chat'] = (messages, tools) => writer.chat(messages, tools);
  const tokenOf = (name: string) => namedToken((tokenizerConfig as Record<string, unknown>)[name]) ?? null;
  return {
    codec,
    chatCodec,
    defaults: generationDefaults(generationConfig),
    hasChatTemplate: template !== null || (settings.template ?? 'own') !== 'own',
    chat,
    chatIds: (messages, tools) => chatCodec.encodeChat(chat(messages, tools)),
    knowsTools: teachesTools(writer.template),
    notation: {
      eos: tokenOf('eos_token'),
      bos: tokenOf('bos_token'),
      pad: tokenOf('pad_token'),
      template: writer.template,
    },
    knowsThinking: knowsThinking(writer.template),
    async unread() {
      const names = Object.keys(settings.args ?? {});
      if (names.length === 0) return null;
      if (writer.template === null)
        throw new FormatError(
          `${label} has no chat template that could read ${names.join(', ')}.`,
          'Leave the template’s arguments out, or take the model’s chat version.',
        );
      const { unreadOf } = await import('../text/jinja/variables.ts');
      return unreadWords(unreadOf(writer.template, names), label);
    },
    promptsSha256: () =>
      sha256(new TextEncoder().encode(JSON.stringify([writer.template, chatArgsText(settings.args ?? {})]))),
    withSettings: (other) => textWith(files, label, plain, other),
  };
}

/** Only the tokenizer and its end tokens. Throws FormatError if it is missing or unreadable. */
export async function tokenizerOf(
  { tokenizerJson, tokenizerConfig, specialTokensMap }: Omit<TextFiles, 'config' | 'chatTemplate'>,
  label: string,
  ends: readonly number[],
): Promise<PromptCodec> {
  for (const [name, json] of Object.entries({
    'tokenizer.json': tokenizerJson,
    'tokenizer_config.json': tokenizerConfig,
  })) {
    if (typeof json !== 'object' || json === null)
      throw new FormatError(
        `${label} has no ${name}.`,
        'Put the tokenizer’s files (tokenizer.json, tokenizer_config.json) beside the weights.',
      );
  }
  return loadCodec(tokenizerJson as object, withSpecialTokens(tokenizerConfig as object, specialTokensMap), ends);
}
