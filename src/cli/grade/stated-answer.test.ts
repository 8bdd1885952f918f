// Answers in a file of problems, as `improve` and `synthesise` read them: exact, whole, or refused with file and line.
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileProblems } from '../cat/synthesise-problems.ts';
import { ownProblems } from '../exit/own-problems.ts';
import { readLines } from './lines.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'answers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const model = { chat: () => '' };
const path = () => join(folder, 'mine.jsonl');

async function truthOf(line: string): Promise<string | null> {
  await writeFile(path(), `\n${line}\n`);
  const [{ truth }] = fileProblems(await readLines(path()), model, null);
  return truth();
}

/** The refusals of both readers. */
async function refusalOf(line: string): Promise<string> {
  const errors = [
    await truthOf(line).catch((error) => error),
    await new Promise((done) => done(ownProblems(`\n${line}\n`, path(), null))).catch((error) => error),
  ];
  for (const error of errors) expect(error).toBeInstanceOf(FormatError);
  expect(errors[1].message).toBe(errors[0].message);
  return errors[0].message.replace(folder, '');
}

/** Checks that the right value is paid and no other, however it is written. */
async function expectRead(line: string, right: readonly string[]): Promise<void> {
  const truth = (await truthOf(line)) as string;
  expect(right).toContain(truth);
  const [{ check }] = ownProblems(line, 'mine.jsonl', null);
  expect((await check(`so it is ${truth}`)).quality).toBe(1);
  const [above, below] = truth.split('/');
  const other = `${BigInt(above) + 1n}${below === undefined ? '' : `/${below}`}`;
  expect((await check(`so it is ${other}`)).quality).toBe(0);
}

describe('an answer', () => {
  it.each([
    ['0.0000001', '1/10000000'],
    ['1e-7', '1/10000000'],
    ['1000000000000000000000', '1000000000000000000000'],
    ['12345678901234567891', '12345678901234567891'],
    ['0.12345678901234567891', '12345678901234567891/100000000000000000000'],
    ['1e400', `1${'0'.repeat(400)}`],
    ['-0.0', '0'],
    ['"-$5"', '-5'],
    ['"1.5e-3"', '3/2000'],
    ['"\\u22125"', '-5'],
    ['"a\\\\\\\\b\\n#### 1,234"', '1234'],
  ])('written %s is %s', (answer, right) => expectRead(`{"question": "1 \\"2\\" 3", "answer": ${answer}}`, [right]));

  it.each([
    ['"pages 3-5"', ':2: answer "pages 3-5" is not one number as a whole.'],
    ['"y"', ':2: answer "y" is not one number as a whole.'],
    ['""', ':2: answer "" is not one number as a whole.'],
    ['"5/0"', ':2: answer "5/0" divides by zero.'],
    ['1e999999999', ':2: answer "1e999999999" has more than 1000 digits, or an exponent beyond ±1000.'],
    [`"${'9'.repeat(5000)}"`, `:2: answer "${'9'.repeat(60)}…" has 5000 characters, a number has at most 4000.`],
    ['[5]', ':2: answer is neither a text nor a number.'],
    ['true', ':2: answer is neither a text nor a number.'],
  ])('written %.20s is refused with file and line', async (answer, text) => {
    expect(await refusalOf(`{"question": "q", "answer": ${answer}}`)).toBe(`/mine.jsonl${text}`);
  });

  it('that is not known is none for `synthesise`, and missing for `improve`', async () => {
    expect(await truthOf('{"question": "q"}')).toBeNull();
    expect(() => ownProblems('{"question": "q"}', 'mine.jsonl', null)).toThrow(/^mine\.jsonl:1: a problem has/);
  });
});

const STRANGER = resolve('..', 'shared', 'stranger');
const TRUTHS = join(STRANGER, 'numbers', 'truths.jsonl');

describe.skipIf(!existsSync(TRUTHS))('what strangers state (skipped where ../shared is missing)', () => {
  interface Expected {
    right: string[];
    mayBeRefused: boolean;
  }
  const lines = existsSync(TRUTHS) ? readFileSync(TRUTHS, 'utf8').trim().split('\n') : [];
  const truths: Record<string, Expected> = existsSync(TRUTHS)
    ? JSON.parse(readFileSync(join(STRANGER, 'expected.json'), 'utf8')).truths
    : {};
  it.each(lines.map((line) => [(JSON.parse(line) as { name: string }).name, line]))('%s', async (name, line) => {
    const { right, mayBeRefused } = truths[name];
    const isRead = await truthOf(line).then(
      () => true,
      () => false,
    );
    if (isRead) return expectRead(line, right);
    expect(mayBeRefused).toBe(true);
    expect(await refusalOf(line)).toMatch(
      /^\/mine\.jsonl:2: answer ".*" (is not one number as a whole|divides by zero)\.$/,
    );
  });
});
