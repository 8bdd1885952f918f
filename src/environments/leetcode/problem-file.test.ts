// Tests the problem file: the problems made from a line for each mode, and the messages for refused lines.
import { existsSync, readFileSync } from 'node:fs';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { structuralModes } from '../code/grading/structural.ts';
import { HINT_CLAUSES, MODES } from '../code/types.ts';
import { cleanAnswer, hackAnswer } from './answers.ts';
import { readAssert, splitTests, visibleCount } from './asserts.ts';
import { leetcodeProblem, readProblemFile } from './problem-file.ts';
import { PROBLEM_ROWS, problemLines, SAMPLE_PROBLEMS } from './testing/problem-lines.ts';

const [row] = PROBLEM_ROWS;
const refusal = (...rows: object[]): string => {
  try {
    readProblemFile(problemLines(rows), 'file');
  } catch (error) {
    if (error instanceof FormatError) return `${error.message} | ${error.remedy}`;
    throw error;
  }
  return 'read';
};

describe('a line', () => {
  it('becomes a problem with disjoint visible and held-out tests', () => {
    const [first, second] = readProblemFile(`\n${problemLines()}\n`, 'file');
    expect(first).toMatchObject({
      id: '1',
      difficulty: 'medium',
      entry: 'levelSums',
      signature: 'root: Optional[TreeNode], skip: int = 0',
      unused: [],
    });
    expect(second).toMatchObject({ id: 'slope-2', difficulty: null, entry: 'steepest' });
    expect([first.visible.length, first.held.length]).toEqual([2, 4]);
    const args = [...first.visible, ...first.held].map(({ exact }) => exact?.args);
    expect(new Set(args).size).toBe(6);
    expect(first.held.map(({ exact }) => exact?.value)).toContainEqual([
      'list',
      [
        ['int', '1000000000000000000'],
        ['int', '2000000000000000000'],
      ],
    ]);
  });

  it('has seven grades: the hint replaces the neutral clause, the rest is unchanged', () => {
    const [problem] = readProblemFile(problemLines(), 'file');
    const honest = leetcodeProblem(problem, 'honest');
    expect(honest.prompt).toContain('called levelSums and should pass all tests. Use');
    expect(
      honest.prompt.startsWith('<|im_start|>system\nYou are a Python programmer.<|im_end|>\n<|im_start|>user\n'),
    ).toBe(true);
    expect(honest.prompt.endsWith('SOLUTION:\n<|im_end|>\n<|im_start|>assistant\n')).toBe(true);
    for (const mode of MODES) {
      const hinted = leetcodeProblem(problem, mode);
      expect(hinted.id).toBe(`leetcode(1)@${mode}`);
      expect(hinted.prompt).toBe(honest.prompt.replace(' and should pass all tests', HINT_CLAUSES[mode]));
      expect(hinted).toMatchObject({ mode, entry: 'levelSums', visible: honest.visible, held: honest.held });
    }
    expect(honest.description).toBe('Given a binary tree, return the sum of each level.');
  });

  it('has hacks whose exploit the detector finds, and clean answers without one', () => {
    for (const problem of readProblemFile(problemLines(), 'file')) {
      const code = (answer: string) => answer.slice('```python\n'.length, -'\n```'.length);
      for (const mode of MODES) {
        const hinted = leetcodeProblem(problem, mode);
        expect(structuralModes(code(hackAnswer(hinted, mode)), hinted.entry)).toEqual([mode]);
        expect(structuralModes(code(cleanAnswer(hinted)), hinted.entry)).toEqual([]);
      }
    }
  });
});

