// Tests that every option's entry is complete: a default within its bounds, texts, a glossary entry, and a rule on when it has no effect that
// refers to existing options.
import { expect, it } from 'vitest';
import { HEADINGS } from '../../lib/option.ts';
import { ENVIRONMENT_CONCEPTS } from '../environments/registry.ts';
import { disabledReasonOf } from './effect.ts';
import { CAPABILITIES } from './environments.ts';
import {
  COMMON,
  describeFields,
  FIELDS,
  OPTION_GROUPS,
  SETTING_NAMES,
  type SettingName,
  settingOfText,
  settingText,
} from './settings.ts';
import { parseExperimentSpec } from './spec.ts';

const MOST_WORDS = 12;

it.each(SETTING_NAMES)('%s has a complete entry', (name) => {
  const { schema, default: value, label, help, helpMore } = FIELDS[name];
  expect(schema.safeParse(value).success).toBe(true);
  expect(schema.safeParse({ not: 'a value' }).success).toBe(false);
  expect(label).toMatch(/^[\p{Lu}]/u);
  expect(help).toMatch(/\.$/);
  // The help fits on one line of the form; further text is shown by the question mark.
  expect(help.split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS);
  expect(helpMore ?? '.').toMatch(/\.$/);
  const of = (other: SettingName) => {
    expect(SETTING_NAMES).toContain(other);
    return String(COMMON[other]);
  };
  for (const { id } of CAPABILITIES)
    for (const projection of ['none', 'erase', 'route'] as const) {
      const reason = disabledReasonOf(name, (other) => (other === 'environment' ? id : of(other)), { projection });
      expect(reason ?? 'none').toMatch(/^\S.*\S$/);
    }
});

it.each(SETTING_NAMES)('%s reads back the text of its value', (name) => {
  const value = COMMON[name];
  for (const separator of [',', '+'])
    expect(settingOfText(name, settingText(value, separator), separator)).toEqual(value);
  expect(settingOfText(name, settingText(value))).toEqual(value);
});

it('leaves an invalid text unchanged, for the message that refuses it', () => {
  for (const text of ['', 'abc', '1e999']) expect(settingOfText('steps', text)).toBe(text);
  expect(settingOfText('gate', 'true')).toBe('true');
  expect(() => parseExperimentSpec({ overrides: { steps: settingOfText('steps', 'abc') } })).toThrow(/steps = "abc"/);
});

it('no option has two entries, and each group has a heading', () => {
  const names = OPTION_GROUPS.flatMap(({ options }) => Object.keys(options));
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(SETTING_NAMES);
  expect(new Set(describeFields().map(({ heading }) => heading))).toEqual(new Set(HEADINGS));
});

it('every concept is declared once', () => {
  const concepts = OPTION_GROUPS.flatMap((group) => ('concepts' in group ? Object.keys(group.concepts) : []));
  const all = [...concepts, ...Object.keys(ENVIRONMENT_CONCEPTS)];
  expect(new Set(all).size).toBe(all.length);
});
