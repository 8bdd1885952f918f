// The text files of a model's folder, whatever its weights are: config.json, those of the tokenizer and of the chat template, and the manifest.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { withAddedTokensFile } from '../text/tokenizer/added.ts';
import type { FileSource } from './sources.ts';

export interface ModelTexts {
  /** Parsed tokenizer.json and tokenizer_config.json (with the tokens of added_tokens.json); null where the folder has none. */
  tokenizerJson: unknown;
  tokenizerConfig: unknown;
  /** Parsed special_tokens_map.json, which names special tokens where tokenizer_config.json does not; null where there is none. */
  specialTokensMap: unknown;
  /** Text of chat_template.jinja, where newer folders keep the template beside tokenizer_config.json; else null. */
  chatTemplate: string | null;
  /** Parsed generation_config.json, and config.json as it was; null where there is none. */
  generationConfig: unknown;
  rawConfig: unknown;
  /** Parsed manifest.json, where there is one. */
  manifest: unknown;
  /** Bytes of tokenizer.json; 0 where the folder has none. */
  textBytes: number;
}

/** @param onText told of each file that is there, before it is parsed. Throws FormatError, naming the file, without config.json and for what is
 *  not JSON. */
export async function readModelTexts(
  source: FileSource,
  onText: (path: string, text: string) => void = () => {},
): Promise<ModelTexts> {
  const optional = (path: string) => readJson(source, path, onText);
  const rawConfig = await optional('config.json');
  if (rawConfig === null) throw missing(source, 'config.json');
  let textBytes = 0;
  const [tokenizerJson, tokenizerConfig, addedTokens, specialTokensMap, generationConfig, manifest, chatTemplate] =
    await Promise.all([
      readJson(source, 'tokenizer.json', (path, text, bytes) => {
        textBytes = bytes;
        onText(path, text);
      }),
      optional('tokenizer_config.json'),
      optional('added_tokens.json'),
      optional('special_tokens_map.json'),
      optional('generation_config.json'),
      optional('manifest.json'),
      templateOf(source, onText),
    ]);
  return {
    rawConfig,
    tokenizerJson,
    tokenizerConfig: withAddedTokensFile(tokenizerConfig, addedTokens, tokenizerJson),
    specialTokensMap,
    generationConfig,
    manifest,
    chatTemplate,
    textBytes,
  };
}

async function templateOf(source: FileSource, onText: (path: string, text: string) => void): Promise<string | null> {
  const path = 'chat_template.jinja';
  const text = (await (await source.read(path))?.text()) ?? null;
  if (text !== null) onText(path, text);
  return text;
}

/** Null where there is no such file. Throws FormatError for what is not JSON. */
export async function readJson(
  source: FileSource,
  path: string,
  onText: (path: string, text: string, bytes: number) => void = () => {},
): Promise<unknown> {
  const file = await source.read(path);
  if (!file) return null;
  // Outside of `try`: a connection that broke, or a file that was moved, is no bad JSON.
  const text = await file.text();
  onText(path, text, file.size);
  try {
    return parseJsonText(text);
  } catch (error) {
    throw new FormatError(
      `${source.label}: ${path} is not JSON (${error instanceof Error ? error.message : String(error)}).`,
      'Get the model again from its source.',
    );
  }
}

export const missing = (source: FileSource, path: string): FormatError =>
  new FormatError(
    `${source.label} has no ${path}.`,
    'A model folder holds config.json, model.safetensors and tokenizer.json, as Hugging Face lays them out.',
  );
