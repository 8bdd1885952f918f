// `improve` on the committed model: rows of every way, their tables, and the same tables of the rows as they were written.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ImproveRow } from '../../experiments/improving/rows.ts';
import type { CommandContext } from '../command.ts';
import { improve } from './improve.ts';

const contextOf = (said: string[]): CommandContext => ({
  out: (text) => said.push(text),
  progress: { update: () => {}, line: () => {}, note: () => {}, end: () => {} },
  signal: new AbortController().signal,
  root: process.cwd(),
});

it('answers, revises and answers anew; the rows give the tables again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'improve-'));
  try {
    const file = join(folder, 'rows.jsonl');
    const said: string[] = [];
    const flags = ['--count', '8', '--steps', '2', '--seeds', '2', '--device', 'cpu', '--out', file];
    expect(await improve.run(flags, contextOf(said))).toBe(0);
    const rows = (await readFile(file, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ImproveRow);
    // Two sampling seeds of two ways, and one greedy chain.
    expect(rows).toHaveLength(8 * 5);
    for (const { arm, seed, answers, quality, tokens } of rows) {
      expect([arm, seed, answers.length, quality.length]).toEqual(['base', null, 3, 3]);
      expect(tokens[2]).toBeGreaterThan(tokens[0]);
    }
    expect(said[0]).toContain('8 tasks, 2 sampling seeds');
    const again: string[] = [];
    await improve.run(['--rows', file], contextOf(again));
    expect(again).toEqual(said);
    await expect(improve.run(['--run', join(folder, 'none')], contextOf([]))).rejects.toThrow(
      /there is no such folder/,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);
