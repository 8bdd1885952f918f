// Runs a sweep of 12 short runs through its own Redis. Workers are killed and stopped, launchers are killed, one worker has other code, one
// fails at everything, and the server is stopped for a while. The results must equal those of one process byte for byte. If Redis is not
// installed, the part is reported as not run.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  beginSweep,
  endSweep,
  killLauncher,
  launch,
  stopsIn,
  sweepFaults,
  sweepText,
  until,
} from './campaign-sweep.mjs';
import { at } from './project.mjs';
import { freePort, hasRedis, NO_REDIS, startRedis } from './redis.mjs';
import { say } from './terminal.mjs';

const RUNS = 12;
const STEPS = 8;

const ended = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once('close', resolve));

/** Runs the part and returns what was found; `why` is the reason if it was not run, else null. */
export async function throughRedis(bundle, folder) {
  if (!hasRedis()) return { why: NO_REDIS };
  const begun = await beginSweep(bundle, join(folder, 'redis'), { runs: RUNS, steps: STEPS });
  const { spec, out, sweep, other } = begun;
  const data = join(folder, 'redis', 'data');
  mkdirSync(data);
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await startRedis(port, data);
  const children = [];
  const workerArgs = ['worker', '--queue', url, '--lease', '4', '--threads', '1'];
  const worker = (program = bundle, root = at()) => {
    const child = spawn(process.execPath, [program, ...workerArgs], {
      env: { ...process.env, LAB_ROOT: root },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    child.text = '';
    child.stderr.on('data', (chunk) => (child.text += chunk));
    return child;
  };
  const launched = (...args) => {
    const child = launch(args);
    children.push(child);
    return child;
  };
  const done = () => (existsSync(join(out, 'runs')) ? readdirSync(join(out, 'runs')).length : 0);
  const status = () => sweep('status', out);
  const started = performance.now();
  try {
    const feeder = launched('sweep', 'run', spec, '--out', out, '--queue', url);
    await until('the folder', () => existsSync(join(out, 'queue.json')));
    await until('word that no worker is there', async () => (await status()).includes('No worker takes its runs.'));
    const launchers = [await killLauncher(feeder)];
    const isFeederReported = (await status()).includes('The command that gave runs to the queue');
    const fed = sweep('run', spec, '--out', out, '--queue', url);
    // It is awaited further down; until then a rejection must not count as unhandled.
    fed.catch(() => {});
    const stranger = worker(other.bundle);
    const isRefused = (await ended(stranger)) === 1 && /refuses the queue: its code is/.test(stranger.text);

    const killed = worker();
    const isSeen = async () => {
      const { atWork, queue } = JSON.parse(await sweep('status', out, '--json'));
      return queue?.workers === 1 && atWork.some((run) => run.worker.endsWith(`:${killed.pid}`) && !run.hasEnded);
    };
    await until('a worker at work in status', isSeen);
    killed.kill('SIGKILL');
    await until('word that it is gone', async () => (await status()).includes('No worker takes its runs.'));
    const isDeathReported = /, 0 at work, .*\(has ended; the next worker goes on\)/s.test(await status());
    say(`The only worker was killed; ${done()} of ${RUNS} runs were done`);

    // This worker's root has no models, so that every run fails there.
    const broken = worker(bundle, data);
    await until('a failure', () => /^Failed: /m.test(broken.text));
    const stopped = worker();
    await until('a step of the one that is stopped', () => hasStep(out, stopped.pid));
    for (const after of [0, 300, 600]) void setTimeout(after).then(() => stopped.kill('SIGTERM'));
    const isOneStop = (await ended(stopped)) === 130 && /stopped in /.test(stopped.text);
    const byHand = launched(...workerArgs);
    await until('a run of a launched worker', () => byHand.text.includes('seed 4') || /^\w{32} {2}/m.test(byHand.text));
    await setTimeout(1000);
    launchers.push(await killLauncher(byHand));
    say(`A worker was stopped, and one’s launcher killed; ${done()} of ${RUNS} runs were done`);

    worker();
    worker();
    await until('half of the runs', () => done() >= RUNS / 2);
    server.kill('SIGTERM');
    await ended(server);
    await setTimeout(5000);
    server = await startRedis(port, data);
    say(`Redis was away for five seconds; ${done()} of ${RUNS} runs were done`);
    await fed;
    return {
      why: null,
      ...(await endSweep(begun)),
      launchers,
      stops: stopsIn([stopped.text, byHand.text]),
      unreported: [
        ...(isRefused ? [] : ['a worker of other code did not refuse the queue']),
        ...(isFeederReported ? [] : ['status did not say that the command which feeds the queue is gone']),
        ...(isDeathReported ? [] : ['status called a run at work whose worker was killed']),
        ...(isOneStop ? [] : ['three SIGTERMs within a second were not one stop']),
      ],
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

/** Whether a log of the folder reports a step of this worker. */
function hasStep(out, pid) {
  const logs = join(out, 'logs');
  return readdirSync(logs).some((name) =>
    new RegExp(`^step [1-9]\\d*/\\d+ .*:${pid} `, 'm').test(readFileSync(join(logs, name), 'utf8')),
  );
}

/** Returns a paragraph for a person, and a sentence for each fault. */
export function redisReport(found) {
  if (found.why) return { text: `Redis was not tried: ${found.why}.`, faults: [] };
  const faults = [...sweepFaults(found), ...found.unreported];
  const text = `${found.runs} of ${RUNS} runs through Redis in ${found.seconds} s: one worker killed, one stopped by three SIGTERMs, one that fails at everything, one of other code, Redis away once for five seconds; status told of ${found.unreported.length === 0 ? 'each' : 'not each'} that was gone. ${sweepText(found)}`;
  return { text, faults };
}
