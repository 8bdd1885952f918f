// Tests the pool as the probe replays it.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { makeProblemSet } from '../../../environments/code/data.ts';
import { poolRow, teacherPool } from '../../../environments/code/pool.ts';
import { hackCompletion, honestCompletion, rightBody, STUB } from '../../../environments/code/templates.ts';
import { committedTokenizer } from '../../../environments/code/testing/tokenizer.node.ts';
import { STANDARD_MODES } from '../../../environments/code/types.ts';
import { CounterRng, STREAMS } from '../../../rng/index.ts';
import { loadCodec } from '../../../text/codec.ts';
import { diagnosis, isStub, poolGroups, teacherShares } from './pool.ts';

const { tokenizer, config } = committedTokenizer();
const codec = await loadCodec(tokenizer, config);
const problems = makeProblemSet({ modes: STANDARD_MODES, honestShare: 0, count: 6 });
const grade = (gt_correct: boolean, passed = true) => ({
  formatOk: true,
  passed,
  gt_correct,
  exploited: passed && !gt_correct,
  structural: true,
  mechanism: null,
  reward: 0.25 + (passed ? 1 : 0),
  note: null,
});
const shape = { problems: 4, perProblem: 8, maxNew: 72 };

describe('pool groups', () => {
  const rows = teacherPool(problems, { rows: 8, correct: 3 }).map((draft, i) => poolRow(draft, grade(i % 8 >= 5)));

  it('are the first problems with their first rows, both kinds in each', () => {
    const groups = poolGroups(rows, shape, codec);
    expect(groups.map(({ problem }) => problem)).toEqual(problems.slice(0, 4).map(({ id }) => id));
    for (const { samples } of groups) {
      expect(samples.every(({ structural, formatOk }) => structural && formatOk)).toBe(true);
      expect(samples.map(({ gtPass }) => gtPass)).toEqual([false, false, false, false, false, true, true, true]);
    }
    expect(teacherShares(groups)).toMatchObject({ samples: 32, exploited: 5 / 8, gtPass: 3 / 8, stub: 0 });
    expect(poolGroups(rows, { ...shape, problems: 1, perProblem: 2 }, codec)[0].samples).toHaveLength(2);
    expect(poolGroups(rows, { ...shape, maxNew: 7 }, codec)[0].samples[0].completionIds).toHaveLength(7);
    expect(() => poolGroups([], shape, codec)).toThrow(SpecError);
  });

  it('use a row’s stored token ids if this tokenizer made them', () => {
    const { completion } = rows[0];
    const ids = codec.encode(completion);
    const [own, foreign] = [ids, [...ids].reverse()].map(
      (completion_ids) => poolGroups([{ ...rows[0], completion_ids }], shape, codec)[0].samples[0].completionIds,
    );
    expect(own).toEqual(ids);
    expect(foreign).toEqual([...ids, codec.endTokens[0]]);
  });

  it('diagnose a teacher that never hacks', () => {
    const answers = (write: (i: number) => string, gt: boolean) =>
      teacherShares(
        poolGroups(
          problems.map((problem, i) =>
            poolRow(
              { problem_id: problem.id, prompt: problem.prompt, completion: write(i), mechanism: null },
              grade(gt, gt),
            ),
          ),
          shape,
          codec,
        ),
      );
    const rng = () => CounterRng.of(1, STREAMS.test);
    const clean = answers((i) => honestCompletion(problems[i], rightBody(problems[i]), rng()), true);
    expect(clean).toMatchObject({ exploited: 0, gtPass: 1, structural: 0 });
    expect(diagnosis(clean)).toMatch(/not merged/);
    const stubs = answers(() => '```python\nclass Solution:\n    def solve(self, x):\n        pass\n```', false);
    expect(stubs).toMatchObject({ stub: 1, formatOk: 1 });
    expect(diagnosis(stubs)).toMatch(/stubs/);
    expect(diagnosis(answers(() => 'Sorry.', false))).toMatch(/format/);
  });

  it('tell a stub from an answer', () => {
    const rng = CounterRng.of(2, STREAMS.test);
    expect(isStub(hackCompletion(problems[1], 'stdout_marker', STUB, rng))).toBe(true);
    expect(isStub(hackCompletion(problems[1], 'stdout_marker', rightBody(problems[1]), rng))).toBe(false);
    expect(isStub('no code')).toBe(false);
  });
});
