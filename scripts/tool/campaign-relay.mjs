// A sweep of 24 short runs through a real Redis with a relay: two command lines, a headless browser and a liar take runs, and the server is
// started again in the middle. What comes out is compared with what one process makes, to the byte. Where redis-server or Chromium is not
// installed, it says so.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import WebSocket from 'ws';
import { command, lastLines } from './campaign-process.mjs';
import { ensureChromium } from './chromium.mjs';
import { buildPage, DIST } from './page.mjs';
import { at } from './project.mjs';
import { serve } from './server.mjs';
import { say } from './terminal.mjs';

const RUNS = 24;
const LIMIT_MS = 25 * 60_000;
const SPEC = {
  name: 'campaign',
  preset: 'smoke',
  arm: 'none',
  overrides: { environment: 'arithmetic', steps: 2, evalEvery: 0, finalEvalProblems: 4, checkpointEvery: 1 },
  axes: [{ option: 'lr', from: 0.001, to: 0.1, count: RUNS / 2, scale: 'log' }],
  seeds: [41, 42],
};

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Ready for connections. */
export async function startRedis(port, dir) {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'yes'];
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) =>
    child.stdout.on('data', (text) => String(text).includes('Ready to accept') && resolve()),
  );
  return child;
}

const ended = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('close', resolve));

/** A worker of the relay whose results have one number changed. */
function liar({ relay, token }, origin, app, records) {
  const socket = new WebSocket(relay, ['lab-relay-1', token], { origin });
  const say_ = (message) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  const ask = () => say_({ type: 'take', app, devices: ['cpu'] });
  const told = { lies: 0, closed: null };
  socket.on('open', ask);
  socket.on('error', () => {});
  socket.on('close', (code) => {
    told.closed = code;
  });
  socket.on('message', (data) => {
    const { type, id, key } = JSON.parse(String(data));
    if (type === 'wait') void setTimeout(300).then(ask);
    if (type !== 'run') return;
    const record = structuredClone(records.get(key));
    record.rows[1].reward = 0.123;
    told.lies++;
    say_({ type: 'done', id, record });
  });
  return told;
}

/** `why` where it was not tried. */
export async function throughRelay(bundle, folder) {
  if (spawnSync('redis-server', ['--version']).status !== 0)
    return { why: 'redis-server is not installed (Debian: redis-server)' };
  const browserPath = await ensureChromium().catch(() => null);
  if (browserPath === null) return { why: 'there is no Chromium' };
  const spec = join(folder, 'sweep.json');
  writeFileSync(spec, JSON.stringify(SPEC));
  const sweep = async (...args) => {
    const found = await command(bundle, ['sweep', ...args]);
    if (found.code !== 0) throw new Error(`sweep ${args[0]}: exit ${found.code}: ${lastLines(found.stderr, 4)}`);
    return found;
  };
  const results = async (out) => {
    await sweep('collect', out);
    return readFileSync(join(out, 'results.jsonl'), 'utf8');
  };
  const runsOf = (out) =>
    readdirSync(join(out, 'runs')).map((name) => JSON.parse(readFileSync(join(out, 'runs', name), 'utf8')));
  const [alone, out] = [join(folder, 'alone'), join(folder, 'relayed')];
  await sweep('run', spec, '--out', alone);
  const expected = await results(alone);
  const records = new Map(runsOf(alone).map(({ key, record }) => [key, record]));
  say(`One process: ${records.size} runs`);
  await buildPage();
  const page = await serve(DIST, { port: 0 });
  const origin = `http://localhost:${page.port}`;
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await startRedis(port, folder);
  const children = [];
  const start = (...args) => {
    const child = spawn(process.execPath, [bundle, ...args], {
      env: { ...process.env, LAB_ROOT: at() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    child.text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (child.text += chunk));
    return child;
  };
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--enable-unsafe-webgpu'] });
  const started = performance.now();
  try {
    const relay = start(
      'relay',
      '--queue',
      url,
      '--origin',
      origin,
      '--port',
      '0',
      '--invite',
      '2',
      '--check',
      '3',
      '--lease',
      '20',
    );
    const until = async (what, isSo) => {
      while (!(await isSo())) {
        if (performance.now() - started > LIMIT_MS)
          throw new Error(`${what} did not come about: ${lastLines(relay.text, 6)}`);
        await setTimeout(200);
      }
    };
    await until('the relay', () => relay.text.match(/#work=/g)?.length === 2);
    const links = [...relay.text.matchAll(/http\S+/g)].map(([link]) => link).filter((link) => link.includes('#work='));
    const fed = sweep('run', spec, '--out', out, '--queue', url);
    // Awaited further down; what fails before that ends the wait there.
    fed.catch(() => {});
    // Page and liar first, so that each has runs of the queue.
    const tab = await browser.newPage();
    await tab.goto(links[0]);
    await tab.getByRole('button', { name: /^Work for / }).click({ timeout: 120_000 });
    const params = new URLSearchParams(links[1].split('#')[1]);
    const [{ appVersion }] = records.values();
    const eve = liar({ relay: params.get('work'), token: params.get('token') }, origin, appVersion, records);
    await until('a first result of the page', async () =>
      /[1-9]\d* runs? sent/.test(await tab.getByRole('status', { name: 'Work for a relay' }).innerText()),
    );
    for (const _ of [1, 2]) start('worker', '--queue', url, '--lease', '5', '--threads', '1');
    await until('a quarter of the runs', () => readdirSync(join(out, 'runs')).length >= RUNS / 4);
    server.kill('SIGTERM');
    await ended(server);
    await setTimeout(10_000);
    server = await startRedis(port, folder);
    say(`Redis was away for ten seconds; ${readdirSync(join(out, 'runs')).length} of ${RUNS} runs were done`);
    await fed;
    const board = tab.getByRole('status', { name: 'Queue of the relay' });
    await until('the page to show the end', async () => /Waiting\s*0\s/.test(await board.innerText()));
    const seen = await board.innerText();
    const by = runsOf(out).map((run) => run.by ?? null);
    return {
      why: null,
      runs: by.length,
      byThePage: by.filter((name) => name !== null).length,
      lies: eve.lies,
      named: /worker-[0-9a-f]{8} lied: /.test(relay.text),
      isShut: eve.closed === 1008,
      isShown: /Workers with wrong results\s*1\b/.test(seen),
      isSame: (await results(out)) === expected,
      seconds: Math.round((performance.now() - started) / 1000),
    };
  } finally {
    await browser.close();
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(children.map(ended));
    server.kill('SIGTERM');
    await ended(server);
    await page.close?.();
  }
}

/** Lines for a person, and what went wrong. */
export function relayReport(found) {
  if (found.why) return { text: `The relay was not tried: ${found.why}.`, faults: [] };
  const { runs, byThePage, lies, named, isShut, isShown, isSame, seconds } = found;
  const faults = [
    ...(runs === RUNS ? [] : [`${RUNS - runs} of ${RUNS} runs are missing`]),
    ...(byThePage > 0 ? [] : ['no result of the page counted']),
    ...(lies > 0 && named && isShut ? [] : ['the liar was not found out']),
    ...(isShown ? [] : ['the page did not show that a worker lied']),
    ...(isSame ? [] : ['the results are not those of one process']),
  ];
  const text = `${runs} of ${RUNS} runs through Redis, two command lines and one page (${byThePage} of its results count), Redis away once for ten seconds, ${lies} lies of a worker that was ${named && isShut ? 'named, dropped and shut out' : 'not found out'}: ${isSame ? 'every byte is' : 'the results are not'} that of one process. ${seconds} s.`;
  return { text, faults };
}
