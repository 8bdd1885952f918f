// Tests the rules for reading a PEFT adapter, on small generated adapters: the modules that a config selects, the rank and scale of each,
// and refusals with their field or tensor.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { randomWeights, SMALL } from '../../engine/testing/models.ts';
import type { ModelConfig } from '../../engine/types.ts';
import { linearShape, linearsOf, moduleName, weightShapes } from '../../engine/weight-names.ts';
import { writeSafetensors } from '../safetensors-write.ts';
import { memorySource } from '../sources.ts';
import { type AdapterBase, readPeftAdapter } from './adapter.ts';
import { PEFT_FIELDS, readPeftConfig } from './config-fields.ts';
import { rulesOf } from './targets.ts';

const rulesWith = (fields: Record<string, unknown>) =>
  rulesOf(readPeftConfig({ peft_type: 'LORA', target_modules: 'all-linear', ...fields }, 'config').config, 'config');
const Q = (layer: number) => `model.layers.${layer}.self_attn.q_proj`;
const DOWN = 'model.layers.10.mlp.down_proj';

describe('the modules that a config selects', () => {
  it.each<[string, Record<string, unknown>, string[], string[]]>([
    ['names', { target_modules: ['q_proj', 'down_proj'] }, [Q(0), DOWN], ['model.layers.0.mlp.up_proj']],
    ['ends at a dot', { target_modules: ['proj', 'self_attn.q_proj'] }, [Q(3)], [DOWN]],
    ['all but the head', { target_modules: 'All-Linear' }, [Q(0), DOWN], ['lm_head']],
    ['a whole pattern', { target_modules: '.*q_proj' }, [Q(0)], [DOWN]],
    ['no part of a name', { target_modules: 'q_proj' }, [], [Q(0)]],
    ['a named group', { target_modules: String.raw`model\.layers\.(?P<n>\d+)\.self_attn\.[qk]_proj` }, [Q(12)], [DOWN]],
    ['excluded names', { exclude_modules: ['down_proj'] }, [Q(0)], [DOWN]],
    ['an excluded pattern', { exclude_modules: '.*mlp.*' }, [Q(0)], [DOWN]],
    ['one layer', { target_modules: ['q_proj'], layers_to_transform: 1 }, [Q(1)], [Q(0), Q(11)]],
    ['layer 0', { target_modules: ['q_proj'], layers_to_transform: 0 }, [Q(0)], [Q(1)]],
    ['layers', { target_modules: ['q_proj'], layers_to_transform: [1, 10] }, [Q(1), Q(10)], [Q(0)]],
    ['an empty list of layers', { target_modules: ['q_proj'], layers_to_transform: [] }, [Q(0), Q(1)], [DOWN]],
    [
      'the layers’ name',
      { target_modules: ['q_proj'], layers_to_transform: [1], layers_pattern: ['h', 'layers'] },
      [Q(1)],
      [Q(0)],
    ],
    ['another layers’ name', { target_modules: ['q_proj'], layers_to_transform: [1], layers_pattern: 'h' }, [], [Q(1)]],
    ['whole names in any layer', { target_modules: [Q(0), 'k_proj'], layers_to_transform: [1] }, [Q(0)], [Q(1)]],
  ])('%s', (_, fields, inside, outside) => {
    const rules = rulesWith(fields);
    for (const name of inside) expect(rules.leftOut(name), name).toBeNull();
    for (const name of outside) expect(rules.leftOut(name), name).toMatch(/target_modules|exclude_modules|layers_to/);
  });

  it('uses the first pattern that matches after a dot or at the beginning', () => {
    const rules = rulesWith({
      r: 16,
      lora_alpha: 24,
      rank_pattern: {
        proj: 1,
        '^layers.1.self_attn.q_proj': 2,
        '^model.layers.1.self_attn.q_proj': 4,
        q_proj: 6,
        '.*': 12,
      },
      alpha_pattern: { 'self_attn.q_proj': 3, q_proj: 99 },
    });
    const [first, second, other] = [Q(1), Q(2), DOWN];
    expect([first, second, other].map((name) => rules.rank(name).r)).toEqual([4, 6, 12]);
    expect([first, second, other].map((name) => rules.scale(name))).toEqual([3 / 4, 3 / 6, 24 / 12]);
    expect(rulesWith({ r: 16, lora_alpha: 24, use_rslora: true }).scale(first)).toBe(6);
    expect(rulesWith({}).scale(first)).toBe(1);
  });

  it.each<[Record<string, unknown>, RegExp]>([
    [{ target_modules: '(?=.*)q_proj' }, /target_modules "\(\?=\.\*\)q_proj" is no regular expression/],
    [{ rank_pattern: { '(q_proj': 4 } }, /rank_pattern "\(q_proj"/],
    [{ layers_to_transform: [1] }, /layers_to_transform \[1\] is only for a list/],
    [{ target_modules: ['q_proj'], layers_pattern: 'h' }, /layers_pattern "h" stands without layers_to_transform/],
    [{ target_modules: undefined }, /target_modules is absent/],
    [{ target_modules: null }, /target_modules is null/],
    [{ r: '8' }, /r is "8"; it can be a whole number/],
    [{ r: 2.5 }, /r is 2\.5/],
    [{ rank_pattern: { q_proj: 0 } }, /rank_pattern is .*at "q_proj"/],
    [{ bias: true }, /bias is true; it can be "none"/],
    [{ use_rslora: 1 }, /use_rslora is 1/],
    [{ init_lora_weights: 'pissa_niter_16' }, /init_lora_weights is "pissa_niter_16"/],
  ])('refuses %j', (fields, says) => {
    const read = () => rulesWith(fields);
    expect(read).toThrow(FormatError);
    expect(read).toThrow(says);
  });

  it('refuses each field with a refused value, and accepts it if it is not set', () => {
    const refused = Object.entries(PEFT_FIELDS).filter(([, { effect }]) => effect === 'refused');
    expect(refused.length).toBeGreaterThan(10);
    for (const [name] of refused) {
      expect(() => rulesWith({ [name]: { a: 1 } }), name).toThrow(new RegExp(`${name} is .* cannot be applied`));
      for (const unset of [null, false, {}, []]) expect(() => rulesWith({ [name]: unset }), name).not.toThrow();
    }
  });

  it('names what it ignores', () => {
    const read = (fields: object) =>
      readPeftConfig({ peft_type: 'LORA', target_modules: ['q_proj'], ...fields }, '').aside;
    expect(read({ lora_dropout: 0.1, new_field: 3, other: null, peft_version: '0.18.0' })).toEqual([
      'lora_dropout 0.1',
      'new_field 3 (not known here)',
    ]);
  });
});

