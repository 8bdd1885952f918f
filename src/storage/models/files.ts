// Selects the files of a model folder that the lab uses, by the same rule for a Hub repository and a dropped folder.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { ADAPTER } from '../folder-texts.ts';
import { INDEX, shardPaths, WEIGHTS } from '../model-files.ts';

const REQUIRED = ['config.json'];
const OPTIONAL = [
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'chat_template.jinja',
  'added_tokens.json',
  // The file is not used, but its presence is noted.
  ADAPTER,
];

/** Paths of `all` that the lab reads, sorted by name, weights last. `read` returns the text of the shard index. Throws FormatError if there
 *  is no config or no safetensors. */
export async function wantedFiles(
  all: readonly string[],
  read: (path: string) => Promise<string>,
  label: string,
): Promise<string[]> {
  const there = new Set(all);
  for (const path of REQUIRED) {
    if (!there.has(path)) {
      throw new FormatError(
        `${label} has no ${path}.`,
        'Name a model in Hugging Face’s layout, not a data set or an adapter.',
      );
    }
  }
  const small = [...REQUIRED, ...OPTIONAL].filter((path) => there.has(path)).sort();
  // If both exist, model.safetensors has priority, as in the reader (model-files.ts). The index is stored too, so that the stored model has
  // the same notes.
  if (there.has(WEIGHTS)) return [...small, ...(there.has(INDEX) ? [INDEX] : []), WEIGHTS];
  if (there.has(INDEX)) {
    const shards = shardPaths(label, jsonOrNull(await read(INDEX)));
    const missing = shards.filter((path) => !there.has(path));
    if (missing.length > 0) {
      throw new FormatError(
        `${label}: ${INDEX} names ${JSON.stringify(missing[0].slice(0, 80))}, which is not there (${missing.length} of ${shards.length} shards are missing).`,
        'Get all shards that the index names.',
      );
    }
    return [...small, INDEX, ...shards];
  }
  const others = all.filter((path) => /\.(bin|pt|pth|gguf|onnx|safetensors|h5|msgpack)$/.test(path)).slice(0, 3);
  throw new FormatError(
    `${label} has neither ${WEIGHTS} nor ${INDEX}${others.length ? `, only ${others.join(', ')}` : ''}.`,
    'Use a version of the model with unquantised safetensors.',
  );
}

/** Null for malformed JSON, which then gives the same error as JSON of another shape. */
function jsonOrNull(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return null;
  }
}
