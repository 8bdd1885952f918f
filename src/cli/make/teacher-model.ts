// `--teacher`: the embedded ONNX teacher by its name, or a folder of either kind, opened as a `LanguageModel`.

import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { EngineLanguageModel } from '../../engine/language-model.ts';
import type { LanguageModel } from '../../engine/types.ts';
import { TEACHER, TEACHER_WORDS } from '../../experiments/kinds/probe/spec.ts';
import { openModelText } from '../../storage/model-text.ts';
import { OnnxLanguageModel } from '../../storage/onnx/language-model.ts';
import { diskSource } from '../../storage/sources.node.ts';
import type { CommandContext } from '../command.ts';
import type { DeviceFlags } from '../device-flags.ts';
import { openEngine } from '../model/engine.ts';
import { onnxFileOf, readModel } from '../model/folder.ts';
import { noteUnread, type PromptFlags, promptSettings, thinkingWith } from '../model/prompts.ts';

interface OpenTeacher {
  model: LanguageModel;
  /** Name of the author in a pool's report. */
  words: string;
  free(): Promise<void>;
}

/** `name`: `onnx`, a folder with config, tokenizer and an ONNX file under onnx/, or one in Hugging Face's layout. Throws SpecError for
 *  a folder that is neither, FormatError for files that do not fit. */
export async function openTeacherModel(
  name: string,
  flags: DeviceFlags & Partial<PromptFlags>,
  context: CommandContext,
): Promise<OpenTeacher> {
  const { progress, root } = context;
  const isEmbedded = name === 'onnx';
  const folder = isEmbedded ? join(root, 'public', 'models', TEACHER) : resolve(name);
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new SpecError(`--teacher ${name}: there is no such folder.`, 'Name onnx, or a model’s folder.', { cause });
  });
  const words = isEmbedded ? TEACHER_WORDS : basename(folder);
  const onnx = await onnxFileOf(folder);
  if (onnx !== null) {
    const {
      model,
      words: text,
      notes,
    } = await OnnxLanguageModel.openWithWords(diskSource(folder), { file: onnx, prompts: await promptSettings(flags) });
    for (const note of notes) progress.note(note);
    await noteUnread(text, progress);
    progress.note(`Teacher: ${words}, ${onnx} in onnxruntime’s WebAssembly.`);
    return { model, words, free: () => model.free() };
  }
  if (!names.some((path) => path.endsWith('.safetensors')))
    throw new SpecError(
      `--teacher ${name} has neither an ONNX file nor safetensors.`,
      'Name a folder in Hugging Face’s layout, or one that `export --format onnx` wrote.',
    );
  const { files } = await readModel({ model: folder, adapter: null }, context);
  const text = await openModelText(files, folder, await promptSettings(flags));
  await noteUnread(text, progress);
  const { codec } = text;
  const thinking = thinkingWith(null, text);
  const { engine: policy, free } = await openEngine(files, flags, context);
  const model = new EngineLanguageModel({ id: words, policy, adapterParams: null, codec, thinking });
  return { model, words, free: async () => free() };
}
