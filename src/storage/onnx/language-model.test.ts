// Compares the ONNX model with the engine on the same weights: the same keys give the same tokens. Also tests its refusals.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FormatError, ShapeError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configToJson } from '../../engine/config.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import { randomWeights, SMALL } from '../../engine/testing/models.ts';
import type { GenerateRequest, ModelConfig } from '../../engine/types.ts';
import { readAll } from '../../engine/weights/reader.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { joinParts } from '../../lib/streams.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { json } from '../model-export.ts';
import { loadModelFiles } from '../model-files.ts';
import { diskSource } from '../sources.node.ts';
import { type FileLike, memorySource } from '../sources.ts';
import { decoderOnnx } from './decoder.ts';
import { OnnxLanguageModel } from './language-model.ts';
import { OnnxDecoder } from './session.ts';

const TINY_CODER = fileURLToPath(new URL('../../../public/models/tiny-coder', import.meta.url));
const PROMPT = 'def f(x):';
const END = 511;

let engine: Engine;
let folder: Map<string, FileLike>;
let model: OnnxLanguageModel;
beforeAll(async () => {
  const { config, weights: reader } = await loadModelFiles(diskSource(TINY_CODER));
  const weights = await readAll(reader);
  engine = await Engine.create({ device: await createCpuDevice(), config, weights, adapter: 'none' });
  const copied = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];
  folder = new Map(copied.map((path): [string, FileLike] => [path, new Blob([readFileSync(join(TINY_CODER, path))])]));
  folder.set('onnx/model.onnx', new Blob([joinParts(decoderOnnx(config, weights).model)]));
  model = await OnnxLanguageModel.open(memorySource(folder, 'a teacher'));
});
afterAll(async () => {
  await model.free();
  engine.free();
  engine.device.destroy();
});

