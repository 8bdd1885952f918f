// The worker's handlers for an agent's ONNX model: a part of the table in handlers.ts, loaded with the first request.

import { PromptTooLong } from '@projected-grpo-lab/are/chat-model.ts';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { onnxFileIn, openOnnxWithWords } from '../../storage/onnx/with-words.ts';
import { memorySource } from '../../storage/sources.ts';
import { chatAnswer } from '../models/chat-answer.ts';
import type { OnnxFile, OnnxQuestion } from '../protocol/onnx.ts';
import type { HandlerParts } from '../work/parts.ts';

type Opened = Awaited<ReturnType<typeof openOnnxWithWords>>;

/** Most accepted files: a model's folder has some ten, but a picker may return a whole disk. */
const MOST_FILES = 100;
/** WebAssembly has 4 GiB of memory for the weights and all intermediate results. */
const MOST_BYTES = 3 * 2 ** 30;

export function createOnnxHandlers({ tasks }: Pick<HandlerParts, 'tasks'>) {
  let opened: Opened | null = null;
  /** Aborts the questions to the open model when it is closed. */
  let closing = new AbortController();
  async function close(): Promise<null> {
    const { model } = opened ?? {};
    opened = null;
    closing.abort();
    closing = new AbortController();
    await model?.free();
    return null;
  }
  return {
    /** Opens config.json, the tokenizer's files and the model's; replaces a model that was open. */
    async openOnnx({ files }: { files: readonly OnnxFile[] }) {
      const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
      if (files.length > MOST_FILES || bytes > MOST_BYTES)
        throw new FormatError(
          `These are ${files.length} files with ${bytes} bytes; ${MOST_FILES} files with ${MOST_BYTES} bytes are taken.`,
          'Choose the files of one model: config.json, the tokenizer’s, and its .onnx.',
        );
      const file = onnxFileIn(files.map(({ name }) => name));
      if (file === null)
        throw new FormatError(
          'None of the files ends in .onnx.',
          'Choose config.json, tokenizer.json, tokenizer_config.json and the .onnx file together.',
        );
      await close();
      const inFolder = (name: string) => (/\.onnx(_data)?$/.test(name) ? `onnx/${name}` : name);
      const source = memorySource(new Map(files.map(({ name, file: one }) => [inFolder(name), one])), 'the ONNX model');
      const found = await openOnnxWithWords(source, file);
      if (!found.words.hasChatTemplate) {
        await found.model.free();
        throw new FormatError(
          'The ONNX model has no chat template.',
          'Choose a model for conversations, with its tokenizer_config.json.',
        );
      }
      opened = found;
      return { name: file, positions: found.model.config.maxPositions };
    },
    /** Returns `tooLong`, with the reason, if the conversation is too long. */
    async askOnnx({ id, ...question }: OnnxQuestion) {
      if (!opened) throw new SpecError('No ONNX model is open.', 'Choose its files again.');
      const { model, words } = opened;
      return tasks.run(id, async (stopped) => {
        const signal = AbortSignal.any([stopped, closing.signal]);
        try {
          const parts = { words, positions: model.config.maxPositions };
          const generate = model.generateTokens.bind(model);
          return { answer: await chatAnswer({ ...parts, generate }, { ...question, number: 0, signal }) };
        } catch (error) {
          if (error instanceof PromptTooLong) return { tooLong: error.message };
          throw error;
        }
      });
    },
    closeOnnx: close,
  };
}