const baseOf = (config: ModelConfig): AdapterBase => {
  const weights = randomWeights(config, 1);
  return {
    config,
    sha256: 'b'.repeat(64),
    weights: { shapes: weightShapes(config), read: async (name) => weights.get(name)! },
  };
};
const untied: ModelConfig = { ...SMALL.qwen3, tied: false };

type Tensors = Map<string, { dtype: 'F32'; shape: number[]; data: Float32Array }>;
const ones = (...shape: number[]) => ({
  dtype: 'F32' as const,
  shape,
  data: new Float32Array(shape.reduce((product, n) => product * n, 1)).fill(0.5),
});
const pair = (module: string, [dOut, dIn]: readonly number[], r = 2, adapter = ''): Tensors =>
  new Map([
    [`base_model.model.${module}.lora_A${adapter}.weight`, ones(r, dIn)],
    [`base_model.model.${module}.lora_B${adapter}.weight`, ones(dOut, r)],
  ]);
const add = (to: Tensors, some: Tensors): void => {
  for (const [key, tensor] of some) to.set(key, tensor);
};
const plain = (): Tensors =>
  new Map(linearsOf(untied, 0).flatMap((role) => [...pair(moduleName(0, role), linearShape(untied, role))]));
const readAdapter = (tensors: Tensors, fields: object = {}, base = baseOf(untied)) => {
  const text = JSON.stringify({
    peft_type: 'LORA',
    r: 2,
    target_modules: [...linearsOf(untied, 0), 'lm_head'],
    ...fields,
  });
  const files = new Map([
    ['adapter_config.json', new Blob([text])],
    ['adapter_model.safetensors', new Blob([writeSafetensors(tensors, { format: 'pt' })])],
  ]);
  return readPeftAdapter(memorySource(files, 'mine'), base);
};

