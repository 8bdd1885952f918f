// `--storage`: an explicit choice is taken, `auto` takes one that fits, and where nothing fits the error has the numbers.

import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { expect, it } from 'vitest';
import { memoryNeed } from '../../engine/memory/memory.ts';
import { SMALL } from '../../engine/testing/models.ts';
import { bytesText } from '../../lib/numbers.ts';
import { chooseStorage } from './storage-choice.ts';

const config = { ...SMALL.qwen3, vocab: 50_000 };
const work = {
  rollouts: [{ prompts: 1, sequences: 1, promptTokens: 8, maxNew: 8 }],
  scores: [],
  adapter: 'none',
} as const;
const device = (bytes: number) => ({ kind: 'cpu' as const, limits: { maxTotalBytes: bytes, maxBindingBytes: bytes } });
const needs = (storage: 'f32' | 'f16' | 'q8') => memoryNeed(config, { ...work, kind: 'cpu', storage }).total;

it('takes the first that fits, or what it is told to', () => {
  expect(chooseStorage('auto', config, work, device(2 ** 32))).toMatchObject({
    storage: 'f32',
    line: expect.stringMatching(/^Memory: f32: \d/),
  });
  expect(chooseStorage('auto', config, work, device(needs('f32') - 1)).storage).toBe(
    needs('f16') < needs('f32') ? 'f16' : 'q8t16',
  );
  expect(chooseStorage('q8', config, work, device(2 ** 32))).toEqual({
    storage: 'q8',
    form: 'folded',
    line: `Memory: q8, ${bytesText(needs('q8'))} planned.`,
  });
});

it('takes 4 bits where nothing wider fits, and says what they were measured to change', () => {
  const { storage, line } = chooseStorage('auto', config, work, device(needs('q8') - 1));
  expect(storage).toBe('q4g32');
  expect(line).toMatch(
    /^Memory: q4g32: .*q8g32 would need .*\. What q4g32 was measured to change .*minimind2-small \d+ %/,
  );
});

it('computes a LoRA beside the weights where its folded copy does not fit, or where it is told to', () => {
  const lora = { ...work, adapter: { adapter: 'lora', loraRank: 2 } } as const;
  const need = (form: 'folded' | 'unfolded') => memoryNeed(config, { ...lora, kind: 'cpu', form }).total;
  expect(chooseStorage('auto', config, lora, device(need('folded')))).toMatchObject({ storage: 'f32', form: 'folded' });
  const { form, line } = chooseStorage('auto', config, lora, device(need('folded') - 1));
  expect(form).toBe('unfolded');
  expect(line).toMatch(/^Memory: f32, the adapter not folded: .*; folded it would need /);
  expect(chooseStorage('f32', config, lora, device(need('folded') - 1)).form).toBe('unfolded');
  expect(chooseStorage('auto', config, lora, device(2 ** 32), 'unfolded').form).toBe('unfolded');
});

it('refuses what fits in no way, with a remedy', () => {
  const error = (() => {
    try {
      return chooseStorage('auto', config, work, device(1e6));
    } catch (reason) {
      return reason;
    }
  })();
  expect(error).toBeInstanceOf(DeviceError);
  expect((error as DeviceError).message).toMatch(
    /does not fit: f32 would need .* MB, f16 .*, q8t16 .*, q8g32 .*, q4g32 .*; the device/,
  );
  expect((error as DeviceError).remedy).toMatch(/smaller model|shorter completions/);
});
