import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { adapterLayout, adapterOf, layoutOf } from './adapter-layout.ts';
import { CONFIG_LIMITS, configToJson } from './config.ts';
import { CONFIG_FIELDS } from './config-fields.ts';
import { parseConfig, readConfig } from './config-reading.ts';
import { SMALL } from './testing/models.ts';

const json = (changes: Record<string, unknown> = {}) => ({ ...configToJson(SMALL.qwen3), ...changes });

describe('config.json', () => {
  it.each(['qwen3', 'qwen2', 'llama', 'qwen35'] as const)('of a %s survives a write and a read', (name) => {
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
      // null counts as absent, as Hugging Face writes it, and some fields have a default.
      if (value === null && ['num_key_value_heads', 'head_dim', 'max_position_embeddings'].includes(key)) continue;
      expect(() => parseConfig(json({ [key]: value })), String(value)).toThrow(FormatError);
    }
    expect(() => parseConfig(json({ [key]: 2.5 }))).toThrow(`"${key}" is 2.5, a whole number was expected`);
  });

  it.each(Object.entries(CONFIG_LIMITS))('accepts %s up to its limit of %i, and no more', (key, most) => {
    const fitting = { num_attention_heads: 1, num_key_value_heads: 1, head_dim: 4 };
    const heads = key === 'num_key_value_heads' ? { num_attention_heads: most } : {};
    const more = key === 'linear_num_key_heads' ? { linear_num_value_heads: most } : {};
    const isHybrid = key.startsWith('linear_') || key === 'full_attention_interval';
    const { layer_types: _, ...hybrid } = configToJson(SMALL.qwen35);
    const whole = (changes: Record<string, unknown>) =>
      isHybrid
        ? { ...hybrid, linear_num_key_heads: 1, ...more, ...changes }
        : json({ ...fitting, ...heads, ...changes });
    expect(() => parseConfig(whole({ [key]: most }))).not.toThrow();
    expect(() => parseConfig(whole({ [key]: most + 1 }))).toThrow(
      `"${key}" is ${most + 1}, more than the ${most} that are read`,
    );
  });

  it('quotes a refused value briefly, however long it is', () => {
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

  it('accepts fractions where no count is expected, and refuses a fractional head size', () => {
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
    expect((error as FormatError).remedy).toBe('Use a dense model of one of: qwen3, qwen2, llama, qwen3_5_text.');
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
  ])('with %j is refused, since the computation would differ from training', (changes) => {
    const [key, value] = Object.entries(changes)[0];
    expect(() => parseConfig(json(changes))).toThrow(FormatError);
    expect(() => parseConfig(json(changes))).toThrow(Array.isArray(value) ? 'sliding_attention' : key);
  });

  it('may have values that change nothing', () => {
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
    // A llama has no switch for a sliding window; one with a window is a Mistral.
    const windowed = { ...configToJson(SMALL.llama), sliding_window: 4096 };
    expect(() => parseConfig(windowed)).toThrow('sliding_window 4096');
  });
});

/** Fields that transformers 4.57 and 5 write for these architectures, from their configuration classes and PreTrainedConfig. */
const WRITTEN = [
  ...['architectures', 'attention_bias', 'attention_dropout', 'bos_token_id', 'dtype', 'eos_token_id', 'head_dim'],
  ...['hidden_act', 'hidden_size', 'initializer_range', 'intermediate_size', 'layer_types', 'max_position_embeddings'],
  ...['max_window_layers', 'mlp_bias', 'model_type', 'num_attention_heads', 'num_hidden_layers', 'num_key_value_heads'],
  ...[
    'pad_token_id',
    'pretraining_tp',
    'rms_norm_eps',
    'rope_parameters',
    'rope_scaling',
    'rope_theta',
    'sliding_window',
  ],
  ...['tie_word_embeddings', 'torch_dtype', 'transformers_version', 'use_cache', 'use_sliding_window', 'vocab_size'],
  ...['return_dict', 'output_hidden_states', 'torchscript', 'pruned_heads', 'chunk_size_feed_forward', 'id2label'],
  ...[
    'is_encoder_decoder',
    'is_decoder',
    'add_cross_attention',
    'label2id',
    'problem_type',
    'tokenizer_class',
    'prefix',
  ],
  ...['_name_or_path', '_attn_implementation_autoset', 'quantization_config', 'auto_map', 'task_specific_params'],
];

describe('the table of config fields', () => {
  it('has every field that transformers writes', () => {
    expect(WRITTEN.filter((name) => !Object.hasOwn(CONFIG_FIELDS, name))).toEqual([]);
  });

  it.each(Object.entries(CONFIG_FIELDS).filter(([, { effect, check }]) => effect === 'refused' && !check))(
    '%s is accepted at values that change nothing, and refused at others with field, value and remedy',
    (name, { plain = [], only, hybrid }) => {
      for (const architecture of ['qwen3', 'qwen2', 'llama', 'qwen35'] as const) {
        if (architecture === 'qwen35' && hybrid) continue;
        const whole = (value: unknown) => ({ ...configToJson(SMALL[architecture]), [name]: value });
        for (const value of [...plain, null]) expect(parseConfig(whole(value))).toEqual(SMALL[architecture]);
        if (only && !only.includes(SMALL[architecture].architecture)) {
          expect(parseConfig(whole('other'))).toEqual(SMALL[architecture]);
          continue;
        }
        for (const value of ['other', !plain[0], 0.5, { a: 1 }]) {
          if (plain.includes(value)) continue;
          expect(() => parseConfig(whole(value))).toThrow(
            `config.json: ${name} ${JSON.stringify(value)} is not supported: `,
          );
        }
      }
    },
  );

  it.each([
    [{ is_causal: false }, 'is_causal false'],
    [{ use_bidirectional_attention: true }, 'use_bidirectional_attention true'],
    [{ layer_types: ['full_attention'] }, 'layer_types of 1 entries for 2 layers'],
    [{ layer_types: [] }, 'layer_types of 0 entries'],
    [{ layer_types: 'full_attention' }, 'layer_types "full_attention", not a list'],
    [{ layer_types: ['full_attention', 'chunked_attention'] }, 'layer_types with "chunked_attention"'],
    [{ tie_word_embeddings: 'true' }, 'tie_word_embeddings is "true", not true or false'],
    [{ pruned_heads: { 0: [1] } }, 'pruned_heads'],
    [
      { rope_scaling: { rope_type: 'default', partial_rotary_factor: 0.5 } },
      'rope_scaling has partial_rotary_factor 0.5',
    ],
    [
      { rope_parameters: { rope_theta: 1, a: { partial_rotary_factor: 0.25 } } },
      'rope_parameters has partial_rotary_factor',
    ],
    // The object that is not used is checked too.
    [
      { rope_scaling: { rope_type: 'linear', factor: 2 }, rope_parameters: { partial_rotary_factor: 0.5 } },
      'rope_parameters has partial_rotary_factor 0.5',
    ],
    [{ rope_parameters: { rope_theta: -5 } }, '"rope_theta" is -5'],
    [{ rope_scaling: { rope_type: 'yarn', factor: 2, truncate: 'no' } }, 'truncate "no"'],
    [
      {
        rope_scaling: { type: 'yarn', factor: 2, original_max_position_embeddings: 8 },
        original_max_position_embeddings: 16,
      },
      'has original_max_position_embeddings 8, and config.json 16 beside it',
    ],
  ])('refuses %j by name', (changes, says) => {
    expect(() => parseConfig(json(changes))).toThrow(FormatError);
    expect(() => parseConfig(json(changes))).toThrow(says);
  });

  const { rope_theta: _, ...thetaless } = json();
  it.each<[Record<string, unknown>, number, unknown, RegExp | null]>([
    [{}, 10000, undefined, null],
    [{ rope_scaling: { rope_type: 'default', rope_theta: 1e6 } }, 1e6, undefined, null],
    [
      { rope_theta: 500, rope_parameters: { rope_theta: 1e6 } },
      1e6,
      undefined,
      /rope_theta is 500, and 1000000 within/,
    ],
    [{ rope_theta: 7, rope_parameters: { rope_theta: 7, rope_type: 'default' } }, 7, undefined, null],
    [
      { rope_scaling: {}, rope_parameters: { rope_type: 'linear', factor: 4, rope_theta: 9 } },
      9,
      { type: 'linear', factor: 4 },
      null,
    ],
    // rope_scaling is used, so the theta of rope_parameters is not.
    [
      { rope_scaling: { type: 'linear', factor: 2 }, rope_parameters: { rope_theta: 5 } },
      10000,
      { type: 'linear', factor: 2 },
      /rope_scaling .* is read.*rope_parameters .* is left out/,
    ],
    [
      { rope_scaling: { factor: 2, type: 'linear' }, rope_parameters: { type: 'linear', factor: 2 } },
      10000,
      { type: 'linear', factor: 2 },
      null,
    ],
    [
      { rope_scaling: { rope_type: 'linear', type: 'yarn', factor: 2 } },
      10000,
      { type: 'linear', factor: 2 },
      /rope_type is read/,
    ],
    [{ rope_scaling: { rope_type: 'default', factor: 8 } }, 10000, undefined, /does not read \["factor"\]/],
    [{ auto_map: { AutoModel: 'modeling_x.X' } }, 10000, undefined, /auto_map.*modeling_x.*not run/],
    [
      { architectures: ['LlamaBidirectionalModel'] },
      10000,
      undefined,
      /LlamaBidirectionalModel.*computed as Qwen3ForCausalLM/,
    ],
    [{ use_mystery: true, other: null }, 10000, undefined, /not known here and not followed: use_mystery true\.$/],
    [{ num_key_value_heads: 2, attention_dropout: 0.1 }, 10000, undefined, null],
  ])('reads %j as transformers 5 does, and notes what it ignores', (changes, theta, scaling, says) => {
    const { config, notes } = readConfig({ ...thetaless, ...changes });
    expect([config.ropeTheta, config.ropeScaling]).toEqual([theta, scaling]);
    if (says) expect(notes.join('\n')).toMatch(says);
    else expect(notes).toEqual([]);
  });
});

describe('a layout', () => {
  it('converts to another adapter of the same model, and identifies its adapter', () => {
    const lora = { adapter: 'lora', loraRank: 7 } as const;
    const [svd, low] = [adapterLayout(SMALL.qwen2), adapterLayout(SMALL.qwen2, lora)];
    expect(layoutOf(svd, lora)).toEqual(low);
    expect(layoutOf(low, adapterOf(svd))).toEqual(svd);
    expect(adapterOf(svd)).toEqual({ adapter: 'svd', loraRank: 0 });
    expect(adapterOf(low)).toEqual(lora);
    // A rank beyond every Linear's own equals the largest of them.
    const high = adapterLayout(SMALL.qwen2, { adapter: 'lora', loraRank: 999 });
    expect(layoutOf(svd, adapterOf(high))).toEqual(high);
  });
});
