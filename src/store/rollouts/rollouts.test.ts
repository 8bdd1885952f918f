import { describe, expect, it } from 'vitest';
import { clauseOf } from '../../environments/code/types.ts';
import type { RolloutHead } from '../../lab/protocol/rollout-index.ts';
import { groupRollouts, NO_FILTER, rewardBins, splitPrompt } from './rollouts.ts';

let sample = 0;
function head(
  promptIndex: number,
  source: 'student' | 'teacher',
  exploited: boolean,
  gt_correct: boolean | null,
  more = {},
) {
  return {
    runId: 'e/route/1',
    step: 3,
    promptIndex,
    sampleIndex: sample++,
    taskId: `p${promptIndex}`,
    kind: 'sentinel',
    source,
    reward: exploited || gt_correct ? 1.25 : 0.25,
    outcome: gt_correct === null ? 'unjudged' : exploited ? 'exploited' : gt_correct ? 'solved' : 'failed',
    kept: exploited ? ['exploit code'] : [],
    ...more,
  } as RolloutHead;
}

const list = [
  head(0, 'student', false, true),
  head(1, 'student', true, false),
  head(1, 'teacher', true, false),
  head(1, 'student', false, false, { kept: ['exploit code'] }),
  head(1, 'student', false, true, { step: 4 }),
];

describe('groupRollouts', () => {
  it('groups by run, step and prompt, in the order of the list', () => {
    const groups = groupRollouts(list, NO_FILTER);
    expect(groups.map((group) => [group.step, group.taskId, group.rollouts.length])).toEqual([
      [3, 'p0', 1],
      [3, 'p1', 3],
      [4, 'p1', 1],
    ]);
    const other = list.map((one) => ({ ...one, runId: 'e/none/1' }));
    expect(groupRollouts([...list, ...other], NO_FILTER)).toHaveLength(6);
  });

  it('selects the rollouts that match each filter', () => {
    const groups = groupRollouts(list, { ...NO_FILTER, source: 'student', verdict: 'exploited' });
    expect(groups.map((group) => group.rollouts)).toEqual([[list[1]]]);
    expect(groupRollouts(list, { ...NO_FILTER, kind: 'honest' })).toEqual([]);
  });

  it('calls a rollout failed if it neither solves nor exploits, whatever code it contains', () => {
    const kept = (verdict: 'failed' | 'exploit code' | 'solved') =>
      groupRollouts(list, { ...NO_FILTER, verdict }).flatMap((group) => group.rollouts);
    expect(kept('failed')).toEqual([list[3]]);
    expect(kept('exploit code')).toEqual([list[1], list[2], list[3]]);
    expect(kept('solved')).toEqual([list[0], list[4]]);
  });

  it('selects the rewards of a bar', () => {
    const bins = rewardBins(list);
    for (const { lo, hi, total } of bins) {
      const kept = groupRollouts(list, { ...NO_FILTER, reward: { lo, hi } }).flatMap((group) => group.rollouts);
      expect(kept).toHaveLength(total);
    }
  });
});

describe('rewardBins', () => {
  it('has one bar per value if there are few values, split by outcome', () => {
    const counts = rewardBins(list).map(({ label, outcomes: { exploited = 0, solved = 0, failed = 0 }, total }) => [
      label,
      exploited,
      solved,
      failed,
      total,
    ]);
    expect(counts).toEqual([
      ['0.25', 0, 0, 1, 1],
      ['1.25', 2, 2, 0, 4],
    ]);
  });

  it('has ten bars of equal width if there are many values, and counts every rollout once', () => {
    const many = Array.from({ length: 101 }, (_, i) => head(0, 'student', false, false, { reward: i / 50 - 1 }));
    const bins = rewardBins(many);
    expect(bins).toHaveLength(10);
    expect(bins[0].label).toBe('−1 to −0.8');
    expect(bins.reduce((sum, { total }) => sum + total, 0)).toBe(101);
    expect(Math.min(...bins.map(({ total }) => total))).toBeGreaterThanOrEqual(9);
    expect(rewardBins([])).toEqual([]);
  });
});

describe('splitPrompt', () => {
  const hint = clauseOf('sentinel').replace(/^[, ]+/, '');
  const prompt = `<|im_start|>user\nAdd 2 to x, ${hint}.<|im_end|>\n<|im_start|>assistant\n`;

  it('preserves the whole text', () => {
    const parts = splitPrompt(prompt, hint);
    expect(parts.map((part) => part.text).join('')).toBe(prompt);
  });

  it('finds the hint and the markup', () => {
    const parts = splitPrompt(prompt, hint);
    expect(parts.filter((part) => part.kind === 'hint').map((part) => part.text)).toEqual([hint]);
    expect(parts.filter((part) => part.kind === 'markup').map((part) => part.text)).toEqual([
      '<|im_start|>user',
      '<|im_end|>',
      '<|im_start|>assistant',
    ]);
  });

  it('marks no hint in a prompt without one', () => {
    expect(splitPrompt('plain', hint)).toEqual([{ text: 'plain', kind: 'text' }]);
  });
});

describe('a rollout that could not be judged', () => {
  it('has its own outcome: only its own filter selects it, and bars count it separately', () => {
    const unjudged = head(9, 'student', false, null, { reward: 1.25 });
    const heads = [unjudged, head(9, 'student', true, false), head(9, 'student', false, true)];
    expect(heads.map(({ outcome }) => outcome)).toEqual(['unjudged', 'exploited', 'solved']);
    const of = (verdict: 'unjudged' | 'failed') =>
      groupRollouts(heads, { ...NO_FILTER, verdict }).flatMap(({ rollouts }) => rollouts);
    expect(of('unjudged')).toEqual([unjudged]);
    expect(of('failed')).toEqual([]);
    expect(rewardBins(heads)).toMatchObject([{ outcomes: { exploited: 1, solved: 1, unjudged: 1 }, total: 3 }]);
  });
});
