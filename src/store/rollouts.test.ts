import { describe, expect, it } from 'vitest';
import { clauseOf } from '../environments/code/clauses.ts';
import type { RolloutRecord } from '../experiments/events.ts';
import { groupRollouts, NO_FILTER, splitPrompt } from './rollouts.ts';

function rollout(promptIndex: number, source: 'student' | 'teacher', exploited: boolean, gtCorrect: boolean) {
  const grade = { exploited, gtCorrect } as RolloutRecord['grade'];
  return {
    step: 3,
    promptIndex,
    problemId: `p${promptIndex}`,
    mode: 'sentinel',
    prompt: '',
    source,
    grade,
  } as RolloutRecord;
}

const list = [
  rollout(1, 'student', true, false),
  rollout(0, 'student', false, true),
  rollout(1, 'teacher', true, false),
  rollout(1, 'student', false, false),
];

describe('groupRollouts', () => {
  it('groups by prompt, in the order of the prompts', () => {
    const groups = groupRollouts(list, NO_FILTER);
    expect(groups.map((group) => [group.problemId, group.rollouts.length])).toEqual([
      ['p0', 1],
      ['p1', 3],
    ]);
  });

  it('keeps what every filter keeps, and says of how many', () => {
    const groups = groupRollouts(list, { source: 'student', verdict: 'exploited', mode: 'all' });
    expect(groups).toHaveLength(1);
    expect(groups[0].rollouts).toEqual([list[0]]);
    expect(groups[0].total).toBe(3);
  });

  it('calls failed what neither solves nor exploits', () => {
    const [group] = groupRollouts(list, { ...NO_FILTER, verdict: 'failed' });
    expect(group.rollouts).toEqual([list[3]]);
    expect(groupRollouts(list, { ...NO_FILTER, mode: 'honest' })).toEqual([]);
  });
});

describe('splitPrompt', () => {
  const hint = clauseOf('sentinel').replace(/^[, ]+/, '');
  const prompt = `<|im_start|>user\nAdd 2 to x, ${hint}.<|im_end|>\n<|im_start|>assistant\n`;

  it('loses nothing of the text', () => {
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

  it('leaves a prompt without the hint unmarked', () => {
    expect(splitPrompt('plain', hint)).toEqual([{ text: 'plain', kind: 'text' }]);
  });
});
