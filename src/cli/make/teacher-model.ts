// `--teacher`: the embedded ONNX teacher by its name, or a folder of either kind, with an adapter where one is named, opened as a
// `LanguageModel`.

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

export interface TeacherFlags extends DeviceFlags, PromptFlags {
  /** `onnx`, a folder with config, tokenizer and an ONNX file under onnx/, or one in Hugging Face’s layout; null: the adapter’s base. */
  readonly teacher: string | null;
  readonly adapter: string | null;
}

/** Throws SpecError for a folder that is no model, FormatError for files that do not fit. */
export async function openTeacherModel(flags: TeacherFlags, context: CommandContext): Promise<OpenTeacher> {
  const { progress, root } = context;
  const { teacher: name, adapter } = flags;
  if (name === null) return openWeights(null, flags, context);
  const isEmbedded = name === 'onnx';
  const folder = isEmbedded ? join(root, 'public', 'models', TEACHER) : resolve(name);
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new SpecError(`--teacher ${name}: there is no such folder.`, 'Name onnx, or a model’s folder.', { cause });
  });
  const words = isEmbedded ? TEACHER_WORDS : basename(folder);
  const hasWeights = names.some((path) => path.endsWith('.safetensors'));
  const onnx = await onnxFileOf(folder);
  if (adapter !== null && !hasWeights)
    throw new SpecError(
      `--adapter ${adapter}: --teacher ${name} has no safetensors that an adapter could be folded into.`,
      'Name the folder of the adapter’s base as --teacher, or leave --teacher out where the adapter names its base.',
    );
  if (onnx !== null && adapter === null) {
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
  if (!hasWeights)
    throw new SpecError(
      `--teacher ${name} has neither an ONNX file nor safetensors.`,
      'Name a folder in Hugging Face’s layout, or one that `export --format onnx` wrote.',
    );
  return openWeights(folder, flags, context);
}

/** A model of safetensors, with the adapter folded in. */
async function openWeights(base: string | null, flags: TeacherFlags, context: CommandContext): Promise<OpenTeacher> {
  const { files, folder, name: words } = await readModel({ model: base, adapter: flags.adapter }, context);
  const text = await openModelText(files, folder, await promptSettings(flags));
  await noteUnread(text, context.progress);
  const { codec } = text;
  const thinking = thinkingWith(null, text);
  const { engine: policy, free } = await openEngine(files, flags, context);
  const model = new EngineLanguageModel({ id: words, policy, adapterParams: null, codec, thinking });
  return { model, words, free: async () => free() };
}
