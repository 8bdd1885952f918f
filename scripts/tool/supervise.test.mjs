// Tests that every command ends at SIGTERM and at the second Ctrl-C, whatever it computes. The computation is simulated by a module that Node
// loads first (--import): it blocks the main thread for ever as soon as the command runs, as a long computation does.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { bundleCli } from './bundle.mjs';
import { at } from './project.mjs';

const folder = mkdtempSync(join(tmpdir(), 'lab-signals-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The module that blocks the main thread when a command begins to listen to signals. */
const ENDLESS = `import { isMainThread } from 'node:worker_threads';
const { on } = process;
const { LAB_LIFELINE, ENDLESS_AT = LAB_LIFELINE } = process.env;
if (isMainThread && LAB_LIFELINE && LAB_LIFELINE === ENDLESS_AT) process.on = function (name, ...rest) {
  on.call(this, name, ...rest);
  if (name === 'SIGTERM') queueMicrotask(() => {
    process.stderr.write('endless ' + process.pid + '\\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
  return this;
};`;
const file = join(folder, 'endless.mjs');
writeFileSync(file, ENDLESS);

const bundle = await bundleCli();
const help = spawnSync(process.execPath, [bundle, '--help'], { encoding: 'utf8' }).stdout;
const names = [...help.matchAll(/^ {2}(\S+) /gm)].map(([, name]) => name);
/** Number of commands that run at once. */
const TOGETHER = 8;

/** Starts a command; `seen` resolves when its stderr matches. */
function started(args, { isEndless = true, env = {} } = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      LAB_ROOT: at(),
      ...env,
      ...(isEndless && { NODE_OPTIONS: `--import ${pathToFileURL(file).href}` }),
    },
  });
  let text = '';
  const seen = (pattern) =>
    new Promise((resolve, reject) => {
      const look = () => pattern.exec(text) && resolve(pattern.exec(text));
      child.stderr.on('data', (data) => {
        text += data;
        look();
      });
      child.once('exit', () => reject(new Error(`It ended, and said ${text}`)));
      look();
    });
  const ended = new Promise((resolve) => void child.once('exit', (code, signal) => resolve(code ?? signal)));
  return { child, seen, ended };
}

const isGone = async (pid) => {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
};

describe.skipIf(process.platform === 'win32')('a command that computes for ever', () => {
  it('ends at SIGTERM and at the second Ctrl-C, whichever it is', async () => {
    expect(names.length).toBeGreaterThan(20);
    // Each command gets one of the two, since the same thread ends all of them.
    const left = names.map((name, i) => [name, i % 2 === 0 ? 't' : 'k']);
    const work = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const [name, letter] = next;
        const { child, seen, ended } = started([bundle, name], { env: { LAB_LIFELINE: '3' } });
        await seen(/endless \d+/);
        child.stdio[3].write(letter);
        expect(await ended, `${name} at ${letter}`).toBe('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, work));
  });

  it.each([
    ['SIGTERM', 1, 143],
    ['SIGINT', 2, 130],
  ])('ends by `npm run lab` at %s (%i)', async (signal, times, code) => {
    const { child, seen, ended } = started([at('scripts', 'lab.mjs'), 'devices']);
    const [, pid] = await seen(/endless (\d+)/);
    child.kill(signal);
    // A signal that follows at once is the same Ctrl-C, forwarded.
    for (let time = 1; time < times; time++) {
      child.kill(signal);
      await new Promise((resolve) => void setTimeout(resolve, 400));
      expect(child.exitCode).toBe(null);
      child.kill(signal);
    }
    expect(await ended).toBe(code);
    expect(await isGone(Number(pid))).toBe(true);
  });

  it('ends with its own children, which compute for ever', async () => {
    const args = [
      'run',
      '--preset',
      'smoke',
      '--seeds',
      '41,42',
      '--jobs',
      '2',
      '--device',
      'cpu',
      '--out',
      join(folder, 'out'),
    ];
    const { child, seen, ended } = started([at('scripts', 'lab.mjs'), ...args], { env: { ENDLESS_AT: '4' } });
    const [, one, other] = await seen(/endless (\d+)[\s\S]*endless (\d+)/);
    child.kill('SIGTERM');
    expect(await ended).toBe(130);
    expect(await Promise.all([isGone(Number(one)), isGone(Number(other))])).toEqual([true, true]);
  });

  it('ends when the process that started it is killed', async () => {
    const { child, seen } = started([at('scripts', 'lab.mjs'), 'devices']);
    const [, pid] = await seen(/endless (\d+)/);
    child.kill('SIGKILL');
    expect(await isGone(Number(pid))).toBe(true);
  });
});

describe.skipIf(process.platform === 'win32')('a command that stops by itself', () => {
  it.each(['SIGTERM', 'SIGINT'])('is given time at %s, and its own exit code is passed on', async (signal) => {
    const { child, seen, ended } = started([at('scripts', 'lab.mjs'), 'are', 'serve', 'search', '--port', '0'], {
      isEndless: false,
    });
    await seen(/Listening for one client/);
    child.kill(signal);
    expect(await ended).toBe(130);
  });
});
