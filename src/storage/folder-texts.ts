// The texts of a model's folder: config, tokenizer, chat template and other JSON. They are read in the same way for safetensors and ONNX
// weights.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText, repeatedMember } from '@projected-grpo-lab/base/json.ts';
import { isOwnConfig, shapeOf } from '../engine/config.ts';
import { shown } from '../engine/rope.ts';
import type { ModelConfig } from '../engine/types.ts';
import { withAddedTokensFile } from '../text/tokenizer/added.ts';
import type { FileSource } from './sources.ts';

/** File that marks an adapter. */
export const ADAPTER = 'adapter_config.json';

export interface FolderTexts {
  config: ModelConfig;
  /** Parsed tokenizer.json and tokenizer_config.json (with the tokens of added_tokens.json); null if the folder has none. */
  tokenizerJson: unknown;
  tokenizerConfig: unknown;
  /** Parsed special_tokens_map.json, which names special tokens that tokenizer_config.json lacks; null if there is none. */
  specialTokensMap: unknown;
  /** Text of chat_template.jinja, the template's place in newer folders; else null. */
  chatTemplate: string | null;
  /** Parsed generation_config.json and unchanged config.json; null if there is none. */
  generationConfig: unknown;
  rawConfig: unknown;
  /** Parsed manifest.json, if there is one. */
  manifest: unknown;
  /** Bytes of tokenizer.json; 0 if the folder has none. */
  textBytes: number;
  /** Sentences for the user, one for each part of the folder that was left out or reinterpreted. */
  notes: readonly string[];
}

/** Also returns the JSON texts by path. Throws FormatError, naming the file, if one is missing or malformed. */
export async function readFolderTexts(
  source: FileSource,
): Promise<{ folder: FolderTexts; texts: ReadonlyMap<string, string> }> {
  const texts = new Map<string, string>();
  const onText = (path: string, text: string) => void texts.set(path, text);
  const rawConfig = await readJson(source, 'config.json', false, onText);
  if (rawConfig === null) throw await missingFile(source, 'config.json');
  const { config, notes } = isOwnConfig(rawConfig)
    ? shapeOf(rawConfig)
    : (await import('../engine/config-reading.ts')).readConfig(rawConfig);
  let textBytes = 0;
  const optional = (path: string) => readJson(source, path, false, onText);
  const [tokenizerJson, tokenizerConfig, addedTokens, specialTokensMap, generationConfig, manifest, chatTemplate] =
    await Promise.all([
      readJson(source, 'tokenizer.json', false, (path, text, bytes) => {
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
  const folder = {
    config,
    tokenizerJson,
    tokenizerConfig: withAddedTokensFile(tokenizerConfig, addedTokens, tokenizerJson),
    specialTokensMap,
    chatTemplate,
    generationConfig,
    rawConfig,
    manifest,
    textBytes,
    notes: [...duplicateKeyNotes(texts.get('config.json') ?? ''), ...notes, ...(await adapterNote(source))],
  };
  return { folder, texts };
}

async function templateOf(source: FileSource, onText: (path: string, text: string) => void): Promise<string | null> {
  const path = 'chat_template.jinja';
  const text = (await (await source.read(path))?.text()) ?? null;
  if (text !== null) onText(path, text);
  return text;
}

/** Notes on duplicate keys of a config.json: the last one counts, as in Python. */
function duplicateKeyNotes(text: string): string[] {
  const key = repeatedMember(text)?.name;
  return key === undefined ? [] : [`config.json has ${shown(key)} twice; the last one counts, as in Python.`];
}

/** Note on an adapter beside whole weights. */
async function adapterNote(source: FileSource): Promise<string[]> {
  if (!(await source.read(ADAPTER))) return [];
  return [
    `${ADAPTER}: an adapter lies beside the weights; it is left out, the weights are read as they are. Merge it into them first if it belongs to the model.`,
  ];
}

/** Null if the folder has no such file and none is required. Throws FormatError. */
export async function readJson(
  source: FileSource,
  path: string,
  required = false,
  onText: (path: string, text: string, bytes: number) => void = () => {},
): Promise<unknown> {
  const file = await source.read(path);
  if (!file) {
    if (required) throw await missingFile(source, path);
    return null;
  }
  // This is outside `try`, so that a broken connection or a moved file is not reported as bad JSON.
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

/** The error for a folder without a required file; its text is loaded only then. */
export async function missingFile(source: FileSource, path: string): Promise<FormatError> {
  const isAdapter = (await source.read(ADAPTER)) !== null;
  return (await import('./missing-file.ts')).missing(source.label, path, isAdapter ? ADAPTER : null);
}
