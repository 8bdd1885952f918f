// A model of the user's own (a folder in Hugging Face's layout, or with an ONNX file) as what answers an agent's conversation.
import type { ChatModel } from '@projected-grpo-lab/are/chat-model.ts';
import { chatAnswer } from '../../lab/models/chat-answer.ts';
import type { CommandContext } from '../command.ts';
import { breathe } from '../shown.ts';
import { openWriter, type WriterFlags } from './writer.ts';

export interface OpenedModel {
  /** Of its weights, or its name where they are a server's. */
  readonly id: string;
  /** Of each run its own, so that a run is the same whatever was run before it. */
  seeded(seed: number): ChatModel;
  free(): void;
}

export async function openLocalModel(
  flags: WriterFlags,
  context: Pick<CommandContext, 'root' | 'progress' | 'signal'>,
): Promise<OpenedModel> {
  const { id, generate, config, words, endTokens, free } = await openWriter(flags, context);
  const { signal } = context;
  const seeded = (seed: number): ChatModel => {
    let asked = 0;
    return {
      name: flags['model-name'] ?? flags.model,
      async answer(turns, { stop }) {
        const from = performance.now();
        const parts = { generate, words, endTokens, positions: config.maxPositions };
        const answer = await chatAnswer(parts, {
          turns,
          stop,
          seed,
          number: asked++,
          maxNew: flags['max-tokens'],
          temperature: flags.temperature,
          signal,
          breathe,
        });
        return { ...answer, seconds: (performance.now() - from) / 1000 };
      },
    };
  };
  return { id, seeded, free };
}
