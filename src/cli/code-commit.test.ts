// The commit in a run's provenance: the checkout's own, marked where the code differs from that commit, and absent without a checkout.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeCommit } from './code-commit.ts';

let root: string;
const git = (...args: string[]) =>
  execFileSync('git', ['-C', root, '-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], {
    encoding: 'utf8',
  }).trim();

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'commit-'));
  mkdirSync(join(root, 'src'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('is none without a checkout, HEAD in a clean one, and marked where the code differs from it', async () => {
  expect(await codeCommit(root)).toBeNull();
  git('init', '-q');
  expect(await codeCommit(root)).toBeNull();
  writeFileSync(join(root, 'src', 'a.ts'), 'one');
  git('add', '.');
  git('commit', '-qm', 'one');
  const head = git('rev-parse', 'HEAD');
  expect(await codeCommit(root)).toBe(head);
  // A document decides no number, and a folder below the checkout is not its root.
  writeFileSync(join(root, 'README.md'), 'text');
  expect(await codeCommit(root)).toBe(head);
  expect(await codeCommit(join(root, 'src'))).toBeNull();
  writeFileSync(join(root, 'src', 'b.ts'), 'untracked');
  expect(await codeCommit(root)).toBe(`${head}-dirty`);
  rmSync(join(root, 'src', 'b.ts'));
  writeFileSync(join(root, 'src', 'a.ts'), 'two');
  expect(await codeCommit(root)).toBe(`${head}-dirty`);
});
