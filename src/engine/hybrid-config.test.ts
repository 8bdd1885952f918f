// Tests config and weights of Qwen3.5: what is accepted, ignored and refused, in both forms of the file.
import { existsSync, readFileSync } from 'node:fs';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { adapterLayout } from './adapter-layout.ts';
import { configToJson } from './config.ts';
import { parseConfig, readConfig } from './config-reading.ts';
import { layersOf } from './layer-types.ts';
import { inverseFrequencies, ropeTables } from './rope.ts';
import { SMALL } from './testing/models.ts';
import { QWEN35_08B } from './testing/qwen3.ts';
import { weightShapes } from './weight-names.ts';

type Json = Record<string, unknown>;

const flat = (changes: Json = {}): Json => ({ ...configToJson(SMALL.qwen35), ...changes });
const without = (name: string, changes: Json = {}): Json => {
  const { [name]: _, ...rest } = flat(changes);
  return rest;
};

/** A config as published: sizes inside text_config, image and multi-token-prediction fields outside. */
const wrapped = (text: Json = {}, outer: Json = {}): Json => {
  const { tie_word_embeddings: _, architectures: __, ...sizes } = flat(text);
  return {
    architectures: ['Qwen3_5ForConditionalGeneration'],
    model_type: 'qwen3_5',
    image_token_id: 30,
    video_token_id: 29,
    vision_start_token_id: 28,
    vision_end_token_id: 27,
    tie_word_embeddings: true,
    transformers_version: '5.2.0',
    vision_config: { depth: 12, hidden_size: 768, model_type: 'qwen3_5' },
    ...outer,
    text_config: { ...sizes, mtp_num_hidden_layers: 1, mtp_use_dedicated_embeddings: false, mlp_only_layers: [] },
  };
};

