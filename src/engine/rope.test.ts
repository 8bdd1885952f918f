// Tests inverse frequencies against float64 values of transformers' formulas (modeling_rope_utils, computed independently in
// numpy), and models with scaled RoPE against a float64 reference forward pass.
import { readFileSync } from 'node:fs';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { configToJson } from './config.ts';
import { parseConfig } from './config-reading.ts';
import { Engine } from './decoder/engine.ts';
import { inverseFrequencies, ropeTables } from './rope.ts';
import { randomIds, randomWeights, relativeError, SMALL } from './testing/models.ts';
import { residualStream } from './testing/reference.ts';
import type { ModelConfig } from './types.ts';

const llama = (changes: Record<string, unknown>) => parseConfig({ ...configToJson(SMALL.llama), ...changes });

const LLAMA_31 = {
  rope_type: 'llama3',
  factor: 8,
  low_freq_factor: 1,
  high_freq_factor: 4,
  original_max_position_embeddings: 8192,
};
const QWEN_YARN = { type: 'yarn', factor: 4, original_max_position_embeddings: 32768 };
const UNTRUNCATED = {
  rope_type: 'yarn',
  factor: 40,
  original_max_position_embeddings: 4096,
  truncate: false,
  mscale: 0.8,
  mscale_all_dim: 1,
};

describe('inverse frequencies', () => {
  it.each([
    {
      name: 'linear',
      json: { head_dim: 8, rope_theta: 10000, rope_scaling: { type: 'linear', factor: 2.5 } },
      expected: { 0: 0.4, 1: 0.04, 2: 0.004, 3: 0.0004 },
    },
    {
      name: 'llama3, as Llama 3.1 has it',
      json: { head_dim: 128, rope_theta: 500000, rope_scaling: LLAMA_31 },
      expected: {
        0: 1,
        20: 0.016560440080994446,
        28: 0.0032114459947525913,
        30: 0.0013718935677611381,
        32: 0.0005248461609929547,
        35: 9.556212353964683e-5,
        40: 3.428102195952591e-5,
        63: 3.068925988914511e-7,
      },
    },
    {
      name: 'llama3, as Llama 3.2 has it',
      json: { head_dim: 64, rope_theta: 500000, rope_scaling: { ...LLAMA_31, factor: 32 } },
      expected: {
        14: 0.0032114459947525913,
        15: 0.001290547928209264,
        16: 0.00042955679655936815,
        17: 9.70828780262767e-5,
        31: 9.418306725434911e-8,
      },
    },
    {
      name: 'yarn, as Qwen documents it',
      json: { head_dim: 128, rope_theta: 1e6, rope_scaling: QWEN_YARN },
      expected: {
        0: 1,
        20: 0.01333521432163324,
        23: 0.006978305848598663,
        30: 0.0010643609812470017,
        35: 0.0002462584069089387,
        40: 4.445698525097307e-5,
        63: 3.102344401879299e-7,
      },
    },
    {
      name: 'yarn with a ramp between fractions of dimensions',
      json: { head_dim: 64, rope_theta: 10000, rope_scaling: UNTRUNCATED },
      expected: {
        5: 0.23713737056616555,
        10: 0.056234132519034905,
        12: 0.02771085847508042,
        16: 0.005524062977468265,
        20: 0.0007226383418941808,
        24: 2.5e-5,
        31: 3.33380358040831e-6,
      },
    },
  ])('of $name', ({ json, expected }) => {
    const found = inverseFrequencies(llama(json));
    for (const [i, value] of Object.entries(expected)) {
      expect(Math.abs(found[Number(i)] / value - 1), `pair ${i}`).toBeLessThan(1e-13);
    }
  });

  it('include yarn’s attention factor: given, by its formula, or as the ratio of two mscales', () => {
    const lengthOf = (scaling: object) => {
      const { cos } = ropeTables(llama({ rope_scaling: scaling }));
      return cos[0]; // of position 0, whose angle is 0
    };
    expect(lengthOf(QWEN_YARN)).toBeCloseTo(1.138629436111989, 14);
    expect(lengthOf({ ...QWEN_YARN, attention_factor: 0.75 })).toBe(0.75);
    expect(lengthOf(UNTRUNCATED)).toBeCloseTo((0.08 * Math.log(40) + 1) / (0.1 * Math.log(40) + 1), 14);
    expect(lengthOf({ ...QWEN_YARN, factor: 1 })).toBe(1);
    // Without a factor, the ratio of the contexts is used.
    const { factor: _, ...ratio } = QWEN_YARN;
    const config = llama({ rope_scaling: ratio, max_position_embeddings: 65536 });
    expect(config.ropeScaling).toMatchObject({ factor: 2 });
  });
});