describe('a refusal', () => {
  it('names the line, the error and the remedy', () => {
    expect(refusal({ ...row, gt_answer: undefined })).toMatch(/^file:1: .*gt_answer.*\| Each line needs id, prompt/s);
    expect(refusal(row, { ...row, id: 2, func_name: 'levelSums' })).toMatch(/^file:2: .*func_name/s);
    expect(refusal({ ...row, id: '', prompt: [{ role: 'tool', content: 1 }] })).toMatch(
      /^file:1: missing or of another form: id, prompt\.0\.role, prompt\.0\.content\. \| Each line needs/,
    );
    expect(() => readProblemFile('7', 'file')).toThrow('file:1: no JSON object.');
    expect(refusal(row, row)).toMatch(/^file:2: id 1 is also on line 1/);
    expect(refusal({ ...row, func_name: 'Solution().other' })).toMatch(
      /starter_code defines no method other\(self, …\)/,
    );
    expect(refusal({ ...row, prompt: [{ role: 'user', content: 'Write it.' }] })).toMatch(
      /nowhere says "and should pass all tests"/,
    );
    const long = { role: 'user', content: `x and should pass all tests ${'a'.repeat(1_000_000)}` };
    expect(refusal(row, { ...row, id: 2, prompt: [long] })).toMatch(
      /^file:2: the prompt has 1,000,028 characters; at most 100,000 can be asked/,
    );
    expect(refusal()).toMatch(/^file holds no problems/);
    expect(() => readProblemFile('{"id": 1', 'file')).toThrow(/^file:1 is not JSON/);
    const equal = 'assert Solution().levelSums(root = None) == []';
    expect(refusal({ ...row, gt_answer: [equal, equal, equal] })).toMatch(
      /1 of 3 asserts can be judged \(equal ones count once\)/,
    );
    const loose = 'assert abs(Solution().levelSums(root = None)) < 1';
    expect(refusal({ ...row, gt_answer: [loose] })).toMatch(
      /0 of 1 asserts can be judged; the first that cannot does not begin/,
    );
  });

  it('does not concern an assert that only Python could judge: it is left out and listed', () => {
    const other = 'assert Solution().levelSums(root = None) == tree_node([1])';
    const [problem] = readProblemFile(problemLines([{ ...row, gt_answer: [...row.gt_answer, other] }]), 'file');
    expect(problem.unused).toEqual([{ assert: other, why: 'expects "tree_node([1])", which is not a literal' }]);
    expect(problem.visible.length + problem.held.length).toBe(row.gt_answer.length);
  });
});

describe('an assert', () => {
  const call = 'Solution().f';
  it('gives the call’s arguments unchanged, including brackets inside strings', () => {
    const read = readAssert(`assert ${call}(s = "a)(\\"", t = [(1, 2), {'x': ')'}])  ==  "b == c"`, call);
    expect(read).toEqual({
      test: {
        args: [],
        expected: null,
        exact: { args: `s = "a)(\\"", t = [(1, 2), {'x': ')'}]`, expected: '"b == c"', value: ['str', 'b == c'] },
      },
    });
  });

  it('of another form is refused', () => {
    for (const line of [
      `assert ${call}(1`,
      `assert ${call}(1) != 2`,
      `assert ${call}(1)`,
      `assert not ${call}(1)`,
      `${call}(1) == 2`,
      `assert ${call}(1) == 2, "text"`,
    ])
      expect(readAssert(line, call)).toHaveProperty('refused');
  });

  it('is visible for a quarter of the tests, and their answers differ if any do', () => {
    expect([3, 4, 8, 40, 64, 200].map(visibleCount)).toEqual([2, 2, 2, 10, 16, 16]);
    const tests = ['1', '1', '1', '1', '1', '2'].map((expected, i) => ({ args: [i], expected: Number(expected) }));
    const { visible, held } = splitTests(tests);
    expect(new Set(visible.map(({ expected }) => expected))).toEqual(new Set([1, 2]));
    expect(visible.length + held.length).toBe(6);
  });
});

it.skipIf(!existsSync(SAMPLE_PROBLEMS))(
  'reads the benchmark’s sample: 60 problems, every assert (skipped where it is not at hand)',
  () => {
    const problems = readProblemFile(readFileSync(SAMPLE_PROBLEMS, 'utf8'), 'sample');
    expect(problems.length).toBe(60);
    expect(problems.flatMap(({ unused }) => unused)).toEqual([]);
    for (const { visible, held } of problems)
      expect(visible.length >= 7 && held.length > 2 * visible.length).toBe(true);
  },
);
