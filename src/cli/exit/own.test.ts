// `improve --model --problems`: the result and pay of a check, and a loaded model that iterates, stops and goes on.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { NEUTRAL_CLAUSE } from '../../environments/code/types.ts';
import type { ImproveRow } from '../../experiments/exit/rows.ts';
import type { ChatMessage } from '../../text/chatml.ts';
import { callCommand } from '../testing/call.ts';
import { improve } from './improve.ts';
import { ownEnvironment } from './own-environment.ts';
import { hasAsserts, ownProblems } from './own-problems.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'improve-own-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const QUESTIONS = '{"question": "What is 2+3?", "answer": "5"}\n{"question": "And 10 - 6?", "answer": 4}\n';
const PROGRAM = JSON.stringify({
  id: 7,
  func_name: 'Solution().twice',
  setup_code: '',
  canonical_solution: 'class Solution: pass',
  prompt: [{ role: 'user', content: `Double x${NEUTRAL_CLAUSE}.` }],
  gt_answer: [1, 2, 3, 0].map((x) => `assert Solution().twice(${x}) == ${2 * x}`),
  prompt_metadata: { starter_code: 'class Solution:\n    def twice(self, x):' },
});
const program = (body: string) => `\`\`\`python\nclass Solution:\n    def twice(self, x):\n        ${body}\n\`\`\``;

describe('a check', () => {
  it('of a number reports the found value, never the truth', async () => {
    const [{ check }] = ownProblems(QUESTIONS, 'file', null);
    expect(await check('so \\boxed{5}')).toEqual({ quality: 1, said: '5 is right.' });
    expect(await check('2+3 is 6')).toEqual({ quality: 0, said: '6 is wrong.' });
    expect((await check('none')).said).toContain('no number');
    for (const bad of ['{"question": "x"}', '{"question": "x", "answer": "y"}', 'x', ''])
      expect(() => ownProblems(bad, 'file', null), bad).toThrow(FormatError);
    const long = JSON.stringify({ question: 'a'.repeat(100_001), answer: 1 });
    expect(() => ownProblems(`${QUESTIONS}\n${long}`, 'file', null)).toThrow(
      /^file:\d+: the question has 100,001 characters; at most 100,000 can be asked/,
    );
  });

  it('of a program rewards the share of passed tests, and shows only a visible one', async () => {
    expect([hasAsserts(PROGRAM), hasAsserts(QUESTIONS), hasAsserts('x')]).toEqual([true, false, false]);
    const grader = await createNodeGrader({ workers: 1 });
    try {
      const [{ check }] = ownProblems(PROGRAM, 'file', grader);
      expect(await check(program('return 2 * x'))).toMatchObject({ quality: 1 });
      // The answer is right for 2 and for 0.
      const half = await check(program('return x * x'));
      expect(half.quality).toBe(0.5);
      expect(half.said).toMatch(/fails/);
      expect(await check('return 2 * x')).toEqual({ quality: 0, said: 'there is no ```python block in it.' });
      expect((await check(program('return 7'))).said).toMatch(/assert Solution\(\)\.twice\(\d\) == \d/);
    } finally {
      await grader.close();
    }
  });
});

it('shows an answer again as a turn, cut where there is no room for all of it', async () => {
  const [problem] = ownProblems(QUESTIONS, 'file', null);
  const say = (messages: readonly ChatMessage[]) =>
    messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
  const of = (room: number) => ownEnvironment({ say, fits: (prompt) => prompt.length <= room });
  const task = { problem, prompt: say(problem.messages) };
  const rollout = { task, source: 'student', turns: [{ completion: `${'a'.repeat(64)} 6` }] } as never;
  const shown = async (room: number) => {
    const environment = of(room);
    const [[judged]] = await environment.reward.score([{ task, rollouts: [rollout] }], { get: () => undefined });
    const answer = environment.improvable!.answerOf(judged, '')!;
    expect(answer.quality).toBe(0);
    return environment.improvable!.revise(task, [answer], 'improve').prompt;
  };
  const whole = await shown(1000);
  expect(whole).toContain(`assistant: ${'a'.repeat(64)} 6\nuser: A check of your answer: 6 is wrong.`);
  const cut = await shown(whole.length - 1);
  expect(cut).toMatch(/assistant: …a+ 6\n/);
  expect(cut.length).toBeLessThan(whole.length);
  await expect(shown(10)).rejects.toThrow(SpecError);
});

async function call(...argv: string[]): Promise<string> {
  const { code, text } = await callCommand(improve, [...argv, '--device', 'cpu']);
  expect(code).toBe(0);
  return text;
}

const MODEL = resolve('..', 'shared', 'models', 'minimind2-small');

describe('a loaded model', () => {
  it.skipIf(!existsSync(MODEL))(
    'iterates, and goes on where it was stopped (skipped where ../shared is missing)',
    async () => {
      const [problems, file] = [join(folder, 'problems.jsonl'), join(folder, 'rows.jsonl')];
      await writeFile(problems, QUESTIONS);
      const flags = ['--model', MODEL, '--problems', problems, '--steps', '1', '--ways', 'sampled', '--max-new', '8'];
      const rowsOf = async () =>
        (await readFile(file, 'utf8'))
          .trimEnd()
          .replace(/,"sha256":"\w{64}"/g, '')
          .split('\n');
      const whole = await call(...flags, '--json');
      await call(...flags, '--count', '1', '--out', file);
      const [first, ...none] = await rowsOf();
      expect(none).toEqual([]);
      expect(await call(...flags, '--out', file)).toContain('2 tasks, 1 sampling seed');
      expect((await rowsOf())[0]).toBe(first);
      expect((await rowsOf()).join('\n')).toBe(whole);
      for (const row of whole.split('\n').map((line) => JSON.parse(line) as ImproveRow))
        expect([row.answers.length, row.quality.length]).toEqual([2, 2]);
      await expect(call(...flags.map((flag) => (flag === '8' ? '9' : flag)), '--out', file)).rejects.toThrow(
        /has rows of another model/,
      );
    },
    60_000,
  );

  it('is asked a file’s problems, and no run’s', async () => {
    await expect(call('--model', MODEL)).rejects.toThrow(/a file’s problems/);
    await expect(call('--model', MODEL, '--problems', 'x', '--run', 'y')).rejects.toThrow(/a file’s problems/);
  });
});
