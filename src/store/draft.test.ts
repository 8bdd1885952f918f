import { describe, expect, it } from 'vitest';
import { PRESETS } from '../experiments/config/presets.ts';
import { PRESET_NAMES } from '../experiments/config/run-spec.ts';
import { parseExperimentSpec } from '../experiments/config/spec.ts';
import { checkDraft, draftIn, draftOf, draftOfPreset, FIELD_INFO, presetText, readField } from './draft.ts';

const demo = () => draftOfPreset('demo', 'auto');

describe('the form', () => {
  it('returns the spec from which it was filled', () => {
    const spec = parseExperimentSpec({
      preset: 'classic',
      arms: ['none', 'erase'],
      seeds: [7, 8],
      overrides: { steps: 12, lr: 0.01, modes: ['sentinel', 'exit_code'], honestShare: 0.25 },
      device: 'cpu',
    });
    expect(checkDraft(draftOf(spec)).spec).toEqual(spec);
  });

  it.each(PRESET_NAMES.filter((name) => !PRESETS[name].realModel))(
    'has nothing to override in %s by default',
    (preset) => {
      expect(checkDraft(draftOfPreset(preset, 'auto')).spec?.overrides).toEqual({});
    },
  );

  it('has no changed settings in another environment, and a chosen question does not count as a change', () => {
    const draft = draftIn(demo(), 'chain');
    expect(FIELD_INFO.filter(({ name }) => draft.fields[name] !== presetText(draft, name))).toEqual([]);
    expect(checkDraft(draft).spec?.overrides).toEqual({ environment: 'chain' });
  });

  it('quotes a bad value beside its field, and returns no spec', () => {
    const draft = demo();
    draft.fields.steps = '2.5';
    draft.fields.lr = 'fast';
    const check = checkDraft(draft);
    expect(check.spec).toBeNull();
    expect(check.fields.steps).toContain('“2.5”');
    expect(check.fields.lr).toContain('“fast”');
  });

  it('quotes the bad value of every setting that is typed or chosen from a list', () => {
    for (const { name, kind } of FIELD_INFO) {
      if (kind.type === 'text') continue;
      const draft = demo();
      draft.fields[name] = 'maybe, 1e999';
      const { spec, fields } = checkDraft(draft);
      expect(spec, name).toBeNull();
      expect(fields[name], name).toMatch(/^“maybe, 1e999” is not /);
    }
  });

  it('accepts a text of the option’s maximum length, and quotes the start of one that it refuses', () => {
    const stages = Array(16).fill('nll 200 0.0012345').join('; ');
    expect(stages.length).toBeGreaterThan(200);
    expect(readField('stages', stages)).toEqual({ value: stages });
    const template = `{{ messages }}${' '.repeat(300)}.`;
    expect(readField('chatTemplate', template)).toEqual({ value: template });
    expect(readField('stages', 'x'.repeat(300))).toEqual({
      error: expect.stringMatching(/^“x{60}…” is not up to 16 stages/),
    });
    expect(readField('pairSet', 'x'.repeat(201))).toHaveProperty('error');
  });

  it.each(['', '41, x', '-3', '4.5'])('refuses the seeds %j', (seeds) => {
    const check = checkDraft({ ...demo(), seeds });
    expect(check.spec).toBeNull();
    expect(check.fields.seeds).toBeTruthy();
  });

  it('reports errors that only the combination shows', () => {
    const draft = demo();
    draft.fields.k = '30';
    const check = checkDraft(draft);
    expect(check.spec).toBeNull();
    expect(check.fields).toEqual({});
    expect(check.whole?.message).toContain('30');
    expect(check.whole?.remedy).toBeTruthy();
  });

  it('requires an arm', () => {
    expect(checkDraft({ ...demo(), arms: [] }).fields.arms).toBeTruthy();
  });
});
