// A sweep through Redis: two workers that share nothing but the server; one is killed in the middle of a run, and the server is started
// again meanwhile. What comes out is what one process makes, to the byte. Where redis-server is not installed, it says so.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { bundleCli } from './bundle.mjs';
import { command } from './campaign-process.mjs';
import { at } from './project.mjs';

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
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
  if (!hasRedis) return;
  root = mkdtempSync(join(tmpdir(), 'sweep-redis-'));
  writeFileSync(join(root, 'spec.json'), JSON.stringify(SPEC));
  bundle = await bundleCli();
  expect(await run('alone')).toMatchObject({ code: 0 });
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  if (root) rmSync(root, { recursive: true, force: true });
});

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function startRedis(port) {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', root, '--save', '', '--appendonly', 'yes'];
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await new Promise((resolve) =>
    child.stdout.on('data', (text) => String(text).includes('Ready to accept') && resolve()),
  );
  return child;
}

/** Its lines as they come. */
function startWorker(url) {
  const env = { ...process.env, LAB_ROOT: at() };
  const args = [bundle, 'worker', '--queue', url, '--lease', '2', '--threads', '1'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  const worker = { child, text: '' };
  child.stderr.on('data', (chunk) => (worker.text += chunk));
  return worker;
}

const ORIGIN = 'https://lab.example';

/** With its work links, as they are printed. */
function startRelay(url, ...more) {
  const env = { ...process.env, LAB_ROOT: at() };
  const args = [bundle, 'relay', '--queue', url, '--origin', ORIGIN, '--port', '0', '--lease', '4', ...more];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const relay = { child, text: '', links: [], names: [] };
  child.stdout.on('data', (chunk) => {
    for (const [, name, hash] of String(chunk).matchAll(/(worker-[0-9a-f]{8}) .*#(\S+)/g)) {
      const params = new URLSearchParams(hash);
      relay.names.push(name);
      relay.links.push({ relay: params.get('work'), token: params.get('token') });
    }
  });
  child.stderr.on('data', (chunk) => (relay.text += chunk));
  return relay;
}

const socketTo = ({ relay, token }, origin = ORIGIN) => new WebSocket(relay, ['lab-relay-1', token], { origin });

/** The status by which the door is kept shut. */
const knock = (link, origin) =>
  new Promise((resolve) => {
    const socket = socketTo(link, origin);
    socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
    socket.on('open', () => resolve('open'));
    socket.on('error', () => {});
  });

/** A worker that says of each run what `recordOf` says. */
function pageThatSays(link, app, recordOf) {
  const socket = socketTo(link);
  const page = { taken: [], boards: [], closed: new Promise((resolve) => socket.on('close', resolve)) };
  const say = (message) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  const ask = () => say({ type: 'take', app, devices: ['cpu'] });
  socket.on('open', ask);
  socket.on('error', () => {});
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.type === 'status') page.boards.push(message.board);
    else if (message.type === 'run') {
      say({ type: 'at', id: message.id, step: 1, reward: 0.5 });
      say({ type: 'done', id: message.id, record: recordOf(message.key) });
    } else if (message.type === 'wait') void setTimeout(200).then(ask);
    else if (message.type === 'taken') {
      page.taken.push(message.id);
      ask();
    }
  });
  return page;
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

if (!hasRedis)
  console.warn('redis-server is not installed (Debian: redis-server): sweeps through Redis are not tried.');

describe.skipIf(!hasRedis)('a sweep through Redis', () => {
  it('comes to the same bytes, though a worker is killed and the server started again', async () => {
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    let server = await startRedis(port);
    const first = startWorker(url);
    const fed = run('queued', '--queue', url);
    await until('a checkpoint', () => redis(port, 'keys', 'lab-sweep:checkpoint:*') !== '');
    first.child.kill('SIGKILL');
    const second = startWorker(url);
    await until('the second worker', () => second.text.includes('seed 41'));
    const gone = ended(server);
    server.kill('SIGTERM');
    await gone;
    await until('word that the server is away', () => second.text.includes('is away'));
    server = await startRedis(port);
    const { code, stdout, stderr } = await fed;
    expect([code, stderr]).toEqual([0, expect.stringContaining('is back')]);
    expect(stdout).toContain('2 of 2 runs are done, 0 at work, 0 waiting, 0 set apart.');
    expect((await results('queued')) === (await results('alone'))).toBe(true);
    // What has arrived is on the server no more.
    expect(redis(port, 'keys', 'lab-sweep:result:*')).toBe('');
    // Stopped while the server is away, it ends all the same.
    const [end, goneAgain] = [ended(second.child), ended(server)];
    server.kill('SIGTERM');
    await goneAgain;
    second.child.kill('SIGTERM');
    expect(await end).toBe(130);
  });

  it('takes runs from pages, checks them, and drops what a liar made', async () => {
    const finished = new Map(
      readdirSync(join(root, 'alone', 'runs')).map((name) => {
        const { key, record } = JSON.parse(readFileSync(join(root, 'alone', 'runs', name), 'utf8'));
        return [key, record];
      }),
    );
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    await startRedis(port);
    const relay = startRelay(url, '--invite', '2', '--check', '1');
    await until('the relay', () => relay.links.length === 2);
    const { app } = [...finished.values()].map(({ appVersion }) => ({ app: appVersion }))[0];
    const fed = run('relayed', '--queue', url);
    const lie = (record) => ({
      ...record,
      rows: record.rows.map((row, i) => (i === 2 ? { ...row, reward: 0.123 } : row)),
    });
    const eve = pageThatSays(relay.links[0], app, (key) => lie(finished.get(key)));
    await until('a lie', () => eve.taken.length > 0);
    const ann = pageThatSays(relay.links[1], app, (key) => finished.get(key));
    // Trusted: what pages make is made again by it.
    const checker = startWorker(url);
    const { code, stdout, stderr } = await fed;
    expect([code, stderr]).toEqual([0, expect.stringMatching(/lied: of run [0-9a-f]{32} it said .* and others made /)]);
    expect(stdout).toContain('2 of 2 runs are done');
    expect((await results('relayed')) === (await results('alone'))).toBe(true);
    expect(await eve.closed).toBe(1008);
    expect(await knock(relay.links[0])).toBe(401);
    // Whoever is still connected sees what went on.
    await until('a board', () => ann.boards.some(({ liars, made, atWork }) => liars === 1 && made > 1 && atWork === 0));
    // Taken back, the other's link opens nothing either.
    const worker = relay.text.match(/(worker-[0-9a-f]{8}) lied/)?.[1];
    const [, honest] = relay.names;
    expect(worker).toBe(relay.names[0]);
    expect((await command(bundle, ['relay', '--queue', url, '--revoke', honest])).code).toBe(0);
    expect(await ann.closed).toBe(1008);
    expect(await knock(relay.links[1])).toBe(401);
    expect(await knock(relay.links[1], 'https://elsewhere.example')).toBe(403);
    for (const { child } of [relay, checker]) {
      const end = ended(child);
      child.kill('SIGTERM');
      expect(await end).toBe(130);
    }
  });

  it('refuses an address where nobody answers, without its password', async () => {
    const port = await freePort();
    const { code, stderr } = await command(bundle, ['worker', '--queue', `redis://me:secret@127.0.0.1:${port}`]);
    expect(code).toBe(1);
    expect(stderr).toContain(`redis://127.0.0.1:${port} does not answer: ECONNREFUSED.`);
    expect(stderr).not.toContain('secret');
  });
});