describe('tensors', () => {
  it('reads an untied head, and ignores a table that equals the base’s', async () => {
    const base = baseOf(untied);
    const { shape, data } = await base.weights.read('lm_head.weight');
    const tensors = new Map([...plain(), ...pair('lm_head', shape)]);
    tensors.set('base_model.model.lm_head.base_layer.weight', { dtype: 'F32', shape: [...shape], data });
    const read = await readAdapter(tensors, {}, base);
    expect([...read.updates.keys()]).toContain('lm_head');
    expect(read.aside).toEqual(['lm_head (equal to the base’s)']);
    const other = data.map((x, i) => (i === 7 ? x + 1 : x));
    tensors.set('base_model.model.lm_head.base_layer.weight', { dtype: 'F32', shape: [...shape], data: other });
    await expect(readAdapter(tensors, {}, base)).rejects.toThrow(/lm_head.*differs from the base’s at element 7/);
  });

  it('distinguishes adapters by their effect, not by fields without effect', async () => {
    const [one, same, other] = await Promise.all([
      readAdapter(plain()),
      readAdapter(plain(), { lora_dropout: 0.5, lora_alpha: 8, rank_pattern: { nothing: 3 } }),
      readAdapter(plain(), { lora_alpha: 9 }),
    ]);
    expect(same.key).toBe(one.key);
    expect(other.key).not.toBe(one.key);
    expect(other.facts.sha256).toBe(one.facts.sha256);
    const mixed = await readAdapter(plain(), { alpha_pattern: { q_proj: 1 } });
    expect(mixed.facts).toMatchObject({ scale: [0.5, 4], modules: linearsOf(untied, 0).length, r: 2, base: null });
  });

  it.each<[string, (tensors: Tensors) => void, RegExp]>([
    [
      'keys of two adapters',
      (of) => add(of, pair(moduleName(1, 'q_proj'), linearShape(untied, 'q_proj'), 2, '.b')),
      /tensors of 2 adapters/,
    ],
    [
      'one module twice',
      (of) => add(of, pair(moduleName(0, 'q_proj'), linearShape(untied, 'q_proj'), 2, '.b')),
      /lora_A of "model\.layers\.0\.self_attn\.q_proj" twice/,
    ],
    ['another prefix', (of) => of.set('model.x.lora_A.weight', ones(2, 2)), /does not begin with base_model\.model\./],
    ['another kind', (of) => of.set('base_model.model.score.weight', ones(2, 2)), /neither lora_A nor lora_B/],
    ['a norm', (of) => add(of, pair('model.norm', [untied.hiddenSize, untied.hiddenSize])), /no Linear of the base/],
    ['no factors', (of) => of.clear(), /no factors of any Linear/],
    [
      'ranks that differ',
      (of) =>
        of.set(`base_model.model.${moduleName(0, 'q_proj')}.lora_B.weight`, ones(linearShape(untied, 'q_proj')[0], 3)),
      /lora_A of rank 2 and lora_B of rank 3/,
    ],
  ])('refuses %s', async (_, change, says) => {
    const tensors = plain();
    change(tensors);
    const read = readAdapter(tensors);
    await expect(read).rejects.toThrow(FormatError);
    await expect(read).rejects.toThrow(says);
  });

  it('refuses trained biases in the config if the base has biases', async () => {
    const base = baseOf({ ...SMALL.qwen2 });
    const tensors = new Map(pair(moduleName(0, 'q_proj'), linearShape(SMALL.qwen2, 'q_proj')));
    await expect(readAdapter(tensors, { bias: 'lora_only' }, base)).rejects.toThrow(
      /bias is "lora_only", and the base has/,
    );
    expect((await readAdapter(tensors, {}, base)).updates.size).toBe(1);
    const inTied = baseOf({ ...SMALL.qwen3, tied: true });
    const head = new Map(pair('lm_head', [SMALL.qwen3.vocab, SMALL.qwen3.hiddenSize]));
    await expect(readAdapter(head, {}, inTied)).rejects.toThrow(/lm_head.*tied/);
  });
});
