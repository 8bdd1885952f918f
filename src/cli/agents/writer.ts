// A folder's model as the author of an agent's answers, on the lab's engine, or in onnxruntime where the folder has an ONNX file: in a
// conversation, or in the compact language, where it may also be the expert of an app.

import { expertOf } from '@projected-grpo-lab/are/augment/expert.ts';
import type { ChatModel } from '@projected-grpo-lab/are/chat-model.ts';
import type { ModelFlags } from '@projected-grpo-lab/are/cli/model-flags.ts';
import type { OpenedAgent, OpenedModel } from '@projected-grpo-lab/are/cli/opened.ts';
import { type Dialect, FIRST, SECOND } from '@projected-grpo-lab/are/language/dialect.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Generated, GenerateRequest, ModelConfig } from '../../engine/types.ts';
import { COMPOSED } from '../../environments/agents/presentation.ts';
import { chatAnswer } from '../../lab/models/chat-answer.ts';
import { type ModelText, openModelText } from '../../storage/model-text.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { sha256 } from '../../storage/sources.ts';
import type { PromptSettings } from '../../text/chat-template.ts';
import type { CommandContext } from '../command.ts';
import type { DeviceFlags } from '../device-flags.ts';
import { yieldToEvents } from '../drain.ts';
import { openEngine } from '../model/engine.ts';
import { modelFolder, onnxFileOf, openModel } from '../model/folder.ts';
import { noteUnread, type PromptFlags, promptSettings, thinkingWith } from '../model/prompts.ts';
import { LanguageAgent, type LanguageModelParts } from './language-agent.ts';

interface Writer {
  /** sha-256 of the weights. */
  readonly id: string;
  /** Throws ShapeError where prompt and answer do not fit. */
  generate(request: GenerateRequest): Promise<Generated[]>;
  readonly config: ModelConfig;
  /** The folder's manifest of how the model was made; null where it has none. */
  readonly manifest: unknown;
  readonly words: ModelText;
  free(): void;
}

/** The flags that a folder's model takes. */
export type WriterFlags = Pick<ModelFlags, 'model-name' | 'temperature' | 'max-tokens' | 'max-calls' | 'thinking'> &
  DeviceFlags &
  Partial<PromptFlags> & { readonly model: string; readonly adapter?: string | null };

type Context = Pick<CommandContext, 'root' | 'progress' | 'signal'>;

/** Opens the model for an agent's conversation. Throws FormatError for a folder that holds no model. */
export async function openLocalModel(flags: WriterFlags, context: Context): Promise<OpenedModel> {
  const { id, generate, config, words, free } = await openWriter(flags, context);
  const { signal } = context;
  const thinking = thinkingWith(flags.thinking, words);
  const parts = { generate, words, positions: config.maxPositions, thinking };
  const seeded = (seed: number): ChatModel => {
    let questions = 0;
    return {
      name: flags['model-name'] ?? flags.model,
      async answer(turns, { stop }) {
        const from = performance.now();
        const answer = await chatAnswer(parts, {
          turns,
          stop,
          seed,
          number: questions++,
          maxNew: flags['max-tokens'],
          temperature: flags.temperature,
          signal,
          breathe: yieldToEvents,
        });
        return { ...answer, seconds: (performance.now() - from) / 1000 };
      },
    };
  };
  return { id, thinking, seeded, free };
}

/** Opens the model as an agent in the compact language. Throws FormatError for a folder that holds no model. */
export async function openLanguageAgent(flags: WriterFlags, context: Context): Promise<OpenedAgent> {
  const { id, generate, config, manifest, words, free } = await openWriter(flags, context);
  const { temperature, 'max-calls': maxCalls } = flags;
  const thinking = thinkingWith(flags.thinking, words);
  const parts: LanguageModelParts = {
    thinking,
    generate,
    codec: words.codec,
    positions: config.maxPositions,
    dialect: dialectOf(manifest),
    temperature,
    maxCalls,
    signal: context.signal,
  };
  return {
    id,
    thinking,
    name: flags['model-name'] ?? flags.model,
    seeded: (seed) => new LanguageAgent(parts, seed),
    expert: (seed) => expertOf((task) => new LanguageAgent(parts, 1000 * (seed + 1) + task)),
    free,
  };
}

/** The second dialect of a model that was pretrained on composed forms; the first of any other. */
function dialectOf(manifest: unknown): Dialect {
  const { command } = (manifest ?? {}) as { command?: unknown };
  return typeof command === 'string' && command.includes(COMPOSED) ? SECOND : FIRST;
}

/** A folder with both kinds of weights runs on the engine. */
async function openWriter(flags: WriterFlags, context: Context): Promise<Writer> {
  const { root, progress } = context;
  const folder = modelFolder(flags.model, root);
  progress.note(`Reading ${folder} …`);
  const onnx = await onnxFileOf(folder);
  const prompts = await promptSettings(flags);
  if (onnx !== null && !(await hasTensors(folder))) {
    if ((flags.adapter ?? null) !== null)
      throw new SpecError(
        `--adapter ${flags.adapter}: ${folder} has an ONNX file alone, into which nothing is folded.`,
        'Name a folder with safetensors.',
      );
    return openOnnx(folder, onnx, prompts, context);
  }
  const { files } = await openModel({ model: flags.model, adapter: flags.adapter ?? null }, context);
  const { config } = files;
  const words = await openModelText(files, folder, prompts);
  await noteUnread(words, progress);
  const size = { prompts: 1, sequences: 1, promptTokens: config.maxPositions >> 1, maxNew: flags['max-tokens'] };
  const plan = { storage: 'auto', work: { rollouts: [size], scores: [], adapter: 'none' } } as const;
  const { engine, free } = await openEngine(files, flags, context, { plan });
  return {
    generate: (request) => engine.generate(request),
    id: files.sha256,
    config,
    manifest: files.manifest,
    words,
    free,
  };
}

const hasTensors = async (folder: string): Promise<boolean> => {
  const source = diskSource(folder);
  for (const name of ['model.safetensors', 'model.safetensors.index.json'])
    if ((await source.read(name)) !== null) return true;
  return false;
};

async function openOnnx(folder: string, file: string, prompts: PromptSettings, { progress }: Context): Promise<Writer> {
  const { openOnnxWithWords } = await import('../../storage/onnx/with-words.ts');
  const source = diskSource(folder);
  const { model, words, notes } = await openOnnxWithWords(source, file, prompts);
  for (const note of notes) progress.note(note);
  await noteUnread(words, progress);
  progress.note(`${file} in onnxruntime’s WebAssembly, one thread; --device and --threads are not asked.`);
  const { config } = model;
  const bytes = await (await source.read(file))?.arrayBuffer();
  const id = await sha256(new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return {
    generate: (request) => model.generateTokens(request),
    id,
    config,
    manifest: null,
    words,
    free: () => void model.free(),
  };
}
