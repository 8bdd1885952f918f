// Facts about a model before it is loaded or fetched, from its config and the headers of its weights. They are the same for a stored model,
// a dropped folder and the Hub.
import type { ModelConfig } from '../../engine/types.ts';
import { HEAD } from '../../engine/weight-names.ts';
import { chatTemplateOf } from '../../text/chat-template.ts';
import type { Holes } from '../byte-holes.ts';
import { inspectModelFiles } from '../model-files.ts';
import { totalBytes } from '../model-store.ts';
import type { FileSource } from '../sources.ts';

export interface ModelFacts {
  config: ModelConfig;
  parameters: number;
  /** Bytes of all files that the lab uses, and of the weight files among them. */
  bytes: number;
  weightBytes: number;
  /** Bytes of tokenizer.json; 0 if there is none. */
  textBytes: number;
  hasTokenizer: boolean;
  hasChatTemplate: boolean;
  /** Tensors of the files that have no effect and are left out. */
  ignored: readonly string[];
  /** Ranges of the weight files that are never read, by path. */
  holes: ReadonlyMap<string, Holes>;
  /** Problems that remain although the weights can be loaded. */
  warnings: string[];
}

/** `files` are those that the lab uses (files.ts). Throws FormatError for an unsupported architecture, for missing or misshapen tensors, and
 *  for any other fault in the headers. */
export async function inspectSource(
  source: FileSource,
  files: readonly { path: string; bytes: number }[],
): Promise<ModelFacts> {
  const there = new Set(files.map(({ path }) => path));
  const header = await inspectModelFiles({
    label: source.label,
    read: async (path) => {
      // The vocabulary is ten times larger than everything else read here, and is not needed.
      if (path === 'tokenizer.json' || !there.has(path)) return null;
      const file = await source.read(path);
      // The file is read here, so that a network error is not reported as bad JSON.
      return file && !path.endsWith('.safetensors') ? new Blob([await file.arrayBuffer()]) : file;
    },
  });
  const hasTokenizer = there.has('tokenizer.json') && there.has('tokenizer_config.json');
  const hasChatTemplate = chatTemplateOf(header.tokenizerConfig, header.chatTemplate) !== null;
  const warnings: string[] = [];
  if (!hasTokenizer) {
    const missing = ['tokenizer.json', 'tokenizer_config.json'].filter((path) => !there.has(path)).join(' and ');
    warnings.push(`There is no ${missing}: the weights can be factored, but the model cannot be given text.`);
  } else if (!hasChatTemplate) {
    warnings.push(
      'There is no chat template: the playground continues texts, and a run must say how prompts are written (chatTemplate: chatml, none, or a template).',
    );
  }
  const ignored = header.ignored.filter((name) => name !== HEAD);
  if (ignored.length > 0) warnings.push(`Not used by this model and left out: ${ignored.join(', ')}.`);
  if (ignored.length < header.ignored.length)
    warnings.push(
      `${HEAD} is in the files though config.json says tie_word_embeddings. It is compared with the embedding when the model is loaded: an equal one is left out, another one is used, as in transformers 5.`,
    );
  warnings.push(...header.notes);
  return {
    config: header.config,
    parameters: header.parameters,
    bytes: totalBytes(files),
    weightBytes: header.bytes,
    textBytes: files.find(({ path }) => path === 'tokenizer.json')?.bytes ?? 0,
    hasTokenizer,
    hasChatTemplate,
    ignored: header.ignored,
    holes: header.holes,
    warnings,
  };
}
