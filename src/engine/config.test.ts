import { describe, expect, it } from 'vitest';
import { FormatError } from '../lib/errors.ts';
import { adapterOf, configToJson, knobLayout, layKnobs, parseConfig } from './config.ts';
import { SMALL } from './testing/models.ts';

const json = (changes: Record<string, unknown> = {}) => ({ ...configToJson(SMALL.qwen3), ...changes });

describe('config.json', () => {
  it.each(['qwen3', 'qwen2', 'llama'] as const)('of a %s is read back from what is written', (name) => {
    expect(parseConfig(configToJson(SMALL[name]))).toEqual(SMALL[name]);
  });

  it.each([
    'hidden_size',
    'num_hidden_layers',
    'num_attention_heads',
    'num_key_value_heads',
    'head_dim',
    'intermediate_size',
    'vocab_size',
    'max_position_embeddings',
  ])('must give a positive whole %s', (key) => {
    for (const value of [2.5, 0, -2, Number.NaN, Number.POSITIVE_INFINITY, '4', null]) {
      // Absent, some have a default: null counts as absent, as Hugging Face writes it.
      if (value === null && ['num_key_value_heads', 'head_dim', 'max_position_embeddings'].includes(key)) continue;
      expect(() => parseConfig(json({ [key]: value })), String(value)).toThrow(FormatError);
    }
    expect(() => parseConfig(json({ [key]: 2.5 }))).toThrow(`"${key}" is 2.5, a whole number was expected`);
  });

  it('leaves what is no count its fractions, and refuses a head size that does not come out whole', () => {
    expect(parseConfig(json({ rope_theta: 10000.5, rms_norm_eps: 1e-5 }))).toMatchObject({ ropeTheta: 10000.5 });
    const { head_dim: _, ...rest } = json({ hidden_size: 22 }) as Record<string, unknown>;
    expect(() => parseConfig(rest)).toThrow('"head_dim" is 5.5');
  });
});

describe('a layout', () => {
  it('can be laid for another adapter of the same model, and says which one it is', () => {
    const lora = { adapter: 'lora', loraRank: 7 } as const;
    const [svd, low] = [knobLayout(SMALL.qwen2), knobLayout(SMALL.qwen2, lora)];
    expect(layKnobs(svd.modules, lora)).toEqual(low);
    expect(layKnobs(low.modules)).toEqual(svd);
    expect(adapterOf(svd)).toEqual({ adapter: 'svd', loraRank: 0 });
    expect(adapterOf(low)).toEqual(lora);
    // A rank beyond every Linear's own is the same as the largest of them.
    const high = knobLayout(SMALL.qwen2, { adapter: 'lora', loraRank: 999 });
    expect(layKnobs(svd.modules, adapterOf(high))).toEqual(high);
  });
});
