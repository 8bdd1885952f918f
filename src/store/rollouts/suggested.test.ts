// Tests the suggested rollouts: the button's label, and the step that they come from.
import { describe, expect, it } from 'vitest';
import { ENVIRONMENT_NAMES, rolloutPresentationOf } from '../../experiments/environments/registry.ts';
import type { RolloutRecord, RunRecord } from '../../experiments/records/events.ts';
import { headsOf } from '../../lab/protocol/rollout-index.ts';
import { verdictsOf } from './rollouts.ts';
import { suggestRollout } from './suggested.ts';

type Verdicts = Record<string, Record<number, object>>;
const run = (environment: string, arm: string, steps: number) =>
  ({
    id: `e/${arm}`,
    spec: { environment, arm },
    rows: Array.from({ length: steps }, (_, i) => ({ step: i + 1 })),
  }) as unknown as RunRecord;

/** Heads with one rollout per step, which is from the student unless its verdict overrides the source. */
function find(environment: string, arms: readonly string[], steps: number, verdicts: Verdicts) {
  const rollout = (verdict: object, step: number) =>
    ({
      step,
      source: 'student',
      turns: [{ completion: 'x', prompt: '' }],
      ...verdict,
      verdict,
    }) as unknown as RolloutRecord;
  return suggestRollout(
    arms.map((arm) => run(environment, arm, steps)),
    async (spans) =>
      spans.flatMap(({ runId, steps: asked }) =>
        asked.flatMap((step) => {
          const verdict = verdicts[runId]?.[step];
          return verdict ? headsOf(runId, [rollout(verdict, step)], '', rolloutPresentationOf(environment)) : [];
        }),
      ),
  );
}

describe('suggested rollouts', () => {
  const hack = { gt_correct: false, exploited: true };
  const miss = { gt_correct: false, exploited: false };

  it('are from the newest step with matches, preferably from vanilla, and never the teacher’s', async () => {
    const last = { ...hack, source: 'teacher' };
    const found = await find('one-line-python', ['erase', 'none'], 30, {
      'e/none': { 2: hack, 3: hack, 30: last },
      'e/erase': { 30: hack },
    });
    expect(found).toEqual({ words: 'Read the hacks', runId: 'e/none', step: 3, verdict: 'exploited' });
    expect(await find('one-line-python', ['none', 'erase'], 4, { 'e/erase': { 2: hack } })).toMatchObject({
      runId: 'e/erase',
      step: 2,
    });
  });

  it('are absent if nothing matches', async () => {
    expect(
      await find('one-line-python', ['none'], 3, { 'e/none': { 1: miss, 3: { ...hack, source: 'teacher' } } }),
    ).toBeNull();
    expect(await find('unknown', ['none'], 1, { 'e/none': { 1: hack } })).toBeNull();
    expect(await suggestRollout([], async () => [])).toBeNull();
  });

  it('show what the environment is about', async () => {
    const vote = {
      correct: false,
      misconception: false,
      formatOk: true,
      reference: '4',
      majority: '5',
      majorityCorrect: false,
    };
    const right = { ...vote, majorityCorrect: true, referenceCorrect: true };
    const voted = { 'e/cat': { 1: { ...vote, referenceCorrect: true }, 2: right } };
    expect(await find('arithmetic', ['none', 'cat'], 2, voted)).toMatchObject({
      step: 1,
      words: 'Read what the vote got wrong',
    });
    expect(await find('arithmetic', ['none', 'cat'], 2, { 'e/cat': { 2: right } })).toMatchObject({
      words: 'Read what was voted',
    });
    const flattery = { formatOk: true, stamped: true };
    expect(await find('explain', ['rubric', 'hasty'], 1, { 'e/hasty': { 1: flattery } })).toMatchObject({
      words: 'Read the flattery',
      runId: 'e/hasty',
    });
  });

  it.each(ENVIRONMENT_NAMES)('are named by %s, with a verdict by which its rollouts can be filtered', (environment) => {
    const rolloutPresentation = rolloutPresentationOf(environment);
    expect(rolloutPresentation.worthReading.length).toBeGreaterThan(0);
    for (const { verdict } of rolloutPresentation.worthReading)
      expect(verdictsOf(rolloutPresentation)).toContain(verdict);
  });
});
