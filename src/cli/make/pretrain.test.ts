// `pretrain`: a model of one step, written to the given folder, and trained on from there.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { EXIT } from '../command.ts';
import { pretrain } from './pretrain.ts';

const root = mkdtempSync(join(tmpdir(), 'pretrain-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const small = ['--environment', 'chain', '--batch', '1', '--dim', '32', '--rounds', '1', '--device', 'cpu'];

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
  await made('first');
  const second = join(root, 'elsewhere', 'second');
  await made(second, '--from', join(root, 'first'));
  expect(existsSync(join(second, 'model.safetensors'))).toBe(true);
  const { training } = JSON.parse(readFileSync(join(second, 'manifest.json'), 'utf8')) as {
    training: { from: string };
  };
  expect(training.from).toMatch(/^[0-9a-f]{64}$/);
  expect(existsSync(join(root, root))).toBe(false);
});
