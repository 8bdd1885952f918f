// `improve` on the committed model: rows of every way, their tables, and the same tables from the written rows.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { expect, it } from 'vitest';
import type { ImproveRow } from '../../experiments/exit/rows.ts';
import type { CommandContext } from '../command.ts';
import { readCheckpoint } from '../files/checkpoint.node.ts';
import { run } from '../run/run.ts';
import { improve } from './improve.ts';

const contextOf = (sentences: string[]): CommandContext => ({
  out: (text) => sentences.push(text),
  progress: { update: () => {}, line: () => {}, note: () => {}, end: () => {} },
  signal: new AbortController().signal,
  root: process.cwd(),
});

it('answers, revises and answers anew; the rows give the tables again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'improve-'));
  try {
    const file = join(folder, 'rows.jsonl');
    const sentences: string[] = [];
    const flags = ['--count', '8', '--steps', '2', '--seeds', '2', '--device', 'cpu', '--out', file];
    expect(await improve.run(flags, contextOf(sentences))).toBe(0);
    const rows = (await readFile(file, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ImproveRow);
    // There are two sampling seeds of two ways, and one greedy chain.
    expect(rows).toHaveLength(8 * 5);
    for (const { arm, seed, answers, quality, tokens } of rows) {
      expect([arm, seed, answers.length, quality.length]).toEqual(['base', null, 3, 3]);
      expect(tokens[2]).toBeGreaterThan(tokens[0]);
    }
    expect(sentences[0]).toContain('8 tasks, 2 sampling seeds');
    const again: string[] = [];
    await improve.run(['--rows', file], contextOf(again));
    expect(again).toEqual(sentences);
    // Existing rows are not overwritten, and a changed one is detected.
    await expect(improve.run(flags, contextOf([]))).rejects.toThrow(/is there already/);
    await writeFile(file, (await readFile(file, 'utf8')).replace('"quality":[0', '"quality":[1'));
    await expect(improve.run(['--rows', file], contextOf([]))).rejects.toThrow(/is damaged/);
    await expect(improve.run(['--run', join(folder, 'none')], contextOf([]))).rejects.toThrow(
      /there is no such folder/,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('measures a routing run on a base of one’s own, without each of its quarantines', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'improve-routed-'));
  const model = join(folder, 'another-chain');
  try {
    const smoke = ['--preset', 'smoke', '--world', 'chain', '--arms', 'route-update', '--seeds', '1', '--steps', '1'];
    const settings = { chainSteps: 1, chainPay: 'rise', evalEvery: 0, finalEvalProblems: 1, checkpointEvery: 1 };
    const set = Object.entries({ ...settings, promptsPerStep: 1, groupSize: 4, pairs: 4, k: 2, loraRank: 2 }).flatMap(
      ([name, value]) => [...['--set', `${name}=${value}`]],
    );
    await cp('public/models/tiny-chain', model, { recursive: true });
    const out = ['--device', 'cpu', '--out', join(folder, 'runs'), '--model', model];
    await expect(run.run([...smoke, ...set, ...out], contextOf([]))).rejects.toThrow(/has no labelled pairs/);
    await run.run([...smoke, ...set, ...out, '--set', 'pairSet=sandbag'], contextOf([]));
    const sentences: string[] = [];
    const few = ['--ways', 'greedy', '--count', '2', '--steps', '1', '--device', 'cpu', '--json'];
    const flags = ['--run', join(folder, 'runs'), ...few];
    await expect(improve.run([...flags, '--model', folder], contextOf([]))).rejects.toThrow(/trained on another-chain/);
    await improve.run([...flags, '--model', model, '--deployed'], contextOf(sentences));
    const rows = sentences[0].split('\n').map((line) => JSON.parse(line) as ImproveRow);
    expect(new Set(rows.map(({ base }) => base))).toEqual(new Set(['another-chain']));
    const routed = ['deployed', 'no_gate', 'random_V', 'permuted_V', 'flipped_V', 'k4'];
    expect([...new Set(rows.map(({ arm }) => arm))].sort()).toEqual(
      ['base', 'route-update', ...routed.map((name) => `route-update/${name}`)].sort(),
    );
    // A run that read plain text is asked in plain text.
    const [file] = (await readdir(join(folder, 'runs'))).filter((name) => name.endsWith('.checkpoint'));
    const kept = (await readCheckpoint(join(folder, 'runs', file)))!;
    await mkdir(join(folder, 'plain'));
    const plain = { ...kept, spec: { ...kept.spec, chatTemplate: 'none' } };
    await writeFile(join(folder, 'plain', file), serialize(plain));
    const other: string[] = [];
    await improve.run(['--run', join(folder, 'plain'), ...few, '--model', model], contextOf(other));
    expect(other[0]).not.toBe(sentences[0].split('\n').slice(0, 4).join('\n'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
