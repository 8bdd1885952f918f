import { describe, expect, it } from 'vitest';
import { checkDraft, draftOfPreset } from '../draft.ts';
import { changedSettings, withoutChanges } from './changed.ts';

const preset = draftOfPreset('demo', 'cpu');
const changed = {
  ...preset,
  seeds: '7',
  fields: { ...preset.fields, steps: '7', lr: '0.02', basisSource: 'file', basisFile: 'a'.repeat(64) },
};

describe('settings that differ from the preset', () => {
  it('are named in the order of the form, without the basis, which has its own chip', () => {
    expect(changedSettings(preset)).toEqual([]);
    expect(
      changedSettings(changed)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['lr', 'steps']);
  });

  it('are reset together, while seeds and the basis are preserved', () => {
    const back = withoutChanges(changed);
    expect(changedSettings(back)).toEqual([]);
    expect(back.seeds).toBe('7');
    expect(back.fields.basisFile).toBe('a'.repeat(64));
    expect(checkDraft(withoutChanges({ ...changed, fields: { ...changed.fields, steps: 'two' } })).fields).toEqual({});
  });
});
