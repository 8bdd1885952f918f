// What a model's folder says about text: its tokenizer, its chat template, its own sampling settings. Made when words are
// needed, so that a folder of weights alone can still be factored.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { ChatMessage } from '../text/chat.ts';
import { chatTemplateOf, type PromptSettings } from '../text/chat-template.ts';
import type { PromptCodec } from '../text/codec.ts';
import { loadCodec } from '../text/codec.ts';
import { type GenerationDefaults, generationDefaults } from '../text/generation.ts';
import type { ModelFiles } from './model-files.ts';

export interface ModelText {
  codec: PromptCodec;
  defaults: GenerationDefaults;
  hasChatTemplate: boolean;
  /** A conversation as the model knows it, ending where the assistant begins. Throws FormatError without a template. */
  chat(messages: readonly ChatMessage[]): Promise<string>;
}

/** Of a model's folder, whatever its weights are. */
export type TextFiles = Pick<
  ModelFiles,
  'config' | 'rawConfig' | 'tokenizerJson' | 'tokenizerConfig' | 'generationConfig' | 'chatTemplate'
>;

/** `label` names the model in errors. Throws FormatError where the tokenizer is missing, unreadable, or another model's. */
export function openModelText(files: TextFiles, label: string, { args }: PromptSettings = {}): ModelText {
  const { tokenizerJson, tokenizerConfig, chatTemplate, config } = files;
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
  const codec = loadCodec(tokenizerJson as object, tokenizerConfig as object);
  if (codec.vocabSize > config.vocab) {
    throw new FormatError(
      `${label}: the tokenizer has ${codec.vocabSize} tokens, the model only ${config.vocab}.`,
      'Use the tokenizer.json that belongs to the model.',
    );
  }
  const template = chatTemplateOf(tokenizerConfig, chatTemplate);
  const defaults = generationDefaults(files.generationConfig, files.rawConfig, codec.endTokens);
  const hasChatTemplate = template !== null;
  return {
    codec,
    defaults,
    hasChatTemplate,
    // The templates' interpreter is large, and few models are ever talked to.
    chat: async (messages) =>
      (await import('../text/chat.ts')).renderChat(messages, template, tokenizerConfig, label, args),
  };
}
