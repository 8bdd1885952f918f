// What writes an agent's answers: a folder's model with its words, on the lab's engine, or in onnxruntime where the folder has an ONNX file.

import type { Generated, GenerateRequest, ModelConfig } from '../../engine/types.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { type ModelText, openModelText } from '../../storage/model-text.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { sha256 } from '../../storage/sources.ts';
import type { CommandContext } from '../command.ts';
import { openEngine } from '../model/engine.ts';
import { modelFolder, onnxFileOf } from '../model/folder.ts';
import type { ModelFlags } from './model-flags.ts';

export interface Writer {
  /** sha-256 of the weights. */
  readonly id: string;
  /** Throws ShapeError where prompt and answer do not fit. */
  generate(request: GenerateRequest): Promise<Generated[]>;
  readonly config: ModelConfig;
  /** What the folder says of how the model was made; null where it says nothing. */
  readonly manifest: unknown;
  readonly words: ModelText;
  /** What ends an answer. */
  readonly endTokens: readonly number[];
  free(): void;
}

/** Of the model's flags, those of a folder's. */
export type WriterFlags = Omit<ModelFlags, 'retries' | 'answer-within'> & { readonly model: string };

type Context = Pick<CommandContext, 'root' | 'progress' | 'signal'>;

/** Throws FormatError for a folder that is no model's. A folder with both kinds of weights is computed on the engine. */
export async function openWriter(flags: WriterFlags, context: Context): Promise<Writer> {
  const { root, progress } = context;
  const folder = modelFolder(flags.model, root);
  progress.note(`Reading ${folder} …`);
  const onnx = await onnxFileOf(folder);
  if (onnx !== null && !(await hasTensors(folder))) return openOnnx(folder, onnx, context);
  const files = await loadModelFiles(diskSource(folder));
  const { config } = files;
  const words = openModelText(files, folder);
  const size = { prompts: 1, sequences: 1, promptTokens: config.maxPositions >> 1, maxNew: flags['max-tokens'] };
  const plan = { storage: 'auto', work: { rollouts: [size], scores: [], adapter: 'none' } } as const;
  const { engine, free } = await openEngine(files, flags, context, { plan });
  const endTokens = words.defaults.endTokens.slice(0, 2);
  return {
    generate: (request) => engine.generate(request),
    id: files.sha256,
    config,
    manifest: files.manifest,
    words,
    endTokens,
    free,
  };
}

const hasTensors = async (folder: string): Promise<boolean> => {
  const source = diskSource(folder);
  for (const name of ['model.safetensors', 'model.safetensors.index.json'])
    if ((await source.read(name)) !== null) return true;
  return false;
};

async function openOnnx(folder: string, file: string, { progress }: Context): Promise<Writer> {
  const { openOnnxWithWords } = await import('../../storage/onnx/with-words.ts');
  const source = diskSource(folder);
  const { model, words } = await openOnnxWithWords(source, file);
  progress.note(`${file} in onnxruntime’s WebAssembly, one thread; --device and --threads are not asked.`);
  const { config } = model;
  const { endTokens } = words.defaults;
  const bytes = await (await source.read(file))?.arrayBuffer();
  const id = await sha256(new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return {
    generate: (request) => model.generateTokens(request),
    id,
    config,
    manifest: null,
    words,
    endTokens,
    free: () => void model.free(),
  };
}
