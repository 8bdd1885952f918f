// Examines a model's folder as the lab reads it: files, config, text, memory, and refusals, as one report for `lab doctor` and the Models
// view. A refusal is part of the report. Weights are not read, except a head under tie_word_embeddings.
import { isNamed } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { architectureOf } from '../../engine/config.ts';
import { type FieldReading, readFields } from '../../engine/config-fields.ts';
import { flatConfig } from '../../engine/hybrid-config.ts';
import { memoryNeed } from '../../engine/memory/memory.ts';
import { TRIED_STORAGES } from '../../engine/storage-layouts.ts';
import type { ModelConfig } from '../../engine/types.ts';
import { type ExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import { examineModelFiles, INDEX, type ModelHeader, WEIGHTS } from '../../storage/model-files.ts';
import { openModelText } from '../../storage/model-text.ts';
import type { FileSource } from '../../storage/sources.ts';
import { chatTemplateOf, type PromptSettings } from '../../text/chat-template.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { longestPrompt, trainingWork } from '../estimate/memory.ts';
import type {
  Examination,
  ExaminedFile,
  ExaminedMemory,
  ExaminedRefusal,
  ExaminedText,
  ExaminedToken,
} from '../protocol/examination.ts';
import { answerWork } from './plan.ts';

export interface ExaminedSettings {
  /** A user's message; formatted by the model's chat template if it has one. */
  prompt: string;
  /** Experiment whose training is planned; null for none. */
  spec: ExperimentSpec | null;
  /** Settings of prompts; by default those of the model's own files. */
  prompts?: PromptSettings;
}

const WITHOUT_TEMPLATE =
  'There is no chat template: what writes a conversation (a run, a pool, a basis) refuses the model until it is told how: --chat-template chatml, none or FILE, in a run the option chatTemplate.';

/** Most tokens of the prompt that are listed. */
const SHOWN_TOKENS = 64;

/** `files`: all files of the folder, also those that are not a model's. Throws only for faults of the lab or of the disk. */
export async function examineModel(
  source: FileSource,
  files: readonly { path: string; bytes: number }[],
  { prompt, spec, prompts = {} }: ExaminedSettings,
): Promise<Examination> {
  const refusals: ExaminedRefusal[] = [];
  const attempt = async <T>(of: ExaminedRefusal['of'], work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!isNamed(error)) throw error;
      refusals.push({ of, message: error.message, remedy: error.remedy });
      return null;
    }
  };
  const fields = await fieldsOf(source);
  const opened = await attempt('weights and config', () => examineModelFiles(source));
  const report: Examination = {
    label: source.label,
    files: filesOf(files),
    config: null,
    fields,
    weights: null,
    text: null,
    memory: [],
    notes: [],
    refusals,
  };
  if (!opened) return report;
  const { header, paths, dtypes } = opened;
  const { config, parameters, bytes, ignored, notes } = header;
  const words = await attempt('text', async () => openModelText(header, source.label, prompts));
  const text = words && (await examineText(words, prompt, templatePlace(header, prompts), attempt));
  const unread = words && (await attempt('prompt', () => words.unread()));
  return {
    ...report,
    files: filesOf(files, paths),
    config,
    weights: { parameters, bytes, dtypes, head: config.tied ? 'embedding' : 'own', ignored },
    text,
    memory: memoryOf(config, spec, words?.codec ?? null),
    notes: [...notes, ...(words && !words.hasChatTemplate ? [WITHOUT_TEMPLATE] : []), ...(unread ? [unread] : [])],
  };
}

/** Every field of config.json; empty if the lab cannot read it, which a refusal reports. */
async function fieldsOf(source: FileSource): Promise<FieldReading[]> {
  const text = await (await source.read('config.json'))?.text();
  try {
    const json = flatConfig(parseJsonText(text ?? ''));
    return readFields(json as Record<string, unknown>, architectureOf(json));
  } catch {
    return [];
  }
}

type Words = Awaited<ReturnType<typeof openModelText>>;
type Attempt = <T>(of: ExaminedRefusal['of'], work: () => Promise<T>) => Promise<T | null>;

/** Source of the chat template; null if there is none. */
function templatePlace({ tokenizerConfig, chatTemplate }: ModelHeader, { template = 'own' }: PromptSettings) {
  if (typeof template === 'object') return template.file;
  if (template !== 'own') return template === 'chatml' ? 'ChatML' : null;
  if (chatTemplateOf(tokenizerConfig, chatTemplate) === null) return null;
  return chatTemplate === null ? 'tokenizer_config.json' : 'chat_template.jinja';
}