describe('plain positions', () => {
  it('are exactly theta^(−i/half) times the position', () => {
    for (const file of ['qwen3', 'qwen2', 'llama'] as const) {
      const config = SMALL[file];
      const { cos, sin } = ropeTables(config);
      const half = config.headDim / 2;
      for (let p = 0; p < config.maxPositions; p++) {
        for (let i = 0; i < half; i++) {
          const angle = p * config.ropeTheta ** (-i / half);
          expect(Object.is(cos[p * half + i], Math.cos(angle)) && Object.is(sin[p * half + i], Math.sin(angle))).toBe(
            true,
          );
        }
      }
    }
  });

  it('are those of the embedded model', () => {
    const json = JSON.parse(readFileSync('public/models/tiny-coder/config.json', 'utf8'));
    expect(parseConfig(json)).not.toHaveProperty('ropeScaling');
  });
});

describe('a model with scaled RoPE', () => {
  const stretched: Record<string, ModelConfig> = {
    linear: llama({ rope_scaling: { rope_type: 'linear', factor: 3 } }),
    // The contexts are so short that the few pairs of these small heads lie before, within and after the ramp.
    llama3: llama({ rope_theta: 100, rope_scaling: { ...LLAMA_31, original_max_position_embeddings: 48 } }),
    yarn: llama({
      rope_theta: 100,
      rope_scaling: { ...QWEN_YARN, original_max_position_embeddings: 24, beta_fast: 2 },
    }),
  };

  it.each(Object.entries(stretched))('with %s agrees with a float64 reference forward pass', async (_, config) => {
    const weights = randomWeights(config, 7, 1.5);
    const engine = await Engine.create({ device: await createCpuDevice(), config, weights, adapter: 'none' });
    const sequence = { prompt: randomIds(config, 1, 20), completion: randomIds(config, 2, 30) };
    const ids = [...sequence.prompt, ...sequence.completion.slice(0, -1)];
    const frequencies = [...inverseFrequencies(config)];
    const length = config.ropeScaling?.type === 'yarn' ? config.ropeScaling.attentionFactor : 1;
    const mean = (streams: number[][][]) => {
      const rows = streams[config.layers - 1].slice(sequence.prompt.length - 1);
      return rows[0].map((_, c) => rows.reduce((sum, row) => sum + row[c], 0) / rows.length);
    };
    const [found] = await engine.activations([sequence], config.layers - 1);
    expect(relativeError(found, mean(residualStream(config, weights, ids, { frequencies, length })))).toBeLessThan(
      5e-6,
    );
    // Unscaled positions give a different result.
    expect(relativeError(found, mean(residualStream(config, weights, ids)))).toBeGreaterThan(1e-3);
    engine.free();
  });

  it.each(Object.entries(stretched))('with %s survives a write and a read', (_, config) => {
    expect(parseConfig(configToJson(config))).toEqual(config);
  });
});

describe('rope_scaling', () => {
  it.each([
    [{ rope_type: 'longrope', short_factor: [1], long_factor: [2] }, 'rope_scaling type "longrope" is not supported'],
    [{ type: 'dynamic', factor: 2 }, 'rope_scaling type "dynamic" is not supported'],
    [{ type: 'mrope', mrope_section: [1] }, 'rope_scaling type "mrope" is not supported'],
    [{ factor: 2 }, 'rope_scaling type undefined is not supported'],
    ['yarn', 'rope_scaling is "yarn"'],
    [{ type: 'linear' }, '"factor" undefined, not a positive number'],
    [{ type: 'linear', factor: 0 }, '"factor" 0, not a positive number'],
    [{ ...LLAMA_31, factor: '8' }, '"factor" "8", not a positive number'],
    [{ ...LLAMA_31, original_max_position_embeddings: null }, '"original_max_position_embeddings"'],
    [{ ...LLAMA_31, high_freq_factor: 1 }, 'high_freq_factor 1, which is not above low_freq_factor 1'],
    [{ ...QWEN_YARN, beta_slow: -1 }, '"beta_slow" -1'],
  ])('%j is refused, with the reason and what is supported', (rope_scaling, says) => {
    let error: unknown;
    try {
      llama({ rope_scaling });
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(FormatError);
    expect((error as FormatError).message).toContain(says);
    expect((error as FormatError).remedy).toContain('linear, llama3, yarn');
  });

  it('may be in rope_parameters with theta, as transformers 5 writes it', () => {
    const { rope_theta: _, ...rest } = configToJson(SMALL.llama);
    const parse = (rope_parameters: object) => parseConfig({ ...rest, rope_parameters });
    expect(parse({ rope_type: 'default', rope_theta: 500000 })).toEqual({ ...SMALL.llama, ropeTheta: 500000 });
    expect(parse({ ...LLAMA_31, rope_theta: 500000 })).toMatchObject({
      ropeTheta: 500000,
      ropeScaling: { type: 'llama3', factor: 8, originalPositions: 8192 },
    });
    expect(() => parse({ full_attention: { rope_theta: 1e6 }, sliding_attention: { rope_theta: 1e4 } })).toThrow(
      'rope_parameters differs between layers (full_attention, sliding_attention)',
    );
    expect(llama({ rope_scaling: null })).toEqual(SMALL.llama);
    expect(llama({ rope_scaling: { rope_type: 'default' } })).toEqual(SMALL.llama);
  });
});
