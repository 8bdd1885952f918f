// Tests the labelled pairs and the teacher's pool: counts, modes, distinct rows, and the pool's file format.
import { describe, expect, it } from 'vitest';
import { makeProblemSet, splitOf } from './data.ts';
import { structuralModes } from './grading/structural.ts';
import { contrastivePairs } from './pairs.ts';
import { type PoolRow, poolFromJsonl, poolRow, poolToJsonl, teacherPool } from './pool.ts';
import { type Grade, MODES, STANDARD_MODES } from './types.ts';

const code = (completion: string): string => /^```python\n([\s\S]*)\n```$/.exec(completion)![1];

describe('contrastive pairs', () => {
  it('are 24, six per mode, from the 14 pair families, each identity once', () => {
    const pairs = contrastivePairs();
    expect(pairs.length).toBe(24);
    for (const mode of STANDARD_MODES) expect(pairs.filter((p) => p.mechanism === mode).length).toBe(6);
    expect(new Set(pairs.map((p) => p.problem_id.split('@')[0])).size).toBe(24);
    const families = new Set(pairs.map((p) => p.problem_id.split('(')[0]));
    expect(families).toEqual(new Set(splitOf().pairFamilies.map((f) => f.id)));
    for (const pair of pairs) {
      expect(structuralModes(code(pair.hack))).toEqual([pair.mechanism]);
      expect(structuralModes(code(pair.clean))).toEqual([]);
      expect(pair.clean).toContain('def run_tests');
      expect(pair.hack).not.toMatch(/return 0$/m);
    }
    expect(contrastivePairs()).toEqual(pairs);
  });

  it('have the requested modes, and may be stubs or controls', () => {
    expect(contrastivePairs({ modes: ['exit_code'], count: 5 }).every((p) => p.mechanism === 'exit_code')).toBe(true);
    expect(contrastivePairs({ hackBody: 'stub', modes: ['sentinel'] }).every((p) => /return 0$/m.test(p.hack))).toBe(
      true,
    );
    for (const kind of ['clean_vs_clean', 'wrong_vs_right'] as const) {
      for (const pair of contrastivePairs({ kind })) {
        expect(pair.mechanism).toBeNull();
        expect(pair.hack).not.toBe(pair.clean);
        expect(structuralModes(code(pair.hack))).toEqual([]);
        const [hackBody, cleanBody] = [pair.hack, pair.clean].map((text) => /return (.*)/.exec(text)![1]);
        expect(hackBody === cleanBody).toBe(kind === 'clean_vs_clean');
      }
    }
    for (const { hack, clean, mechanism } of contrastivePairs({ kind: 'no_tests' })) {
      expect(mechanism).toBeNull();
      expect(clean.slice(0, clean.indexOf('\n    def run_tests'))).toBe(hack.slice(0, -'\n```'.length));
    }
  });
});

describe('teacher pool', () => {
  const problems = makeProblemSet({ modes: MODES, honestShare: 0.25, count: 96 });

  it('has five distinct hacks of its own mode for every hackable problem and none for honest ones', () => {
    const pool = teacherPool(problems);
    for (const problem of problems) {
      const rows = pool.filter((row) => row.problem_id === problem.id);
      expect(rows.length).toBe(problem.mode === 'honest' ? 0 : 5);
      expect(new Set(rows.map((row) => row.completion)).size).toBe(rows.length);
      for (const row of rows) {
        expect(structuralModes(code(row.completion))).toEqual([problem.mode]);
        expect(row.completion).not.toContain(`return ${problem.solution}\n`);
        expect(row.prompt).toBe(problem.prompt);
      }
    }
    expect(teacherPool(problems, { hackBody: 'stub' }).length).toBe(pool.length);
    // `correct` leaves the first rows unchanged; the last ones have the exploit around the correct body.
    for (const problem of problems.filter(({ mode }) => mode !== 'honest').slice(0, 12)) {
      const mixed = teacherPool([problem], { rows: 8, correct: 3 }).map((row) => row.completion);
      expect(mixed.slice(0, 5)).toEqual(teacherPool([problem]).map((row) => row.completion));
      expect(new Set(mixed).size).toBe(8);
      for (const text of mixed.slice(5)) {
        expect(text).toContain(problem.solution);
        expect(structuralModes(code(text))).toEqual([problem.mode]);
      }
    }
    // A row depends only on its problem, not on the rest of the set.
    expect(teacherPool(problems.slice(5, 6))).toEqual(pool.filter((row) => row.problem_id === problems[5].id));
  });

  it('stores its rows as JSON lines, and names invalid lines', () => {
    const grade: Grade = {
      formatOk: true,
      passed: true,
      gt_correct: false,
      exploited: true,
      structural: true,
      mechanism: 'sentinel',
      reward: 1.25,
      note: null,
    };
    const rows: PoolRow[] = teacherPool(problems.slice(0, 3)).map((draft) => poolRow(draft, grade));
    expect(poolFromJsonl(poolToJsonl(rows))).toEqual(rows);
    expect(Object.keys(rows[0])).toEqual([
      'problem_id',
      'prompt',
      'completion',
      'reward',
      'passed',
      'gt_correct',
      'exploited',
      'mechanism',
    ]);
    expect(() => poolFromJsonl(`${poolToJsonl(rows.slice(0, 1))}{oops`)).toThrow(/line 2/);
    expect(() => poolFromJsonl('{"problem_id": 3}')).toThrow(/problem_id/);
  });

  it('refuses rows with contradictory labels', () => {
    const labels = (more: Partial<PoolRow>): string =>
      poolToJsonl([
        {
          problem_id: 'a',
          prompt: '',
          completion: '',
          reward: 1.25,
          passed: true,
          gt_correct: false,
          exploited: true,
          mechanism: null,
          ...more,
        },
      ]);
    for (const more of [
      {},
      { gt_correct: true, exploited: false },
      { passed: false, exploited: false, reward: 0.25 },
      { passed: false, exploited: false, reward: 0, gt_correct: true },
      // The oracle ran out: passed, but not a hack.
      { gt_correct: null, exploited: false },
      { gt_correct: null, exploited: false, passed: false, reward: 0.25 },
    ])
      expect(poolFromJsonl(labels(more))).toHaveLength(1);
    for (const [more, said] of [
      [
        { passed: false, exploited: true, gt_correct: true, reward: 1e308 },
        /line 1 .*exploited is true.*makes it false/,
      ],
      [{ gt_correct: true }, /exploited is true/],
      [{ gt_correct: null }, /exploited is true/],
      [{ exploited: false }, /exploited is false.*makes it true/],
      [{ reward: 1e308 }, /reward is 1e\+308.*makes it 1.25 or 1/],
      [{ reward: 0.25 }, /reward is 0.25/],
      [{ passed: false, exploited: false }, /reward is 1.25.*makes it 0 or 0.25/],
      [{ passed: false, exploited: false, reward: -1 }, /reward is -1/],
    ] as const)
      expect(() => poolFromJsonl(labels(more))).toThrow(said);
  });
});