describe('an ONNX language model', () => {
  it.each([0, 1])('has the engine’s tokens at temperature %d', async (temperature) => {
    const [newline] = model.codec.encode('\n');
    const request: GenerateRequest = {
      // The second prompt is longer than one part of the prefill.
      prompts: [model.codec.encodePrompt(PROMPT), Array.from({ length: 150 }, (_, i) => (i * 31 + 7) % 500)],
      sequences: [0, 1, 0, 0, 1, 0, 0, 0].map((prompt, i) => ({ prompt, key: keyFor(5, STREAMS.test, i) })),
      maxNew: 40,
      temperature,
      endTokens: [END, newline],
    };
    const [said, expected] = [await model.generateTokens(request), await engine.generate(request)];
    said.forEach((one, i) => {
      expect(one.tokens).toEqual(expected[i].tokens);
      expect(one.ended).toBe(expected[i].ended);
      one.logprobs.forEach((logprob, t) => {
        expect(Math.abs(logprob - expected[i].logprobs[t])).toBeLessThan(1e-3);
      });
    });
    // A sequence must leave the batch before a later one does.
    const lengths = said.filter((_, i) => request.sequences[i].prompt === 0).map(({ tokens }) => tokens.length);
    if (temperature > 0) expect(lengths.some((length, i) => length < Math.max(...lengths.slice(i)))).toBe(true);
  });

  it('answers prompts with texts, the same for the same seed in any batch', async () => {
    const options = { maxNew: 24, temperature: 1, seed: 3 };
    const [first, second] = await model.generate([PROMPT, 'import'], options);
    expect(await model.generate([PROMPT], options)).toEqual([first]);
    const [other] = await model.generate([PROMPT], { ...options, seed: 4 });
    expect(other).not.toBe(first);
    expect(second).not.toBe(first);
    const [generated] = await engine.generate({
      prompts: [model.codec.encodePrompt(PROMPT)],
      sequences: [{ prompt: 0, key: keyFor(3, STREAMS.evaluation, 0, 0) }],
      maxNew: 24,
      temperature: 1,
      endTokens: model.codec.endTokens,
    });
    const { tokens, ended } = generated;
    expect(first).toBe(model.codec.decode(ended ? tokens.slice(0, -1) : tokens));
  });

  it('reports its progress, and can be stopped while it generates', async () => {
    const reports: [number, number][] = [];
    const prompts = [model.codec.encodePrompt(PROMPT)];
    const sequences = [0, 1, 2].map((i) => ({ prompt: 0, key: keyFor(8, STREAMS.test, i) }));
    const onProgress = (tokens: number, running: number) => void reports.push([tokens, running]);
    // The engine's kernel does not support this many end tokens.
    const endTokens = model.codec.endTokens.concat(Array.from({ length: 64 }, (_, i) => 8 * i));
    const request = { prompts, sequences, maxNew: 400, temperature: 1, endTokens, onProgress };
    const answers = await model.generateTokens(request);
    expect(answers.every(({ ended }) => ended)).toBe(true);
    expect(reports.at(-1)).toEqual([answers.reduce((sum, { tokens }) => sum + tokens.length, 0), 0]);
    const stop = new AbortController();
    const work = model.generate([PROMPT], { maxNew: 480, temperature: 4, seed: 0, signal: stop.signal });
    setTimeout(() => stop.abort(), 0);
    await expect(work).rejects.toThrow(StoppedError);
  });

  it('refuses what does not fit, with the reason', async () => {
    const options = { maxNew: 9999, temperature: 0, seed: 0 };
    await expect(model.generate([PROMPT], options)).rejects.toThrow(ShapeError);
    await expect(model.generate([''], { ...options, maxNew: 4 })).rejects.toThrow(/missing or empty/);

    const open = (without: string, changed: Record<string, Uint8Array<ArrayBuffer>> = {}) => {
      const files = new Map([...folder].filter(([path]) => path !== without));
      for (const [path, bytes] of Object.entries(changed)) files.set(path, new Blob([bytes]));
      return OnnxLanguageModel.open(memorySource(files, 'a teacher'));
    };
    for (const path of folder.keys()) await expect(open(path)).rejects.toThrow(`a teacher has no ${path}`);
    await expect(open('', { 'onnx/model.onnx': new Uint8Array(40) })).rejects.toThrow(FormatError);
    const strange = open('', { 'added_tokens.json': json({ '<new>': 512 }) });
    await expect(strange).rejects.toThrow(/added_tokens\.json names "<new>"/);
    const withConfig = (config: ModelConfig) => open('', { 'config.json': json(configToJson(config)) });
    const { config } = model;
    await expect(withConfig({ ...config, layers: 5 })).rejects.toThrow(/no input past_key_values\.4\.key/);
    await expect(withConfig({ ...config, layers: 3 })).rejects.toThrow(/asks for past_key_values\.3\.key/);
    await expect(withConfig({ ...config, kvHeads: 1 })).rejects.toThrow(/implies 1 on axis 1/);
    await expect(withConfig({ ...config, vocab: 600 })).rejects.toThrow(/logits of shape .* implies 600 on axis 2/);
  });

  it('reads its folder’s texts like those of a safetensors folder, with notes on what is left out', async () => {
    const open = (changed: Record<string, unknown>) => {
      const files = new Map(folder);
      for (const [path, value] of Object.entries(changed)) files.set(path, new Blob([json(value)]));
      return OnnxLanguageModel.openWithWords(memorySource(files, 'a teacher'));
    };
    const read = async (path: string) => JSON.parse(await await folder.get(path)!.text());
    const config = await read('config.json');
    const tokenizerConfig = await read('tokenizer_config.json');
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ 'adapter_config.json': {} }, /an adapter lies beside the weights/],
      [{ 'config.json': { ...config, mystery: 1 } }, /mystery/],
    ];
    for (const [changed, note] of cases) {
      const { model, notes } = await open(changed);
      expect(notes).toEqual([expect.stringMatching(note)]);
      await model.free();
    }
    await expect(open({ 'added_tokens.json': { '<|lost|>': 512 } })).rejects.toThrow(
      /added_tokens\.json names "<\|lost\|>"/,
    );
    const { added_tokens_decoder: _, ...older } = tokenizerConfig;
    // With only added_tokens.json, the folder has one more token than the model has rows.
    await expect(open({ 'tokenizer_config.json': older, 'added_tokens.json': { '<|new|>': 512 } })).rejects.toThrow(
      /513 tokens, the model only 512/,
    );
    const sums = { 'tokenizer_config.json': { sha256: '0'.repeat(64) } };
    await expect(open({ 'manifest.json': { files: sums } })).rejects.toThrow(/tokenizer_config\.json is damaged/);
  });

  it.for(['stories260K', 'minimind2-small'])('of %s gives the reference’s answer', async (name, { skip }) => {
    const folder = resolve('..', 'shared', 'models', name);
    if (!existsSync(folder)) return skip('../shared/models is missing');
    const { config, weights } = await loadModelFiles(diskSource(folder));
    const { prompt_ids, greedy_ids } = JSON.parse(readFileSync(join(folder, 'golden.json'), 'utf8'));
    const decoder = await OnnxDecoder.open(joinParts(decoderOnnx(config, await readAll(weights)).model), config);
    const said = new OnnxLanguageModel(name, decoder, model.codec, [2]);
    const [{ tokens }] = await said.generateTokens({
      prompts: [prompt_ids],
      sequences: [{ prompt: 0, key: [0, 0] }],
      maxNew: greedy_ids.length,
      temperature: 0,
    });
    expect(tokens).toEqual(greedy_ids);
    await said.free();
  });

  it('opens weights in a separate file', async () => {
    const config = SMALL.llama;
    const file = decoderOnnx(config, randomWeights(config, 2), { externalFile: 'model.onnx_data' });
    const external = [{ path: 'model.onnx_data', data: joinParts(file.external) }];
    const decoder = await OnnxDecoder.open(joinParts(file.model), config, { external });
    const { logits, past } = await decoder.run([[1, 2, 3]], null);
    expect(logits).toHaveLength(config.vocab);
    expect(past).toMatchObject({ rows: 1, length: 3 });
    await decoder.free();
    await expect(OnnxDecoder.open(joinParts(file.model), config)).rejects.toThrow(FormatError);
  });
});
