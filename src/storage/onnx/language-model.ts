// A `LanguageModel` run by onnxruntime-web: a teacher or a judge that another tool exported. It samples like the engine (with the `sample`
// kernel's reference, and the same keys and counters), so that both give the same tokens where their logits agree.

import { FormatError, ShapeError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { answersOf } from '../../engine/language-model.ts';
import type { AnswerOptions, Generated, LanguageModel, ModelConfig, TokenRequest } from '../../engine/types.ts';
import { sample } from '../../kernels/cpu/head.ts';
import { turn } from '../../lib/turn.ts';
import type { PromptSettings } from '../../text/chat-template.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { type Thinking, thinkingFor } from '../../text/thinking.ts';
import { readFolderTexts } from '../folder-texts.ts';
import { ModelSums } from '../model-sums.ts';
import { type ModelText, openModelText } from '../model-text.ts';
import { type FileSource, sha256 } from '../sources.ts';
import { operatorsOf } from './read.ts';
import { freePast, OnnxDecoder, type OnnxPast, type OnnxPlace } from './session.ts';

export interface OnnxPace {
  /** Prompt tokens per call: each has a row of logits, [tokens, vocab]. */
  prefill: number;
  /** Sequences of one prompt that are decoded together. */
  batch: number;
}
const PACE: OnnxPace = { prefill: 128, batch: 32 };
/** Dynamic quantisation uses the range of all rows of a call, so with several rows each would depend on the others. */
const ONE_BY_ONE: OnnxPace = { prefill: 1, batch: 1 };
const RANGES = ['DynamicQuantizeLinear', 'DynamicQuantizeMatMul', 'DynamicQuantizeLSTM'];
/** Calls of the runtime between two yields to the event loop. The calls themselves do not yield, so an abort would go unnoticed. */
const CALLS_A_TURN = 8;
/** Not a token, which turns the sampler's own end check off: ends are checked here, so that a row leaves the next call as soon as it has
 *  ended. */
const NONE = 0xffffffff;

/** `file`: the ONNX file; `prompts`: settings of the prompt's form. */
interface OpenOptions extends Pick<OnnxPlace, 'gpu'> {
  file?: string;
  prompts?: PromptSettings;
}

export interface OnnxWithWords {
  model: OnnxLanguageModel;
  words: ModelText;
  /** Sentences for the user about the folder. */
  notes: readonly string[];
}

export class OnnxLanguageModel implements LanguageModel {
  #calls = 0;

  /** `endTokens`: any number of tokens that end an answer. */
  constructor(
    readonly id: string,
    private readonly decoder: OnnxDecoder,
    readonly codec: PromptCodec,
    readonly endTokens: readonly number[],
    readonly pace: OnnxPace = PACE,
    /** Treatment of thoughts, as its chat template implies. */
    readonly thinking: Thinking = 'keep',
  ) {}

  get config(): ModelConfig {
    return this.decoder.config;
  }

  /** Opens a folder in the layout of `export --format onnx` and onnx-community: config.json, the tokenizer, `file` (onnx/model.onnx) and
   *  its `<file>_data`, if any. `gpu` is the device to run on (session.ts). Throws FormatError, naming what is missing or wrong. */
  static async open(source: FileSource, options: OpenOptions = {}): Promise<OnnxLanguageModel> {
    return (await OnnxLanguageModel.openWithWords(source, options)).model;
  }

  /** Opens the model as `open` does, and returns its text and the notes on its folder. */
  static async openWithWords(
    source: FileSource,
    { file = 'onnx/model.onnx', gpu = null, prompts = {} }: OpenOptions = {},
  ): Promise<OnnxWithWords> {
    const { folder, texts } = await readFolderTexts(source);
    const { config, manifest, notes } = folder;
    const words = await openModelText(folder, source.label, prompts);
    const model = new Uint8Array(await (await readRequired(source, file)).arrayBuffer());
    const sums = await ModelSums.of(source, manifest);
    sums.check(file, await sha256(model));
    for (const [path, text] of texts) await sums.checkText(path, text);
    const externalFile = await source.read(`${file}_data`);
    const path = `${file.split('/').at(-1)}_data`;
    const external = externalFile ? [{ path, data: new Uint8Array(await externalFile.arrayBuffer()) }] : [];
    const decoder = await OnnxDecoder.open(model, config, { gpu, external });
    const operators = operatorsOf(model);
    const pace = RANGES.some((operator) => operators.has(operator)) ? ONE_BY_ONE : PACE;
    const { codec, knowsThinking } = words;
    const thinking = thinkingFor(knowsThinking);
    return {
      model: new OnnxLanguageModel(source.label, decoder, codec, codec.endTokens, pace, thinking),
      words,
      notes,
    };
  }

  generate(prompts: readonly string[], options: AnswerOptions): Promise<readonly string[]> {
    return answersOf(this, prompts, options);
  }

  /** Generates like `Policy.generate`, but without limits of single sequences (`maxNew`). Throws ShapeError if prompt and answer do not fit, StoppedError if it is aborted. */
  async generateTokens(request: TokenRequest): Promise<Generated[]> {
    const { prompts, sequences, maxNew } = request;
    for (const { prompt } of sequences) {
      const length = prompts[prompt]?.length ?? 0;
      if (length === 0)
        throw new ShapeError(`prompt ${prompt} of ${prompts.length} is missing or empty`, 'Give it a token.');
      if (length + maxNew > this.config.maxPositions)
        throw new ShapeError(
          `${length} prompt tokens + ${maxNew} new ones exceed the model's ${this.config.maxPositions} positions`,
          'Lower max_new or shorten the prompt.',
        );
    }
    const results = new Array<Generated>(sequences.length);
    const byPrompt = new Map<number, number[]>();
    sequences.forEach(({ prompt }, i) => {
      byPrompt.set(prompt, [...(byPrompt.get(prompt) ?? []), i]);
    });
    let before = { tokens: 0, sequences: 0 };
    for (const [prompt, mine] of byPrompt) {
      const { batch } = this.pace;
      const start = await this.prefill(prompts[prompt], request);
      try {
        for (let from = 0; from < mine.length; from += batch) {
          const part = mine.slice(from, from + batch);
          const answers = await this.decode(start, part, request, before);
          part.forEach((i, row) => {
            results[i] = answers[row];
          });
          const written = answers.reduce((sum, { tokens }) => sum + tokens.length, before.tokens);
          before = { tokens: written, sequences: before.sequences + part.length };
        }
      } finally {
        freePast(start.past);
      }
    }
    return results;
  }

  async free(): Promise<void> {
    await this.decoder.free();
  }

  /** Each prompt is prefilled alone, so that its answers do not depend on other prompts. */
  private async prefill(prompt: readonly number[], request: TokenRequest): Promise<Step> {
    const { prefill } = this.pace;
    let step: Step | null = null;
    for (let from = 0; from < prompt.length; from += prefill)
      step = await this.next([prompt.slice(from, from + prefill)], step?.past ?? null, request, 0);
    return step!;
  }

  /** One call of the runtime; `past` is freed. */
  private async next(
    rows: readonly (readonly number[])[],
    past: OnnxPast | null,
    { signal, breathe = turn }: TokenRequest,
    written: number,
  ): Promise<Step> {
    try {
      if (this.#calls++ % CALLS_A_TURN === 0) await breathe(written);
      if (signal?.aborted) throw new StoppedError();
      return await this.decoder.run(rows, past);
    } finally {
      if (past) freePast(past);
    }
  }

  private async decode(
    start: Step,
    part: readonly number[],
    request: TokenRequest,
    before: { tokens: number; sequences: number },
  ): Promise<Generated[]> {
    const { sequences, maxNew, temperature, onProgress, endTokens = this.endTokens } = request;
    const { vocab } = this.config;
    const count = part.length;
    const keys = Uint32Array.from(part.flatMap((i) => [...sequences[i].key]));
    const tokens = new Uint32Array(count * maxNew);
    const logps = new Float32Array(count * maxNew);
    const done = new Uint32Array(count);
    const lengths = new Uint32Array(count);
    let live = part.map((_, slot) => slot);
    let past = await this.decoder.takeRows(
      start.past,
      live.map(() => 0),
    );
    let logits: Float32Array = new Float32Array(count * vocab);
    for (const slot of live) logits.set(start.logits, slot * vocab);
    let written = 0;
    for (let t = 0; t < maxNew; t++) {
      const rows = live.length;
      const next = new Uint32Array(rows);
      const settings = { rows, vocab, t, maxNew, temperature, endA: NONE, endB: NONE, padToken: 0, ends: 0, endsAt: 0 };
      sample([logits, Uint32Array.from(live), keys, done, tokens, logps, next, new Uint32Array(rows)], settings);
      written += rows;
      const goesOn: number[] = [];
      live.forEach((slot, row) => {
        lengths[slot] = t + 1;
        if (endTokens.includes(next[row])) done[slot] = 1;
        else goesOn.push(row);
      });
      if (goesOn.length < rows)
        onProgress?.(before.tokens + written, sequences.length - before.sequences - count + goesOn.length);
      if (goesOn.length === 0 || t + 1 === maxNew) break;
      if (goesOn.length < rows) {
        const all = past;
        past = await this.decoder.takeRows(all, goesOn);
        freePast(all);
        live = goesOn.map((row) => live[row]);
      }
      const sampled = goesOn.map((row) => [next[row]]);
      ({ past, logits } = await this.next(sampled, past, request, before.tokens + written));
    }
    freePast(past);
    return part.map((_, slot) => {
      const [from, to] = [slot * maxNew, slot * maxNew + lengths[slot]];
      return { tokens: [...tokens.subarray(from, to)], logprobs: logps.slice(from, to), ended: done[slot] === 1 };
    });
  }
}

type Step = Awaited<ReturnType<OnnxDecoder['run']>>;

async function readRequired(source: FileSource, path: string) {
  const found = await source.read(path);
  if (found) return found;
  throw new FormatError(
    `${source.label} has no ${path}.`,
    'Name a folder with config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx.',
  );
}
