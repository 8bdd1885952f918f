import { describe, expect, it } from 'vitest';
import { OFFERED_ENVIRONMENTS } from '../../experiments/environments/registry.ts';
import { draftIn, draftOfPreset } from '../draft.ts';
import { findArms, offeredArms, shownArms } from './arms.ts';

const demo = draftOfPreset('demo', 'cpu');

describe('the arms of the form', () => {
  it.each(OFFERED_ENVIRONMENTS)('are at most six in the short list, including the preset’s: %s', (environment) => {
    const draft = draftIn(demo, environment);
    const shown = shownArms(draft);
    expect(shown.length).toBeLessThanOrEqual(Math.max(6, draft.arms.length));
    for (const arm of draft.arms) expect(shown).toContain(arm);
  });

  it('include a chosen control, and keep their positions', () => {
    const chosen = shownArms({ ...demo, arms: ['penalty_70', ...demo.arms] });
    expect(chosen).toEqual([...shownArms(demo), 'penalty_70']);
  });

  it('are found by name, by id and by description', () => {
    expect(findArms('random matched', 'one-line-python')).toEqual(
      expect.arrayContaining(['random_V_matched', 'random_V_matched-route']),
    );
    expect(findArms('random_V_matched-route', 'one-line-python')).toEqual(['random_V_matched-route']);
    expect(findArms('monitor seven', 'one-line-python')).toEqual(['penalty_70']);
    expect(findArms('no such arm', 'one-line-python')).toEqual([]);
    expect(findArms('', 'lookup')).toEqual(offeredArms('lookup'));
  });
});
