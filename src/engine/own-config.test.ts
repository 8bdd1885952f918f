// Tests that shapeOf reads the lab's own models exactly as the full reader does.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configToJson, isOwnConfig, OWN_FIELDS, shapeOf } from './config.ts';
import { CONFIG_FIELDS } from './config-fields.ts';
import { readConfig } from './config-reading.ts';
import { HYBRID } from './hybrid-config.ts';

const MODELS = 'public/models/';
const configOf = (model: string) => JSON.parse(readFileSync(`${MODELS}${model}/config.json`, 'utf8'));
const coder = configOf('tiny-coder');

it('the lab’s models have the fields that the lab writes', () => {
  const { config } = shapeOf(coder);
  expect([...OWN_FIELDS].sort()).toEqual([...Object.keys(configToJson(config)), 'torch_dtype'].sort());
  for (const name of OWN_FIELDS)
    if (name !== 'hidden_act' && name !== 'torch_dtype') expect(CONFIG_FIELDS[name].effect, name).toBe('used');
});

const isHybrid = (model: string) => configOf(model).model_type === HYBRID;

it.each(readdirSync(MODELS).filter(isHybrid))('%s is read by the full reader, without notes', (model) => {
  const raw = configOf(model);
  expect(isOwnConfig(raw)).toBe(false);
  expect(readConfig(raw).notes).toEqual([]);
  expect({ ...configToJson(readConfig(raw).config), torch_dtype: 'float16' }).toEqual(raw);
});

it.each(readdirSync(MODELS).filter((model) => !isHybrid(model)))(
  '%s has no other fields, and reads the same either way',
  (model) => {
    const raw = configOf(model);
    expect(isOwnConfig(raw)).toBe(true);
    expect(shapeOf(raw)).toEqual(readConfig(raw));
    expect(readConfig(raw).notes).toEqual([]);
  },
);

it.each<[string, unknown]>([
  ['another field', { ...coder, use_cache: true }],
  ['another activation', { ...coder, hidden_act: 'gelu' }],
  ['another class', { ...coder, architectures: ['Qwen3ForSequenceClassification'] }],
  ['two classes', { ...coder, architectures: ['Qwen3ForCausalLM', 'Qwen2ForCausalLM'] }],
  ['stretched positions', { ...coder, rope_scaling: { type: 'linear', factor: 2 } }],
  ['another model', { ...coder, model_type: 'mistral' }],
  ['the type of a hybrid', { ...coder, model_type: HYBRID, architectures: ['Qwen3_5ForCausalLM'] }],
])('a config.json with %s is not an own config', (_, raw) => {
  expect(isOwnConfig(raw)).toBe(false);
});

it.each([null, [], 'qwen3', 3])('%j is not an own config', (raw) => {
  expect(isOwnConfig(raw)).toBe(false);
});
