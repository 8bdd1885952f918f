// `pretrain`: a model of one step, written to the given folder, and trained on from there.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { EXIT } from '../command.ts';
import { pretrain } from './pretrain.ts';

const root = mkdtempSync(join(tmpdir(), 'pretrain-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const small = ['--batch', '1', '--dim', '32', '--rounds', '1', '--device', 'cpu'];
const CHAIN = ['--environment', 'chain'];
const TIED = ['--environment', 'characters', '--cast'];

async function made(out: string, ...more: string[]) {
  const progress = { update: () => {}, line: () => {}, note: () => {}, end: () => {} };
  const code = await pretrain.run([...small, '--steps', '1', '--out', out, ...more], {
    out: () => {},
    root,
    progress,
    signal: new AbortController().signal,
  } as never);
  expect(code).toBe(EXIT.ok);
}

it('writes below the project, and where an absolute path says; trains on from either', async () => {
  await made('first', ...CHAIN);
  const second = join(root, 'elsewhere', 'second');
  await made(second, ...CHAIN, '--from', join(root, 'first'));
  expect(existsSync(join(second, 'model.safetensors'))).toBe(true);
  const { training } = JSON.parse(readFileSync(join(second, 'manifest.json'), 'utf8')) as {
    training: { from: string };
  };
  expect(training.from).toMatch(/^[0-9a-f]{64}$/);
  expect(existsSync(join(root, root))).toBe(false);
});

it('makes a base of a tied world by its name: its seed is that of the cast and of the weights', async () => {
  await made('tied', ...TIED, 'tied-90-2');
  const { command, training, rates } = JSON.parse(readFileSync(join(root, 'tied', 'manifest.json'), 'utf8'));
  expect(command).toContain('--environment characters --cast tied-90-2');
  expect(training.seed).toBe(2);
  expect(Object.keys(rates.tied)).toEqual(['hack', 'bad', 'like', 'phi', 'badOfHack', 'badOfOthers']);
  await expect(made('none', ...TIED, 'tied-101-1')).rejects.toThrow(/tied-101-1/);
});
