// A sweep of 12 short runs through a Redis of its own: a worker is killed, one has other code, one fails at everything, and the server is
// away for a while. What comes out is compared with what one process makes, to the byte. Where Redis is not installed, it says so.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { command, lastLines } from './campaign-process.mjs';
import { bundleOfOtherCode } from './other-code.mjs';
import { at } from './project.mjs';
import { freePort, hasRedis, NO_REDIS, startRedis } from './redis.mjs';
import { say } from './terminal.mjs';

const RUNS = 12;
const LIMIT_MS = 15 * 60_000;
const SPEC = {
  name: 'campaign',
  preset: 'smoke',
  arm: 'none',
  overrides: { environment: 'arithmetic', steps: 4, evalEvery: 0, finalEvalProblems: 4, checkpointEvery: 1 },
  axes: [{ option: 'lr', from: 0.001, to: 0.1, count: RUNS / 2, scale: 'log' }],
  seeds: [41, 42],
};

const ended = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once('close', resolve));

/** `why` where it was not tried. */
export async function throughRedis(bundle, folder) {
  if (!hasRedis()) return { why: NO_REDIS };
  const spec = join(folder, 'redis.json');
  writeFileSync(spec, JSON.stringify(SPEC));
  const sweep = async (...args) => {
    const { code, stdout, stderr } = await command(bundle, ['sweep', ...args]);
    if (code !== 0) throw new Error(`sweep ${args[0]}: exit ${code}: ${lastLines(stderr, 4)}`);
    return stdout;
  };
  const results = async (out) => {
    await sweep('collect', out);
    return readFileSync(join(out, 'results.jsonl'), 'utf8');
  };
  const [alone, out, data] = ['redis-alone', 'redis-out', 'redis-data'].map((name) => join(folder, name));
  mkdirSync(data);
  await sweep('run', spec, '--out', alone);
  const expected = await results(alone);
  say(`One process: ${expected.trim().split('\n').length} runs`);
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await startRedis(port, data);
  const children = [];
  const worker = (program = bundle, root = at()) => {
    const child = spawn(process.execPath, [program, 'worker', '--queue', url, '--lease', '4', '--threads', '1'], {
      env: { ...process.env, LAB_ROOT: root },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    child.text = '';
    child.stderr.on('data', (chunk) => (child.text += chunk));
    return child;
  };
  const until = async (what, isSo) => {
    for (const from = performance.now(); !isSo(); await setTimeout(100))
      if (performance.now() - from > LIMIT_MS) throw new Error(`${what} did not come about`);
  };
  const done = () => (existsSync(join(out, 'runs')) ? readdirSync(join(out, 'runs')).length : 0);
  const other = await bundleOfOtherCode(bundle);
  const started = performance.now();
  try {
    const fed = sweep('run', spec, '--out', out, '--queue', url);
    // Awaited further down; what fails before that ends the wait there.
    fed.catch(() => {});
    const stranger = worker(other.bundle);
    const refused = (await ended(stranger)) === 1 && /refuses the queue: its code is/.test(stranger.text);
    // Its root has no models, so that every run fails there.
    const broken = worker(bundle, data);
    await until('a failure', () => /^Failed: /m.test(broken.text));
    const killed = worker();
    worker();
    await until('a worker at work', () => killed.text.includes('seed 4'));
    killed.kill('SIGKILL');
    await until('a quarter of the runs', () => done() >= RUNS / 4);
    server.kill('SIGTERM');
    await ended(server);
    await setTimeout(5000);
    server = await startRedis(port, data);
    say(`Redis was away for five seconds; ${done()} of ${RUNS} runs were done`);
    await fed;
    return {
      why: null,
      runs: done(),
      refused,
      setApart: JSON.parse(await sweep('status', out, '--json')).setApart.length,
      isSame: (await results(out)) === expected,
      seconds: Math.round((performance.now() - started) / 1000),
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(ended));
    server.kill('SIGTERM');
    await ended(server);
    rmSync(other.folder, { recursive: true, force: true });
  }
}

/** Lines for a person, and what went wrong. */
export function redisReport(found) {
  if (found.why) return { text: `Redis was not tried: ${found.why}.`, faults: [] };
  const { runs, refused, setApart, isSame, seconds } = found;
  const faults = [
    ...(runs === RUNS ? [] : [`${RUNS - runs} of ${RUNS} runs are missing`]),
    ...(refused ? [] : ['a worker of other code did not refuse the queue']),
    ...(setApart === 0 ? [] : [`${setApart} runs were set apart`]),
    ...(isSame ? [] : ['the results are not those of one process']),
  ];
  const text = `${runs} of ${RUNS} runs through Redis, one worker killed, one that fails at everything, one of other code (${refused ? 'it refused the queue' : 'not refused'}), Redis away once for five seconds: ${setApart} set apart; ${isSame ? 'every byte is' : 'the results are not'} that of one process. ${seconds} s.`;
  return { text, faults };
}
