import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { adapterLayout, adapterOf, layoutOf } from './adapter-layout.ts';
import { CONFIG_LIMITS, configToJson, parseConfig } from './config.ts';
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

  it.each(Object.entries(CONFIG_LIMITS))('may say up to so many %s, and no more', (key, most) => {
    const fitting = { num_attention_heads: 1, num_key_value_heads: 1, head_dim: 4 };
    const heads = key === 'num_key_value_heads' ? { num_attention_heads: most } : {};
    expect(() => parseConfig(json({ ...fitting, ...heads, [key]: most }))).not.toThrow();
    expect(() => parseConfig(json({ ...fitting, [key]: most + 1 }))).toThrow(
      `"${key}" is ${most + 1}, more than the ${most} that are read`,
    );
  });

  it('names what it found in a few words, however long it is', () => {
    const long = 'x'.repeat(100_000);
    for (const value of [[long], { a: long }, long])
      for (const key of ['hidden_size', 'hidden_act', 'layer_types', 'model_type', 'rope_scaling', 'rope_theta'])
        try {
          parseConfig(json({ [key]: key === 'layer_types' ? [value] : value }));
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
          expect((error as FormatError).message.length).toBeLessThan(400);
        }
  });

  it('leaves what is no count its fractions, and refuses a head size that does not come out whole', () => {
    expect(parseConfig(json({ rope_theta: 10000.5, rms_norm_eps: 1e-5 }))).toMatchObject({ ropeTheta: 10000.5 });
    const { head_dim: _, ...rest } = json({ hidden_size: 22 }) as Record<string, unknown>;
    expect(() => parseConfig(rest)).toThrow('"head_dim" is 5.5');
  });

  it.each([
    ['mistral', ['MistralForCausalLM'], 'model_type "mistral" (MistralForCausalLM)'],
    ['qwen3_moe', undefined, 'model_type "qwen3_moe"'],
    ['toString', undefined, 'model_type "toString"'],
    [undefined, ['GPT2LMHeadModel'], 'model_type undefined (GPT2LMHeadModel)'],
  ])('of another architecture (%s) is refused at once, saying what is supported', (model_type, architectures, says) => {
    let error: unknown;
    try {
      parseConfig({ model_type, architectures });
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(FormatError);
    expect((error as FormatError).message).toContain(says);
    expect((error as FormatError).remedy).toBe('Use a dense model of one of: qwen3, qwen2, llama.');
  });

  it.each([
    { hidden_act: 'gelu' },
    { use_sliding_window: true, sliding_window: 4096 },
    { layer_types: ['full_attention', 'sliding_attention'] },
    { attention_bias: true },
    { mlp_bias: true },
    { partial_rotary_factor: 0.5 },
    { attn_logit_softcapping: 50 },
    { attention_multiplier: 0.5 },
    { dual_chunk_attention_config: { chunk_size: 262144 } },
    { num_experts: 8 },
    { quantization_config: { quant_method: 'gptq' } },
  ])('with %j is refused: it would be computed otherwise than it was trained', (changes) => {
    const [key, value] = Object.entries(changes)[0];
    expect(() => parseConfig(json(changes))).toThrow(FormatError);
    expect(() => parseConfig(json(changes))).toThrow(Array.isArray(value) ? 'sliding_attention' : key);
  });

  it('may name what changes nothing', () => {
    const neutral = {
      use_sliding_window: false,
      sliding_window: 131072,
      max_window_layers: 28,
      layer_types: ['full_attention', 'full_attention'],
      attention_bias: false,
      mlp_bias: false,
      partial_rotary_factor: 1,
      quantization_config: null,
      attention_dropout: 0,
      use_cache: true,
    };
    expect(parseConfig(json(neutral))).toEqual(SMALL.qwen3);
    // A llama has no switch for its window: with one it is a Mistral.
    const windowed = { ...configToJson(SMALL.llama), sliding_window: 4096 };
    expect(() => parseConfig(windowed)).toThrow('sliding_window 4096');
  });
});

describe('a layout', () => {
  it('can be laid for another adapter of the same model, and says which one it is', () => {
    const lora = { adapter: 'lora', loraRank: 7 } as const;
    const [svd, low] = [adapterLayout(SMALL.qwen2), adapterLayout(SMALL.qwen2, lora)];
    expect(layoutOf(svd, lora)).toEqual(low);
    expect(layoutOf(low, adapterOf(svd))).toEqual(svd);
    expect(adapterOf(svd)).toEqual({ adapter: 'svd', loraRank: 0 });
    expect(adapterOf(low)).toEqual(lora);
    // A rank beyond every Linear's own is the same as the largest of them.
    const high = adapterLayout(SMALL.qwen2, { adapter: 'lora', loraRank: 999 });
    expect(layoutOf(svd, adapterOf(high))).toEqual(high);
  });
});
