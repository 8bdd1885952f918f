// Measures the effect of widening the small model's ONNX file: its weights in 16-bit floats against the bytes of the file, and the lab
// engine's outputs with them against onnxruntime's with the file, whose activations are rounded to 8 bits at every Linear.

import { Engine } from '../../engine/decoder/engine.ts';
import type { GenerateRequest, Weights } from '../../engine/types.ts';
import { readAll } from '../../engine/weights/reader.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { errorShare } from '../../lib/numbers.ts';
import type { ModelFiles } from '../../storage/model-files.ts';
import { dequantise } from '../../storage/onnx/dequantise.ts';
import { OnnxLanguageModel } from '../../storage/onnx/language-model.ts';
import { OnnxDecoder } from '../../storage/onnx/session.ts';
import { promptOf, turnOf } from '../../text/chatml.ts';
import type { PromptCodec } from '../../text/codec.ts';

/** Questions in the two languages that the model knows. */
export const QUESTIONS: readonly string[] = [
  ...['介绍一下北京。', '你好', '什么是人工智能？', '1+1等于几？', '请写一句关于春天的话。', '鲁迅是谁？'],
  ...[
    '如何学习编程？',
    '推荐一本书。',
    '水的沸点是多少？',
    '请用一句话介绍大海。',
    '天空为什么是蓝色的？',
    '写一首短诗。',
  ],
  ...['中国的首都在哪里？', '什么是机器学习？', '怎样保持健康？', '猫和狗有什么不同？', 'Name three colors.'],
  ...['What is the capital of France?', 'Tell me a joke.', 'How are you?'],
];
const MAX_NEW = 24;

interface SmallMetrics {
  /** Relative L2 of all weights in 16-bit floats, from the file's bytes times their scales. */
  weights: number;
  /** The same for a rounding to the file's grids: half a step at random, as a share of the weights (its 8 bits' own error). */
  grid: number;
  /** Greedy tokens of onnxruntime that are also the engine's likeliest, after the same tokens; answers that are equal to the last token. */
  tokens: number;
  equal: number;
  answers: number;
  equalAnswers: number;
  /** Relative L2 of the engine's logits from onnxruntime's, at the first token of each answer. */
  logits: number;
}

export function requestOf(codec: PromptCodec, questions: readonly string[] = QUESTIONS): GenerateRequest {
  const prompts = questions.map((question) =>
    codec.encodePrompt(turnOf('system', 'You are a helpful assistant') + promptOf(question)),
  );
  const sequences = prompts.map((_, prompt): GenerateRequest['sequences'][number] => ({ prompt, key: [0, prompt] }));
  return { prompts, sequences, maxNew: MAX_NEW, temperature: 0, endTokens: codec.endTokens };
}

/** `files` is the folder that was made from `onnx`. */
export async function smallMetrics(
  files: ModelFiles,
  onnx: Uint8Array,
  codec: PromptCodec,
  { questions = QUESTIONS, signal }: { questions?: readonly string[]; signal?: AbortSignal } = {},
): Promise<SmallMetrics> {
  const { config } = files;
  const weights = await readAll(files.weights);
  const decoder = await OnnxDecoder.open(onnx, config);
  // One token at a time: with rounded activations a row depends on the others of its call.
  const runtime = new OnnxLanguageModel('the ONNX file', decoder, codec, codec.endTokens, { prefill: 1, batch: 1 });
  const device = await createCpuDevice();
  const engine = await Engine.create({ device, config, weights, adapter: 'none' });
  try {
    const request = { ...requestOf(codec, questions), signal };
    const generated = await runtime.generateTokens(request);
    const mine = await engine.generate(request);
    let [tokens, equal, equalAnswers, off, size] = [0, 0, 0, 0, 0];
    for (const [i, answer] of generated.entries()) {
      const prompt = request.prompts[i];
      if (answer.tokens.join() === mine[i].tokens.join()) equalAnswers++;
      const logits = await engine.logits([...prompt, ...answer.tokens]);
      const row = (at: number) => logits.subarray(at * config.vocab, (at + 1) * config.vocab);
      answer.tokens.forEach((token, t) => {
        const next = row(prompt.length - 1 + t);
        tokens++;
        if (next.every((logit) => logit <= next[token])) equal++;
      });
      const first = await lastLogits(decoder, prompt);
      row(prompt.length - 1).forEach((logit, k) => {
        off += (logit - first[k]) ** 2;
        size += first[k] ** 2;
      });
    }
    const logits = Math.sqrt(off / size);
    return { ...weightMetrics(weights, onnx, files), tokens, equal, answers: generated.length, equalAnswers, logits };
  } finally {
    engine.free();
    device.destroy();
    await runtime.free();
  }
}

async function lastLogits(decoder: OnnxDecoder, prompt: readonly number[]): Promise<Float32Array> {
  let step = await decoder.run([[prompt[0]]], null);
  for (const id of prompt.slice(1)) step = await decoder.run([[id]], step.past);
  return step.logits;
}

function weightMetrics(weights: Weights, onnx: Uint8Array, { config }: ModelFiles): { weights: number; grid: number } {
  let [off, size, grid] = [0, 0, 0];
  for (const [name, { data }] of dequantise(onnx, config)) {
    const held = weights.get(name)!.data;
    let least = Number.POSITIVE_INFINITY;
    data.forEach((exact, i) => {
      off += (held[i] - exact) ** 2;
      size += exact ** 2;
      // Steps are whole multiples of the scale: the smallest value beside 0 is one of them.
      if (exact !== 0) least = Math.min(least, Math.abs(exact));
    });
    if (weights.get(name)!.shape.length === 2) grid += (data.length * least ** 2) / 12;
  }
  return { weights: Math.sqrt(off / size), grid: Math.sqrt(grid / size) };
}

export function metricLines(figures: SmallMetrics): string[] {
  const { weights, grid, tokens, equal, answers, equalAnswers, logits } = figures;
  return [
    `Weights: 16-bit floats are off by ${errorShare(weights)} of the file’s values; the 8 bits of the file by about ${errorShare(grid)} of what was rounded.`,
    `Beside onnxruntime with the same file, which rounds activations to 8 bits as well: logits are off by ${errorShare(logits)},`,
    `${equal} of ${tokens} greedy tokens are the same after the same text, and ${equalAnswers} of ${answers} answers to the last token.`,
  ];
}
