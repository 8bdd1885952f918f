// A model of the user's own (a folder in Hugging Face's layout) as what answers an agent's conversation, on the lab's engine.
import { setImmediate } from 'node:timers/promises';
import { Engine } from '../../engine/engine.ts';
import { type ChatModel, cutAt, PromptTooLong } from '../../environments/are/agents/react/model.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { openModelText } from '../../storage/model-text.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { answerText, cutAtEnd } from '../../text/answer.ts';
import type { CommandContext } from '../command.ts';
import { modelFolder } from '../model/folder.ts';
import { chooseStorage } from '../model/storage-choice.ts';
import { chooseNodeDevice, deviceLine } from '../ports.node.ts';
import type { ModelFlags } from './model-flags.ts';

export interface OpenedModel {
  /** Of each run its own, so that a run is the same whatever was run before it. */
  seeded(seed: number): ChatModel;
  free(): void;
}

/** A folder's model on the lab's engine, with its words. */
export async function openEngine(
  flags: ModelFlags & { readonly model: string },
  { root, progress, signal }: Pick<CommandContext, 'root' | 'progress' | 'signal'>,
) {
  const folder = modelFolder(flags.model, root);
  progress.note(`Reading ${folder} …`);
  const files = await loadModelFiles(diskSource(folder));
  const { config, weights } = files;
  const words = openModelText(files, folder);
  const { device, report } = await chooseNodeDevice(flags);
  progress.note(deviceLine(report));
  const size = { prompts: 1, sequences: 1, promptTokens: config.maxPositions >> 1, maxNew: flags['max-tokens'] };
  const { storage, line } = chooseStorage('auto', config, { rollouts: [size], scores: [], adapter: 'none' }, device);
  progress.note(line);
  const engine = await Engine.create({ device, config, weights, adapter: 'none', storage, signal });
  const endTokens = words.defaults.endTokens.slice(0, 2);
  return { engine, config, words, endTokens, free: () => device.destroy() };
}

export async function openLocalModel(
  flags: ModelFlags & { readonly model: string },
  context: Pick<CommandContext, 'root' | 'progress' | 'signal'>,
): Promise<OpenedModel> {
  const { engine, config, words, endTokens, free } = await openEngine(flags, context);
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
        const [answer] = await engine.generate({
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
  return { seeded, free };
}
