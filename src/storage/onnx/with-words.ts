// A model of an ONNX file with what its folder says about text: tokenizer, chat template, what ends an answer.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { type ModelText, openModelText } from '../model-text.ts';
import type { FileSource } from '../sources.ts';
import type { OnnxLanguageModel } from './language-model.ts';

/** The file of a folder's onnx/ that is meant, for teachers and agents alike: f32 before int8 before others; null where there is none. */
export function onnxFileIn(names: readonly string[]): string | null {
  const found = names.filter((name) => name.endsWith('.onnx')).sort();
  const wanted = ['model.onnx', 'model_quantized.onnx', 'model_int8.onnx'];
  const name = wanted.find((path) => found.includes(path)) ?? found[0];
  return name === undefined ? null : `onnx/${name}`;
}

/** Throws FormatError, naming what is missing or wrong. */
export async function openOnnxWithWords(
  source: FileSource,
  file: string,
): Promise<{ model: OnnxLanguageModel; words: ModelText }> {
  // With the runtime, which who only asks for a file's name does not load.
  const { OnnxLanguageModel } = await import('./language-model.ts');
  const model = await OnnxLanguageModel.open(source, { file });
  // What can be parsed was parsed above already.
  const json = async (path: string): Promise<unknown> => {
    const found = await source.read(path);
    return found === null ? null : parseJsonText(await found.text());
  };
  const [rawConfig, tokenizerJson, tokenizerConfig, generationConfig] = await Promise.all(
    ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'generation_config.json'].map(json),
  );
  const chatTemplate = (await (await source.read('chat_template.jinja'))?.text()) ?? null;
  const { config } = model;
  const files = { config, rawConfig, tokenizerJson, tokenizerConfig, generationConfig, chatTemplate };
  return { model, words: openModelText(files, source.label) };
}