describe('a config.json of Qwen3.5', () => {
  it('is read the same way flat and wrapped, without notes', () => {
    const { config, notes } = readConfig(wrapped());
    expect(config).toEqual(SMALL.qwen35);
    expect(notes).toEqual([]);
    const noise = { mamba_ssm_dtype: 'float32', use_cache: true, initializer_range: 0.02, output_gate_type: 'swish' };
    const ids = { eos_token_id: 1, bos_token_id: null, attn_output_gate: true, attention_bias: false };
    expect(readConfig(flat({ ...noise, ...ids }))).toEqual({ config, notes: [] });
  });

  it('uses the outermost tie_word_embeddings', () => {
    expect(parseConfig(wrapped({}, { tie_word_embeddings: false })).tied).toBe(false);
    const inner = wrapped();
    delete inner.tie_word_embeddings;
    expect(parseConfig(inner).tied).toBe(false);
    (inner.text_config as Json).tie_word_embeddings = true;
    expect(parseConfig(inner).tied).toBe(true);
    expect(parseConfig({ ...inner, tie_word_embeddings: false }).tied).toBe(false);
  });

  it('without a list puts full attention into every fourth layer, or by the interval', () => {
    const full = (changes: Json) =>
      layersOf(parseConfig(without('layer_types', { num_hidden_layers: 9, ...changes })), 'full_attention');
    expect(full({})).toEqual([3, 7]);
    expect(full({ full_attention_interval: 2 })).toEqual([1, 3, 5, 7]);
    expect(full({ full_attention_interval: 20 })).toEqual([]);
    const { config, notes } = readConfig(flat({ full_attention_interval: 3 }));
    expect(config.layerTypes).toEqual(SMALL.qwen35.layerTypes);
    expect(notes).toEqual([expect.stringContaining('full_attention_interval 3')]);
  });

  it('reads theta and the rotary part in rope_parameters, otherwise at the top level', () => {
    const bare = without('partial_rotary_factor', { head_dim: 16 });
    delete bare.rope_theta;
    const within = parseConfig({
      ...bare,
      partial_rotary_factor: 1,
      rope_parameters: {
        rope_type: 'default',
        rope_theta: 1e7,
        partial_rotary_factor: 0.5,
        mrope_interleaved: true,
        mrope_section: [2, 1, 1],
      },
    });
    expect(within).toMatchObject({ ropeTheta: 1e7, rotaryDim: 8 });
    expect(parseConfig({ ...bare, rope_theta: 5e5, partial_rotary_factor: 0.75 })).toMatchObject({
      ropeTheta: 5e5,
      rotaryDim: 12,
    });
    expect(parseConfig(bare)).toMatchObject({ ropeTheta: 10000, rotaryDim: 4 });
    expect(inverseFrequencies(within)).toEqual(Float64Array.from([0, 1, 2, 3], (i) => 1e7 ** (-i / 4)));
    expect(ropeTables(within).cos.length).toBe(within.maxPositions * 4);
  });

  it.each<[string, Json, string]>([
    ['an expert model', flat({ model_type: 'qwen3_5_moe_text' }), 'model_type "qwen3_5_moe_text"'],
    ['its wrapper', wrapped({}, { model_type: 'qwen3_5_moe' }), 'model_type "qwen3_5_moe"'],
    ['experts within', wrapped({ model_type: 'qwen3_5_moe_text' }), 'model_type "qwen3_5_moe_text"'],
    ['experts', flat({ num_experts: 8 }), 'num_experts 8'],
    ['layers with experts', flat({ mlp_only_layers: [1] }), 'mlp_only_layers [1]'],
    ['a wrapper of nothing', { model_type: 'qwen3_5', hidden_size: 3 }, 'text_config undefined'],
    ['biases', flat({ attention_bias: true }), 'attention_bias true'],
    ['no gate', flat({ attn_output_gate: false }), 'attn_output_gate false'],
    ['another gate', flat({ output_gate_type: 'sigmoid' }), 'output_gate_type "sigmoid"'],
    ['another activation', wrapped({ hidden_act: 'gelu' }), 'hidden_act "gelu"'],
    [
      'another layer',
      flat({ layer_types: ['linear_attention', 'sliding_attention', 'full_attention'] }),
      'layer_types with "sliding_attention"',
    ],
    ['fewer layers', flat({ layer_types: ['full_attention'] }), 'layer_types of 1 entries for 3 layers'],
    ['uneven linear heads', flat({ linear_num_value_heads: 3 }), '3 linear value heads cannot share 2'],
    ['uneven heads', flat({ num_key_value_heads: 3 }), '4 attention heads cannot share 3'],
    ['an odd part', flat({ partial_rotary_factor: 0.4 }), 'partial_rotary_factor 0.4 turns 3 numbers'],
    ['no part', flat({ partial_rotary_factor: 0 }), 'partial_rotary_factor 0'],
    ['more than a head', flat({ partial_rotary_factor: 1.5 }), 'partial_rotary_factor 1.5'],
    ['a part in words', flat({ partial_rotary_factor: 'half' }), 'partial_rotary_factor "half"'],
    ['other positions', flat({ rope_parameters: { rope_type: 'longrope', factor: 4 } }), 'type "longrope"'],
    ['quantised weights', wrapped({}, { quantization_config: { quant_method: 'fp8' } }), 'quantization_config'],
    ['no convolution', without('linear_conv_kernel_dim'), '"linear_conv_kernel_dim" is undefined'],
    ['half a head', flat({ linear_num_key_heads: 1.5 }), '"linear_num_key_heads" is 1.5'],
  ])('with %s is refused with field, value and remedy', (_, raw, says) => {
    let error: unknown;
    try {
      readConfig(raw);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(FormatError);
    expect((error as FormatError).message).toContain(says);
    expect((error as FormatError).remedy).not.toBe('');
  });

  it('refuses a linear layer in a Qwen3', () => {
    const layer_types = ['full_attention', 'linear_attention'];
    expect(() => parseConfig({ ...configToJson(SMALL.qwen3), layer_types })).toThrow('with "linear_attention"');
  });
});

describe('the weights of Qwen3.5', () => {
  it('include eight Linears in a linear layer and seven in a full-attention layer', () => {
    const shapes = weightShapes(SMALL.qwen35);
    const ofLayer = (layer: number) =>
      Object.fromEntries(
        [...shapes]
          .filter(([name]) => name.startsWith(`model.layers.${layer}.`))
          .map(([name, shape]) => [name.replace(`model.layers.${layer}.`, ''), shape.join('×')]),
      );
    const both = {
      'input_layernorm.weight': '20',
      'post_attention_layernorm.weight': '20',
      'mlp.gate_proj.weight': '28×20',
      'mlp.up_proj.weight': '28×20',
      'mlp.down_proj.weight': '20×28',
    };
    expect(ofLayer(0)).toEqual({
      ...both,
      'linear_attn.in_proj_qkv.weight': '44×20',
      'linear_attn.in_proj_z.weight': '20×20',
      'linear_attn.in_proj_b.weight': '4×20',
      'linear_attn.in_proj_a.weight': '4×20',
      'linear_attn.out_proj.weight': '20×20',
      'linear_attn.conv1d.weight': '44×1×3',
      'linear_attn.A_log': '4',
      'linear_attn.dt_bias': '4',
      'linear_attn.norm.weight': '5',
    });
    expect(ofLayer(1)).toEqual({
      ...both,
      'self_attn.q_proj.weight': '64×20',
      'self_attn.k_proj.weight': '16×20',
      'self_attn.v_proj.weight': '16×20',
      'self_attn.o_proj.weight': '20×32',
      'self_attn.q_norm.weight': '8',
      'self_attn.k_norm.weight': '8',
    });
  });

  it('have adapters only on Linears, of rank min(dOut, dIn)', () => {
    const { modules, bare } = adapterLayout(SMALL.qwen35);
    expect(modules.map(({ name }) => name.split('.')[2])).toEqual([
      ...Array(8).fill('0'),
      ...Array(7).fill('1'),
      ...Array(8).fill('2'),
    ]);
    expect(modules.find(({ name }) => name.endsWith('in_proj_a'))?.r).toBe(4);
    expect(bare?.map(({ name }) => name)).toContain('model.layers.0.linear_attn.A_log');
    expect(bare?.find(({ name }) => name.endsWith('conv1d'))).toMatchObject({ dOut: 44, dIn: 3 });
  });

  it('number 752.4 M for 0.8B, and δS has 148,032 parameters', () => {
    const shapes = [...weightShapes(QWEN35_08B).values()];
    expect(shapes.length).toBe(320);
    expect(shapes.reduce((sum, shape) => sum + shape.reduce((n, size) => n * size, 1), 0) / 1e6).toBeCloseTo(752.4, 1);
    expect(adapterLayout(QWEN35_08B).total).toBe(148_032);
  });

  describe.each(['qwen35-tied', 'qwen35-untied'])('the reference %s', (name) => {
    const path = `../shared/oracle/${name}/config.json`;
    it.skipIf(!existsSync(path))(`is read without a note (skipped where ${path} is missing)`, () => {
      const { config, notes } = readConfig(JSON.parse(readFileSync(path, 'utf8')));
      expect(notes).toEqual([]);
      expect(config).toMatchObject({ architecture: 'qwen3_5_text', layers: 4, rotaryDim: 8, headDim: 32 });
      expect(parseConfig(configToJson(config))).toEqual(config);
    });
  });
});
