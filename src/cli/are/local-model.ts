// A model of the user's own (a folder in Hugging Face's layout, or with an ONNX file) as what answers an agent's conversation.
import { setImmediate } from 'node:timers/promises';
import { type ChatModel, cutAt, PromptTooLong } from '@projected-grpo-lab/are/agents/react/model.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { answerText, cutAtEnd } from '../../text/answer.ts';
import type { CommandContext } from '../command.ts';
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
        const prompt = words.codec.encode(await words.chat([...turns]));
        const room = config.maxPositions - prompt.length;
        if (room < 1)
          throw new PromptTooLong(
            `The conversation has ${prompt.length} tokens, the model ${config.maxPositions} positions.`,
          );
        const [answer] = await generate({
          prompts: [prompt],
          // A question of its own each, so that the same words asked twice may be answered otherwise.
          sequences: [{ prompt: 0, key: keyFor(seed, STREAMS.evaluation, asked++, 0) }],
          maxNew: Math.min(room, flags['max-tokens']),
          temperature: flags.temperature,
          endTokens,
          signal,
          // The CPU device never waits: without this, a Ctrl-C would not be heard.
          breathe: () => setImmediate(),
        });
        const said = cutAtEnd(answer?.tokens ?? [], endTokens);
        return {
          text: cutAt(answerText(words.codec, prompt, said), stop),
          inputTokens: prompt.length,
          outputTokens: said.ids.length,
          seconds: (performance.now() - from) / 1000,
        };
      },
    };
  };
  return { id, seeded, free };
}
