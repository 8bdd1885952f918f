// Tests a sweep through Redis with two workers that share only the server; one is killed during a run, and the server is restarted meanwhile.
// The results must equal those of one process byte for byte. Without redis-server the tests are skipped.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleCli } from './bundle.mjs';
import { command } from './campaign-process.mjs';
import { bundleOfOtherCode, OTHER_CODE } from './other-code.mjs';
import { at } from './project.mjs';
import { freePort, hasRedis, NO_REDIS, startRedis } from './redis.mjs';

const SPEC = {
  preset: 'smoke',
  arm: 'none',
  overrides: { environment: 'arithmetic', steps: 4, evalEvery: 0, finalEvalProblems: 4, checkpointEvery: 1 },
  axes: [{ option: 'lr', values: [0.01, 0.03] }],
  seeds: [41],
};

let root;
let bundle;
const children = [];
beforeAll(async () => {
  if (!hasRedis()) return;
  root = mkdtempSync(join(tmpdir(), 'sweep-redis-'));
  writeFileSync(join(root, 'spec.json'), JSON.stringify(SPEC));
  bundle = await bundleCli();
  expect(await run('alone')).toMatchObject({ code: 0 });
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  if (root) rmSync(root, { recursive: true, force: true });
});

/** Starts a server that ends with the tests. */
async function serverAt(port) {
  const child = await startRedis(port, root);
  children.push(child);
  return child;
}

/** Starts a worker and collects the lines that it prints. */
function startWorker(url, { of = bundle, root: LAB_ROOT = at() } = {}) {
  const env = { ...process.env, LAB_ROOT };
  const args = [of, 'worker', '--queue', url, '--lease', '2', '--threads', '1'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  const worker = { child, text: '' };
  child.stderr.on('data', (chunk) => (worker.text += chunk));
  return worker;
}

/** Starts a worker that gets SIGTERM twice after its first step, as a scheduler and its script would send it. */
async function stoppedWorker(port, url) {
  const worker = startWorker(url);
  const end = ended(worker.child);
  await until('a checkpoint', () => redis(port, 'keys', 'lab-sweep:checkpoint:*') !== '');
  worker.child.kill('SIGTERM');
  worker.child.kill('SIGTERM');
  await end;
  return worker;
}

async function until(what, isSo) {
  for (let tries = 0; tries < 6000; tries++) {
    if (await isSo()) return;
    await setTimeout(20);
  }
  throw new Error(`${what} did not come about`);
}

const ended = (child) => new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
const redis = (port, ...args) =>
  spawnSync('redis-cli', ['-p', String(port), ...args], { encoding: 'utf8' }).stdout.trim();
const run = (out, ...more) =>
  command(bundle, ['sweep', 'run', join(root, 'spec.json'), '--out', join(root, out), ...more]);
const results = async (out) => {
  expect((await command(bundle, ['sweep', 'collect', join(root, out)])).code).toBe(0);
  return readFileSync(join(root, out, 'results.jsonl'), 'utf8');
};

if (!hasRedis()) console.warn(`${NO_REDIS}: sweeps through Redis are not tried.`);

describe.skipIf(!hasRedis())('a sweep through Redis', () => {
  it('gives the same bytes, though a worker is killed and the server restarted', async () => {
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    let server = await serverAt(port);
    const fed = run('queued', '--queue', url);
    const status = async () => (await command(bundle, ['sweep', 'status', join(root, 'queued')])).stdout;
    // Status knows the workers from the queue, though they write nothing into the folder, and reports that there is none.
    await until('word that no worker is there', async () => (await status()).includes('No worker takes its runs.'));
    // The queue is emptied, as by a restarted server without storage, so the runs are queued again.
    redis(port, 'flushall');
    const first = startWorker(url);
    await until('a run at work', async () => /, 1 at work,.*Queue redis.*: 1 workers/s.test(await status()));
    await until('a checkpoint', () => redis(port, 'keys', 'lab-sweep:checkpoint:*') !== '');
    first.child.kill('SIGKILL');
    const second = startWorker(url);
    await until('the second worker', () => second.text.includes('seed 41'));
    const gone = ended(server);
    server.kill('SIGTERM');
    await gone;
    await until('word that the server is away', () => second.text.includes('is away'));
    server = await serverAt(port);
    const { code, stdout, stderr } = await fed;
    expect([code, stderr]).toEqual([0, expect.stringContaining('is back')]);
    expect(stdout).toContain('2 of 2 runs are done, 0 at work, 0 waiting, 0 set apart.');
    expect((await results('queued')) === (await results('alone'))).toBe(true);
    // A result that has arrived is deleted from the server.
    expect(redis(port, 'keys', 'lab-sweep:result:*')).toBe('');
    // The worker also ends when it is stopped while the server is away.
    const [end, goneAgain] = [ended(second.child), ended(server)];
    server.kill('SIGTERM');
    await goneAgain;
    second.child.kill('SIGTERM');
    expect(await end).toBe(130);
  });

  it('is refused once, with a message, by a worker of other code, and loses no run to one that fails at everything', async () => {
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    await serverAt(port);
    const other = await bundleOfOtherCode(bundle);
    const fed = run('strangers', '--queue', url);
    const stranger = startWorker(url, { of: other.bundle });
    expect(await ended(stranger.child)).toBe(1);
    rmSync(other.folder, { recursive: true });
    const words = new RegExp(
      `:${stranger.child.pid} refuses the queue: its code is ${OTHER_CODE}, and that of the runs is [0-9a-f]{16}\\.`,
      'g',
    );
    expect(stranger.text.match(words)).toHaveLength(1);
    // This worker's root has no model.
    const broken = startWorker(url, { root });
    const failures = join(root, 'strangers', 'failures');
    await until('a failure of each run', () => existsSync(failures) && readdirSync(failures).length === 2);
    startWorker(url);
    const { code, stdout, stderr } = await fed;
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('2 of 2 runs are done, 0 at work, 0 waiting, 0 set apart.'),
    ]);
    expect(stderr).toContain(`:${broken.child.pid}: lr 0.`);
    expect((await results('strangers')) === (await results('alone'))).toBe(true);
    expect(redis(port, 'keys', 'lab-sweep:failures:*')).toBe('');
  });

  it('gets a run back with its last whole step from a stopped worker, which reports that step', async () => {
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    await serverAt(port);
    const fed = run('stopped', '--queue', url);
    const { child, text } = await stoppedWorker(port, url);
    expect(child.exitCode).toBe(130);
    const [, step, kept] = text.match(/stopped in step (\d+) of 4; checkpoint at step (\d+)/).map(Number);
    expect([step, kept]).toEqual([step, step - 1]);
    expect(kept).toBeGreaterThan(0);
    const next = startWorker(url);
    expect(await fed).toMatchObject({ code: 0 });
    next.child.kill('SIGTERM');
    expect((await results('stopped')) === (await results('alone'))).toBe(true);
  });

  it('refuses an address without a server, and does not print its password', async () => {
    const port = await freePort();
    const { code, stderr } = await command(bundle, ['worker', '--queue', `redis://me:secret@127.0.0.1:${port}`]);
    expect(code).toBe(1);
    expect(stderr).toContain(`redis://127.0.0.1:${port} does not answer: ECONNREFUSED.`);
    expect(stderr).not.toContain('secret');
  });
});
