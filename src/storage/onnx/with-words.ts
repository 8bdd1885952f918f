// An ONNX model with the text files of its folder: tokenizer, chat template, end tokens.
import type { PromptSettings } from '../../text/chat-template.ts';
import type { FileSource } from '../sources.ts';
import type { OnnxWithWords } from './language-model.ts';

/** The file of a folder's onnx/ to use, for teachers and agents: f32, else int8, else another; null if there is none. */
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
  prompts: PromptSettings = {},
): Promise<OnnxWithWords> {
  // It is loaded with the runtime, which a caller that needs only a file's name does not load.
  const { OnnxLanguageModel } = await import('./language-model.ts');
  return OnnxLanguageModel.openWithWords(source, { file, prompts });
}
