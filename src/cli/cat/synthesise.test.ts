// `synthesise`: an environment's table and its rows, a file with and without answers, and refusals.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InferenceRow } from '../../experiments/cat/infer.ts';
import { callCommand } from '../testing/call.ts';
import { synthesise } from './synthesise.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'synthesise-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function call(...argv: string[]): Promise<string> {
  const { code, text } = await callCommand(synthesise, [...argv, '--device', 'cpu'], { root });
  expect(code).toBe(0);
  return text;
}

describe('an environment', () => {
  it('has a row a problem and seed, of which the same table is printed again', async () => {
    const path = join(folder, 'rows.jsonl');
    const table = await call('--world', 'arithmetic', '--count', '2', '--group', '1,3', '--seeds', '2', '--out', path);
    const rows = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as InferenceRow);
    expect(rows).toHaveLength(8);
    for (const { answers, references, truth } of rows) {
      expect(answers).toHaveLength(3);
      expect(typeof truth).toBe('string');
      expect(Object.keys(references)).toEqual(['1', '3']);
      // If there is one attempt, every estimator chooses its answer.
      for (const id of ['majority', 'min_perplexity', 'self_bon', 'mutual', 'random', 'one'])
        expect(references['1'][id][0], id).toBe(answers[0]);
      const [, read, tokensRead, tokensWritten] = references['3'].synthesis;
      expect(read).toBe(3);
      expect(tokensRead).toBeGreaterThan(references['1'].synthesis[2]);
      expect(tokensWritten).toBeGreaterThan(0);
    }
    expect(table).toContain('4 problems, 2 sampling seeds');
    expect(await call('--rows', path)).toBe(table);
    // Existing rows are not computed again, nor overwritten by rows of other options; nor is any other file.
    const whole = await readFile(path, 'utf8');
    const begun = whole.split('\n').slice(0, 3).join('\n');
    await writeFile(path, begun);
    const asked = ['--world', 'arithmetic', '--count', '2', '--group', '1,3', '--out', path];
    expect(await call(...asked, '--seeds', '2')).toBe(table);
    expect((await readFile(path, 'utf8')).startsWith(begun)).toBe(true);
    // These are the same rows, made later.
    const measured = (text: string) =>
      text
        .replace(/,"by":\{[^}]*\},"sha256":"[0-9a-f]{64}"/g, '')
        .split('\n')
        .sort();
    expect(measured(await readFile(path, 'utf8'))).toEqual(measured(whole));
    expect(whole).toContain('"by":{"createdAt":');
    await expect(call(...asked, '--temperature', '.5')).rejects.toThrow(/made with other options/);
    const foreign = join(folder, 'mine.md');
    await writeFile(foreign, '# Mine\n');
    await expect(call('--world', 'arithmetic', '--count', '1', '--group', '1', '--out', foreign)).rejects.toThrow(
      FormatError,
    );
    await expect(call('--rows', path, '--out', foreign)).rejects.toThrow(/is there already/);
    expect(await readFile(foreign, 'utf8')).toBe('# Mine\n');
    await writeFile(`${path}.gz`, gzipSync(await readFile(path)));
    expect(await call('--rows', `${path}.gz`)).toBe(table);
    // The first seed gives the same rows, whatever else is asked; one split may be asked alone.
    const one = await call(
      '--world',
      'arithmetic',
      '--count',
      '2',
      '--group',
      '1,3',
      '--estimators',
      'majority',
      '--split',
      'templates',
      '--json',
    );
    const again = one.split('\n').map((line) => JSON.parse(line) as InferenceRow);
    expect(again.map(({ answers }) => answers)).toEqual(
      rows.filter(({ seed, split }) => seed === 1 && split === 'templates').map(({ answers }) => answers),
    );
  }, 60_000);
});

describe('a file', () => {
  it('is asked through the chat template, with or without answers', async () => {
    const path = join(folder, 'problems.jsonl');
    const model = join(root, 'public', 'models', 'tiny-arithmetic');
    await writeFile(path, '{"question": "Ann has 3 nuts."}\n{"question": "2+2?", "answer": "4"}\n');
    const flags = ['--model', model, '--problems', path, '--group', '2', '--max-new', '8'];
    const rows = (await call(...flags, '--json')).split('\n').map((line) => JSON.parse(line) as InferenceRow);
    expect(rows.map(({ truth }) => truth)).toEqual([undefined, '4']);
    expect(Object.keys(rows[0].references['2'])).toContain('synthesis_question');
    expect(await call(...flags, '--count', '1')).toContain('No answers are known');
  }, 60_000);
});

it('refuses what it cannot ask', async () => {
  const path = join(folder, 'bad.jsonl');
  await writeFile(path, '{"prompt": "no question"}\n');
  const model = join(root, 'public', 'models', 'tiny-arithmetic');
  await expect(call()).rejects.toThrow(SpecError);
  await expect(call('--world', 'arithmetic', '--problems', path)).rejects.toThrow(/Either/);
  await expect(call('--problems', path, '--split', 'params')).rejects.toThrow(/a file has none/);
  await expect(call('--problems', path)).rejects.toThrow(/--problems needs a model/);
  await expect(call('--world', 'arithmetic', '--group', '0')).rejects.toThrow(/from 1 to 64/);
  await expect(call('--problems', path, '--model', model)).rejects.toThrow(FormatError);
  await expect(call('--rows', path)).rejects.toThrow(/is no row/);
  const long = join(folder, 'long.jsonl');
  await writeFile(long, `{"question": "2+2?"}\n${JSON.stringify({ question: 'a'.repeat(1_000_000) })}\n`);
  await expect(call('--problems', long, '--model', model)).rejects.toThrow(
    /long\.jsonl:2: the question has 1,000,000 characters; at most 100,000 can be asked/,
  );
  const empty = join(folder, 'empty.jsonl');
  await writeFile(empty, '\n');
  await expect(call('--problems', empty, '--model', model)).rejects.toThrow(/holds no problems/);
  await expect(call('--rows', empty)).rejects.toThrow(/has no rows/);
});