/** @param template its source */
async function examineText(
  words: Words,
  text: string,
  template: string | null,
  attempt: Attempt,
): Promise<ExaminedText> {
  const { codec, chatCodec, defaults, knowsThinking } = words;
  const named = (id: number): ExaminedToken => ({ id, text: codec.decode([id]) });
  const begin = beginOf(codec);
  const chat =
    template === null ? null : await attempt('prompt', async () => words.chat([{ role: 'user', content: text }]));
  const ids = chat === null ? codec.encodePrompt(text) : chatCodec.encodeChat(chat);
  const other = ids.findIndex((id) => id !== begin[0]);
  return {
    vocabSize: codec.vocabSize,
    begin: begin.map(named),
    beginsInChat: chat === null || begin.length === 0 ? null : other < 0 ? ids.length : other,
    ends: codec.endTokens.map(named),
    pad: named(codec.padToken),
    template,
    knowsThinking,
    temperature: defaults.temperature,
    maxNew: defaults.maxNew,
    undone: defaults.undone,
    prompt: {
      isChat: chat !== null,
      text: chat ?? text,
      count: ids.length,
      tokens: tokensOf(codec, ids.slice(0, SHOWN_TOKENS)),
    },
  };
}

/** Each token with the text that it adds; decoded alone if that is not yet a character, or changes earlier text. */
function tokensOf(codec: PromptCodec, ids: readonly number[]): ExaminedToken[] {
  let before = '';
  return ids.map((id, i) => {
    const text = codec.decode(ids.slice(0, i + 1));
    const own = text.startsWith(before) && text.length > before.length ? text.slice(before.length) : codec.decode([id]);
    before = text;
    return { id, text: own };
  });
}

/** Tokens that the tokenizer puts before a plain text. */
function beginOf(codec: PromptCodec): number[] {
  const [whole, bare] = [codec.encodePrompt('a'), codec.encode('a')];
  const more = whole.length - bare.length;
  return more > 0 && bare.every((id, i) => whole[more + i] === id) ? whole.slice(0, more) : [];
}

function memoryOf(config: ModelConfig, spec: ExperimentSpec | null, codec: PromptCodec | null): ExaminedMemory[] {
  const answer = answerWork(config, 'cpu');
  const runs = spec && resolveRuns(spec);
  const training = runs && codec && trainingWork(runs, config, longestPrompt(runs[0], { codec }), 'cpu');
  return TRIED_STORAGES.map((storage) => ({
    storage,
    answer: memoryNeed(config, { ...answer, storage }).total,
    train: training && memoryNeed(config, { ...training, storage }).total,
  }));
}

/** Purpose of each file that the lab reads. */
const READ: Readonly<Record<string, string>> = {
  'config.json': 'the model’s shape',
  'tokenizer.json': 'text to tokens and back',
  'tokenizer_config.json': 'special tokens, chat template',
  'special_tokens_map.json': 'special tokens that tokenizer_config.json does not name',
  'added_tokens.json': 'added tokens, where tokenizer_config.json lists none',
  'chat_template.jinja': 'the chat template; it counts before that of tokenizer_config.json',
  'generation_config.json': 'what ends an answer, how it is sampled',
  'manifest.json': 'hashes of the files',
  'lab-model.json': 'where the model comes from, and hashes',
};
/** Files that the lab does not read, by name, and what they are. */
const LEFT_OUT: readonly (readonly [RegExp, string])[] = [
  [/^adapter_/, 'an adapter: merge it into the weights first if it belongs to the model'],
  [/^(vocab\.(json|txt)|merges\.txt|tokenizer\.model|.*\.tiktoken)$/, 'tokenizer.json says the same'],
  [/\.(bin|pt|pth|ckpt|h5|msgpack|gguf|npz)$/, 'weights in another format; safetensors are read'],
  [/\.onnx(_data)?$/, 'an ONNX file, which teachers and judges can use'],
  [/\.py$/, 'code of the model’s own, which is not run'],
  [/\.safetensors$/, 'weights that are no part of this model’s'],
  [/\.md$|^(LICENSE|NOTICE)|^\./, 'a note'],
];

/** @param weights the weight files that are read; null if unknown, then names decide */
function filesOf(
  files: readonly { path: string; bytes: number }[],
  weights: readonly string[] | null = null,
): ExaminedFile[] {
  const there = new Set(files.map(({ path }) => path));
  const isWhole = there.has(WEIGHTS);
  const isShard = (path: string) => /^model-\d+-of-\d+\.safetensors$/.test(path);
  const useOf = (path: string): Pick<ExaminedFile, 'isRead' | 'why'> => {
    if (Object.hasOwn(READ, path)) return { isRead: true, why: READ[path] };
    if (isWhole && (path === INDEX || isShard(path))) return { isRead: false, why: `${WEIGHTS} goes before it` };
    if (path === INDEX) return { isRead: true, why: 'which shard has which weight' };
    if (weights ? weights.includes(path) : path === WEIGHTS || isShard(path)) return { isRead: true, why: 'weights' };
    const other = LEFT_OUT.find(([pattern]) => pattern.test(path));
    return { isRead: false, why: other?.[1] ?? 'not a file that the lab knows' };
  };
  return files.map((file) => ({ ...file, ...useOf(file.path) })).sort((a, b) => Number(b.isRead) - Number(a.isRead));
}
