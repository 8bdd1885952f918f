// One study in two processes that know nothing of each other but its folder: they share its runs, and what comes out is what one process
// makes, to the byte; also where one of them is killed in the middle of a run.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleCli } from './bundle.mjs';
import { command, compare } from './campaign-process.mjs';

let root;
let bundle;
/** What one process makes, which everything else is held against. */
let alone;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'study-shared-'));
  bundle = await bundleCli();
  alone = await study('alone');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const at = (...parts) => join(root, ...parts);
const study = (out, ...more) =>
  command(bundle, [
    ...['study', '--question', 'Q2', '--seeds', '41', '--steps', '2', '--device', 'cpu', '--threads', '1', '--json'],
    ...['--out', at(out), ...more],
  ]);
const trained = ({ stderr }) => stderr.match(/training: /g)?.length ?? 0;

/** Who is at a run of the folder, once a step of it is kept. Null where `ended` came first. */
async function atWork(folder, ended) {
  let isOver = false;
  ended.then(() => (isOver = true));
  const named = (room) => (existsSync(join(folder, room)) ? readdirSync(join(folder, room)) : []);
  while (!isOver) {
    for (const id of named('claims').filter((name) => /^[0-9a-f]{16}$/.test(name))) {
      const steps = named('steps').find((name) => name.startsWith(`study-${id}-`));
      const hasBegun = steps !== undefined && named(join('steps', steps)).length > 0;
      const claim = join(folder, 'claims', id);
      const text = hasBegun && existsSync(claim) ? readFileSync(claim, 'utf8') : '';
      if (text) return JSON.parse(text).pid;
    }
    await setTimeout(5);
  }
  return null;
}

it('shares its runs between two processes, to the same bytes', async () => {
  expect(alone.code, alone.stderr).toBe(0);
  const both = await Promise.all([study('both'), study('both')]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  for (const { stdout } of both) expect(stdout).toBe(alone.stdout);
  const shares = both.map(trained);
  expect(Math.min(...shares)).toBeGreaterThan(0);
  expect(shares[0] + shares[1]).toBe(trained(alone));
  const { files, different } = compare(at('alone'), at('both'));
  expect(different).toEqual([]);
  expect(files).toBeGreaterThan(3);
});

it('goes on in --jobs with the run of one that was killed', async () => {
  const children = study('jobs', '--jobs', '2');
  const pid = await atWork(at('jobs'), children);
  if (pid !== null) process.kill(pid, 'SIGKILL');
  const { code, stderr, stdout } = await children;
  expect(pid, stderr).not.toBeNull();
  expect([code, stderr]).toEqual([0, expect.stringContaining('A worker process ended (SIGKILL)')]);
  expect(stdout).toBe(alone.stdout);
  expect(compare(at('alone'), at('jobs')).different).toEqual([]);
});
