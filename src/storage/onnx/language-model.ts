// A `LanguageModel` that onnxruntime-web runs: a teacher or a judge that another tool exported. It samples as the engine does (the
// `sample` kernel's twin, the same keys and counters), so that both say the same where their logits agree.
import { parseConfig } from '../../engine/config.ts';
import type { Generated, GenerateRequest, LanguageModel, ModelConfig } from '../../engine/types.ts';
import { sample } from '../../kernels/cpu/head.ts';
import { FormatError, ShapeError, StoppedError } from '../../lib/errors.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { loadCodec } from '../../text/codec.ts';
import { generationDefaults } from '../../text/generation.ts';
import type { PromptCodec } from '../../text/types.ts';
import type { FileSource } from '../sources.ts';
import { OnnxDecoder, takeRows } from './session.ts';

/** Prompt tokens of one call: every one of them has a row of logits, [tokens, vocab]. */
const PREFILL = 128;
/** Sequences of one prompt that are decoded together. */
const BATCH = 32;
/** No token: ends are looked for here, since a model may have more than the kernel's two. */
const NONE = 0xffffffff;

type TokenRequest = Omit<GenerateRequest, 'endTokens'> & { endTokens?: readonly number[] };

export class OnnxLanguageModel implements LanguageModel {
  /** `endTokens`: what ends an answer, however many. */
  constructor(
    readonly id: string,
    private readonly decoder: OnnxDecoder,
    readonly codec: PromptCodec,
    readonly endTokens: readonly number[],
  ) {}

  get config(): ModelConfig {
    return this.decoder.config;
  }

  /**
   * A folder as `export --format onnx` and onnx-community lay it out: config.json, the tokenizer, `file` (onnx/model.onnx) and its
   * `<file>_data`, if any. Throws FormatError, naming what is missing or wrong.
   */
  static async open(source: FileSource, file = 'onnx/model.onnx'): Promise<OnnxLanguageModel> {
    const json = async (path: string, isNeeded: boolean): Promise<unknown> => {
      const found = isNeeded ? await need(source, path) : await source.read(path);
      if (!found) return null;
      try {
        return JSON.parse(await found.text());
      } catch (cause) {
        throw new FormatError(`${source.label}: ${path} is not JSON.`, 'Take the file again.', { cause });
      }
    };
    const rawConfig = await json('config.json', true);
    const config = parseConfig(rawConfig);
    const tokenizer = await json('tokenizer.json', true);
    const codec = loadCodec(tokenizer as object, (await json('tokenizer_config.json', true)) as object);
    const generation = await json('generation_config.json', false);
    const { endTokens } = generationDefaults(generation, rawConfig, codec.endTokens);
    const model = new Uint8Array(await (await need(source, file)).arrayBuffer());
    const beside = await source.read(`${file}_data`);
    const path = `${file.split('/').at(-1)}_data`;
    const external = beside ? [{ path, data: new Uint8Array(await beside.arrayBuffer()) }] : [];
    return new OnnxLanguageModel(source.label, await OnnxDecoder.open(model, config, external), codec, endTokens);
  }

  /** Answers to plain prompts (a chat's markup included), without the token that ended them; prompt i is keyed by (seed, i). */
  async generate(
    prompts: readonly string[],
    options: { maxNew: number; temperature: number; seed: number; signal?: AbortSignal },
  ): Promise<readonly string[]> {
    const { maxNew, temperature, seed, signal } = options;
    const answers = await this.generateTokens({
      prompts: prompts.map((prompt) => this.codec.encodePrompt(prompt)),
      sequences: prompts.map((_, prompt) => ({ prompt, key: keyFor(seed, STREAMS.evaluation, prompt, 0) })),
      ...{ maxNew, temperature, signal },
      // The runtime answers within one turn of the event loop: without this, no abort would be heard.
      breathe: () => new Promise((resolve) => setTimeout(resolve, 0)),
    });
    return answers.map(({ tokens, ended }) => this.codec.decode(ended ? tokens.slice(0, -1) : tokens));
  }

  /** As `Policy.generate`. Throws ShapeError where prompt and answer do not fit, StoppedError when it is aborted. */
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
      const start = await this.prefill(prompts[prompt], request);
      for (let from = 0; from < mine.length; from += BATCH) {
        const part = mine.slice(from, from + BATCH);
        const answers = await this.decode(start, part, request, before);
        part.forEach((i, row) => {
          results[i] = answers[row];
        });
        const written = answers.reduce((sum, { tokens }) => sum + tokens.length, before.tokens);
        before = { tokens: written, sequences: before.sequences + part.length };
      }
    }
    return results;
  }

  async free(): Promise<void> {
    await this.decoder.free();
  }

  /** Alone, whatever else is asked: what a sequence says does not depend on other prompts. */
  private async prefill(prompt: readonly number[], { signal, breathe }: TokenRequest): Promise<Step> {
    let step: Step | null = null;
    for (let from = 0; from < prompt.length; from += PREFILL) {
      await breathe?.(0);
      if (signal?.aborted) throw new StoppedError();
      step = await this.decoder.run([prompt.slice(from, from + PREFILL)], step?.past ?? null);
    }
    return step!;
  }

  private async decode(
    start: Step,
    part: readonly number[],
    { sequences, maxNew, temperature, signal, breathe, onProgress, endTokens = this.endTokens }: TokenRequest,
    before: { tokens: number; sequences: number },
  ): Promise<Generated[]> {
    const { vocab } = this.config;
    const count = part.length;
    const keys = Uint32Array.from(part.flatMap((i) => [...sequences[i].key]));
    const tokens = new Uint32Array(count * maxNew);
    const logps = new Float32Array(count * maxNew);
    const done = new Uint32Array(count);
    const lengths = new Uint32Array(count);
    let live = part.map((_, slot) => slot);
    let past = takeRows(
      start.past,
      live.map(() => 0),
    );
    let logits: Float32Array = new Float32Array(count * vocab);
    for (const slot of live) logits.set(start.logits, slot * vocab);
    let written = 0;
    for (let t = 0; t < maxNew; t++) {
      const rows = live.length;
      const next = new Uint32Array(rows);
      const settings = { rows, vocab, t, maxNew, temperature, endA: NONE, endB: NONE, padToken: 0 };
      sample([logits, Uint32Array.from(live), keys, done, tokens, logps, next], settings);
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
      await breathe?.(before.tokens + written);
      if (signal?.aborted) throw new StoppedError();
      if (goesOn.length < rows) {
        past = takeRows(past, goesOn);
        live = goesOn.map((row) => live[row]);
      }
      const step = await this.decoder.run(
        goesOn.map((row) => [next[row]]),
        past,
      );
      ({ past, logits } = step);
    }
    return part.map((_, slot) => {
      const [from, to] = [slot * maxNew, slot * maxNew + lengths[slot]];
      return { tokens: [...tokens.subarray(from, to)], logprobs: logps.slice(from, to), ended: done[slot] === 1 };
    });
  }
}

type Step = Awaited<ReturnType<OnnxDecoder['run']>>;

async function need(source: FileSource, path: string) {
  const found = await source.read(path);
  if (found) return found;
  throw new FormatError(
    `${source.label} has no ${path}.`,
    'Name a folder with config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx.',
  );
}
