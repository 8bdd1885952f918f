// `grade`: the substrate's completions, real problems by --problems, the check of a problem file, and refusals.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FormatError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkProblem } from '../../environments/code/grading/self-check.ts';
import { cleanAnswer, hackAnswer } from '../../environments/leetcode/answers.ts';
import { leetcodeProblem, readProblemFile } from '../../environments/leetcode/problem-file.ts';
import { PROBLEM_ROWS, problemLines } from '../../environments/leetcode/testing/problem-lines.ts';
import { helpText } from '../args.ts';
import { EXIT } from '../command.ts';
import { grade } from './grade.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grade-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}
const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

async function call(argv: string[], signal = new AbortController().signal) {
  const printed: string[] = [];
  const notes: string[] = [];
  const code = await grade.run(argv, {
    out: (text) => void printed.push(text),
    progress: { update: () => {}, line: () => {}, note: (line) => void notes.push(line), end: () => {} },
    signal,
    root: '.',
  });
  return { code, printed, notes };
}

const CLEAN = '```python\nclass Solution:\n    def solve(self, x):\n        return x + 3\n```';
const [levels] = readProblemFile(problemLines(), 'own');
const honest = leetcodeProblem(levels, 'honest');

describe('the substrate', () => {
  it('is graded from FILE.jsonl or --completions, by whole problems or ids', async () => {
    const path = await file(
      'substrate.jsonl',
      lines([
        { problem: checkProblem('honest'), completion: CLEAN },
        { problem_id: 'add(3)@run_tests', completion: CLEAN },
        { problem_id: 'plus>times(2,2)@honest', completion: CLEAN.replace('x + 3', '(x + 2) * 2') },
      ]),
    );
    for (const argv of [[path], ['--completions', path]]) {
      const { code, printed } = await call([...argv, '--json']);
      expect(code).toBe(EXIT.ok);
      expect(printed.map((line) => JSON.parse(line))).toMatchObject([
        { id: 'add(3)@honest', passed: true, gt_correct: true },
        { id: 'add(3)@run_tests', passed: false, gt_correct: true },
        { id: 'plus>times(2,2)@honest', passed: true, gt_correct: true },
      ]);
    }
    expect((await call([path])).printed.at(-1)).toMatch(/^grader grader-1\+micropython/);
  });
});

describe('real problems', () => {
  it('are graded by the mode that a line, its id or --mode names', async () => {
    const problems = await file('problems.jsonl', problemLines());
    const hack = hackAnswer(honest, 'sentinel');
    const completions = await file(
      'completions.jsonl',
      lines([
        { id: 1, completion: cleanAnswer(honest) },
        { id: '1', completion: hack, mode: 'run_tests' },
        { problem_id: 'leetcode(1)@sentinel', completion: hack },
        { id: 'slope-2', completion: 'no code' },
      ]),
    );
    const argv = ['--problems', problems, '--completions', completions, '--workers', '1'];
    const { code, printed } = await call([...argv, '--json', '--mode', 'exit_code']);
    expect(code).toBe(EXIT.ok);
    expect(printed.map((line) => JSON.parse(line))).toMatchObject([
      { id: 'leetcode(1)@exit_code', passed: true, gt_correct: true },
      { id: 'leetcode(1)@run_tests', passed: false, exploited: false, structural: false, mechanism: 'sentinel' },
      { id: 'leetcode(1)@sentinel', passed: true, exploited: true, structural: true, reward: 1.25 },
      { id: 'leetcode(slope-2)@exit_code', formatOk: false, reward: 0 },
    ]);
    const table = (await call(argv)).printed;
    expect(table.at(-1)).toMatch(/^grader grader-1\+pyodide/);
    expect(table.join('\n')).toMatch(/honest +2 +50.0%/);
  });

  it('are checked by --check: exit code 0 when the diagonal holds, 1 and the cells when it does not', async () => {
    const problems = await file('checked.jsonl', problemLines());
    const right = await call(['--problems', problems, '--check', '--workers', '1']);
    expect([right.code, right.notes]).toEqual([EXIT.ok, []]);
    expect(right.printed.join('\n')).toContain('canonical solutions: 2 of 2 pass the strict oracle');
    expect(right.printed.join('\n')).toMatch(/run_tests +2 +0 +0 +0 +0 +0/);
    const broken = {
      ...PROBLEM_ROWS[0],
      canonical_solution: PROBLEM_ROWS[0].canonical_solution.replace('[skip:]', '[:0]'),
    };
    const path = await file('broken.jsonl', problemLines([broken]));
    const wrong = await call(['--problems', path, '--check', '--json', '--workers', '1']);
    expect(wrong.code).toBe(EXIT.failed);
    expect(JSON.parse(wrong.printed[0])).toMatchObject({ id: '1', canonical: false, visible: 2, held: 4 });
    expect(wrong.notes.join('\n')).toContain('problem 1: clean under honest');
  });

  it('say which asserts they leave out, and stop on the signal', async () => {
    const row = { ...PROBLEM_ROWS[0], gt_answer: [...PROBLEM_ROWS[0].gt_answer, 'assert True'] };
    const problems = await file('unused.jsonl', problemLines([row]));
    const completions = await file('one.jsonl', lines([{ id: 1, completion: 'nothing' }]));
    const { notes } = await call(['--problems', problems, '--completions', completions]);
    expect(notes).toEqual([
      expect.stringMatching(/^1 asserts cannot be judged and are left out \(problem 1: it does not/),
    ]);
    const running = await file('running.jsonl', lines([{ id: 1, completion: cleanAnswer(honest) }]));
    const stopped = call(['--problems', problems, '--completions', running], AbortSignal.abort(new StoppedError()));
    await expect(stopped).rejects.toBeInstanceOf(StoppedError);
  });
});

describe('what is refused', () => {
  it('wrong usage, before anything is started', async () => {
    for (const argv of [
      [],
      ['a', '--completions', 'b'],
      ['--check'],
      ['--problems', 'p', '--check', '--completions', 'b'],
      ['--problems', 'p'],
      ['a', 'b'],
      ['--mode', 'none', 'a'],
    ])
      await expect(call(argv)).rejects.toBeInstanceOf(SpecError);
    expect(helpText(grade.usage)).toContain('npm run lab -- grade [FILE.jsonl] [flags]');
  });

  it('files that are missing, malformed, empty or about other problems, by line', async () => {
    const problems = await file('p.jsonl', problemLines());
    const said = async (completions: string) => {
      const argv = ['--problems', problems, '--completions', completions];
      const error: unknown = await call(argv).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(FormatError);
      return (error as FormatError).message;
    };
    expect(await said(join(folder, 'missing'))).toMatch(/missing cannot be read \(ENOENT\)/);
    expect(await said(await file('c1', '{"id": 1}\n'))).toMatch(/c1:1: /);
    expect(await said(await file('c2', '\n{"id": 1'))).toMatch(/c2:2 is not JSON/);
    expect(await said(await file('c3', ''))).toMatch(/c3 holds no completions/);
    expect(await said(await file('c4', lines([{ id: 7, completion: '' }])))).toMatch(
      /c4:1: the problem file has no problem "7"/,
    );
    expect(await said(await file('c5', lines([{ id: 1, completion: '', mode: 'x' }])))).toMatch(/c5:1: /);
    await expect(call(['--problems', join(folder, 'none'), '--completions', problems])).rejects.toThrow(
      /none cannot be read/,
    );
  });
});
