// Compares trained third-party weights with a float64 reference's continuation and logits, on both devices (../shared/models beside the
// repository; skipped if it is missing).
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../engine/decoder/engine.ts';
import { bothDevices } from '../engine/testing/devices.ts';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { svd } from '../kernels/svd.ts';
import { renderChat } from '../text/chat.ts';
import { chatTemplateOf } from '../text/chat-template.ts';
import { loadCodec } from '../text/codec.ts';
import { loadModelFiles } from './model-files.ts';
import { diskSource } from './sources.node.ts';

interface Golden {
  prompt_ids: number[];
  /** Token ids without the end token. */
  greedy_ids: number[];
  /** The five most likely first new tokens. */
  next_top5: [id: number, logit: number][];
}
const END = 2;
const MINUTES = 60_000;
const ROOT = resolve('..', 'shared', 'models');
const MISSING = '../shared/models is missing';

const { devices, why } = await bothDevices();

describe.each([
  { name: 'stories260K', ask: null, text: '', begins: 'Once upon a time, there was a little girl named Lily.' },
  {
    name: 'minimind2-small',
    ask: 'What is the capital of France?',
    text: null,
    begins: 'The capital of France is Paris.',
  },
])('$name', ({ name, ask, text, begins }) => {
  const folder = resolve(ROOT, name);
  const isThere = existsSync(folder);
  const golden = (): Golden => JSON.parse(readFileSync(resolve(folder, 'golden.json'), 'utf8'));

  for (const kind of ['cpu', 'webgpu']) {
    it(
      `says on ${kind} what the reference says`,
      async ({ skip }) => {
        if (!isThere) return skip(MISSING);
        const device = devices.get(kind);
        if (!device) return skip(`no WebGPU adapter here: ${why}`);
        const before = device.memory().allocated;
        const { config, weights } = await loadModelFiles(diskSource(folder));
        const engine = await Engine.create({ device, config, weights, adapter: 'none' });
        const { prompt_ids: prompt, greedy_ids, next_top5 } = golden();
        const logits = (await engine.logits(prompt)).subarray((prompt.length - 1) * config.vocab);
        const ranked = [...logits.keys()].sort((a, b) => logits[b] - logits[a]).slice(0, 5);
        expect(ranked).toEqual(next_top5.map(([id]) => id));
        for (const [id, logit] of next_top5) expect(Math.abs(logits[id] - logit), `token ${id}`).toBeLessThan(1e-2);
        const [said] = await engine.generate({
          prompts: [prompt],
          sequences: [{ prompt: 0, key: [0, 0] }],
          maxNew: greedy_ids.length + 1,
          temperature: 0,
          endTokens: [END],
        });
        expect(said.tokens.slice(0, greedy_ids.length)).toEqual(greedy_ids);
        // The chat answer ends with an end token; the plain continuation does not.
        expect(said.ended).toBe(ask !== null);
        engine.free();
        expect(device.memory().allocated).toBe(before);
      },
      5 * MINUTES,
    );
  }

  it.skipIf(!isThere)(
    `turns the reference’s text into its ids, and its answer into text (skipped: ${MISSING})`,
    async () => {
      const [json, config] = ['tokenizer.json', 'tokenizer_config.json'].map((file) =>
        JSON.parse(readFileSync(resolve(folder, file), 'utf8')),
      );
      const codec = await loadCodec(json, config);
      const { prompt_ids, greedy_ids } = golden();
      if (text !== null) expect(codec.encodePrompt(text)).toEqual(prompt_ids);
      if (ask !== null) {
        const chat = renderChat([{ role: 'user', content: ask }], chatTemplateOf(config, null)!, config, name);
        expect(codec.encode(chat)).toEqual(prompt_ids);
      }
      expect(codec.decode(greedy_ids).trim().startsWith(begins)).toBe(true);
      expect(codec.endTokens[0]).toBe(END);
    },
  );
});

it.skipIf(!existsSync(resolve(ROOT, 'minimind2-small')))(
  `trained weights have singular values near rounding, and are still given back (skipped: ${MISSING})`,
  async () => {
    const { weights } = await loadModelFiles(diskSource(resolve(ROOT, 'minimind2-small')));
    const { shape, data } = await weights.read('model.layers.4.self_attn.q_proj.weight');
    const [dOut, dIn] = shape;
    const { U, S, Vh } = await svd(await createCpuDevice(), data, dOut, dIn);
    // The expected value is from numpy in float64; the smallest singular value is 5.5e-5 of it.
    expect(Math.abs(S[0] - 5.396316480556771)).toBeLessThan(1e-5 * S[0]);
    expect(Math.abs(S[dIn - 1] - 0.00029719)).toBeLessThan(1e-5);
    let [error, whole] = [0, 0];
    for (let i = 0; i < dOut; i++) {
      const row = Float64Array.from(data.subarray(i * dIn, (i + 1) * dIn));
      whole += row.reduce((sum, x) => sum + x * x, 0);
      for (let k = 0; k < S.length; k++) {
        const factor = U[i * S.length + k] * S[k];
        for (let j = 0; j < dIn; j++) row[j] -= factor * Vh[k * dIn + j];
      }
      error += row.reduce((sum, x) => sum + x * x, 0);
    }
    expect(Math.sqrt(error / whole)).toBeLessThan(1e-5);
  },
  2 * MINUTES,
);
