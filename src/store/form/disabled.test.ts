import { describe, expect, it } from 'vitest';
import type { ArmName } from '../../experiments/config/arms.ts';
import type { SettingName } from '../../experiments/config/settings.ts';
import { draftOfPreset } from '../draft.ts';
import { disabledReason, isOfOtherEnvironments } from './disabled.ts';

function draft(arms: ArmName[], fields: Partial<Record<SettingName, string>> = {}) {
  const preset = draftOfPreset('demo', 'auto');
  return { arms, fields: { ...preset.fields, ...fields } };
}

describe('idleReason', () => {
  it.each<[SettingName, Partial<Record<SettingName, string>>]>([
    ['loraRank', { adapter: 'lora' }],
    ['basisFile', { basisSource: 'file' }],
    ['clipEps', { innerEpochs: '2' }],
    ['clipEpsHigh', { teacherRatio: 'stored' }],
    ['monitorAccuracy', { screening: 'true' }],
    ['monitorAccuracy', { rewardPenalty: '1' }],
    ['advantageAlpha', { advantageMod: 'scale' }],
  ])('%s acts only with %o', (name, awake) => {
    expect(disabledReason(name, draft(['erase']))).toMatch(/^only with/);
    expect(disabledReason(name, draft(['erase'], awake))).toBeNull();
  });

  it('finds that the teacher’s settings have no effect without a teacher', () => {
    for (const name of ['teacherPool', 'poolModes', 'teacherRatio'] as const) {
      expect(disabledReason(name, draft(['none']))).toBeNull();
      expect(disabledReason(name, draft(['none'], { mix: '0' }))).toMatch(/teacher share/);
      expect(disabledReason(name, draft(['no_teacher']))).toMatch(/teacher share/);
      expect(disabledReason(name, draft(['none', 'no_teacher']))).toBeNull();
    }
    expect(disabledReason('clipEps', draft(['no_teacher'], { teacherRatio: 'stored' }))).toMatch(/ratio is 1/);
  });

  it('checks every chosen arm: one on which the value has an effect is enough', () => {
    expect(disabledReason('gate', draft(['none', 'kl']))).toMatch(/erases or routes/);
    expect(disabledReason('gate', draft(['none', 'erase']))).toBeNull();
    // The arm fixes the kind of modification but not its strength.
    expect(disabledReason('advantageAlpha', draft(['none', 'advantage']))).toBeNull();
  });

  it('names the arm that sets its own value', () => {
    expect(disabledReason('mix', draft(['no_teacher']))).toContain('vanilla, no teacher: 0');
    expect(disabledReason('mix', draft(['no_teacher', 'none']))).toBeNull();
    expect(disabledReason('monitorAccuracy', draft(['none', 'penalty']))).toContain('0.9');
  });

  it('gives no reason if no arm is chosen, nor for a setting that always has an effect', () => {
    expect(disabledReason('loraRank', draft([]))).toBeNull();
    expect(disabledReason('steps', draft(['erase']))).toBeNull();
  });
});

describe('isOfOtherEnvironments', () => {
  it('finds the settings that an environment without pairs, teacher and loopholes cannot use, but none that depends on another setting', () => {
    const arithmetic = { environment: 'arithmetic' };
    for (const name of ['k', 'gate', 'teacherPool', 'rewardPenalty'] as const) {
      expect(isOfOtherEnvironments(name, draft(['none'], arithmetic))).toBe(true);
      expect(isOfOtherEnvironments(name, draft(['none', 'erase']))).toBe(false);
    }
    for (const name of ['steps', 'loraRank', 'maxTokens'] as const)
      expect(isOfOtherEnvironments(name, draft(['none'], arithmetic))).toBe(false);
    // In an unknown environment every setting is shown.
    expect(isOfOtherEnvironments('k', draft(['none'], { environment: 'elsewhere' }))).toBe(false);
  });
});
