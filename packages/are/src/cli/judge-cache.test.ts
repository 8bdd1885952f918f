// Tests that a judge's answers are cached and reused only for the same judge and settings, and that a damaged file is detected.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { DamagedError } from '@projected-grpo-lab/base/files/sealed.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SoftModel } from '../verifier/answer-book.ts';
import type { SoftQuestion } from '../verifier/soft.ts';
import { ALONE } from './alone.ts';
import { JudgeCache } from './judge-cache.ts';
import { arePairs } from './pairs.ts';

let folder: string;
let server: Server;
let base: string;
let asked = 0;
let status = 200;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'judge-cache-'));
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    asked++;
    JSON.parse(text);
    const content = '[[Success]]';
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** The judge's table, the questions that reached the server, and the notes on the cache. */
async function judged(name: string, ...more: string[]) {
  asked = 0;
  const [printed, notes]: [string[], string[]] = [[], []];
  const judge = ['--soft', 'model', '--judge-endpoint', base, '--judge-name', name, '--part', 'held out', '--json'];
  const code = await arePairs(ALONE).run([...judge, ...more], {
    out: (text) => void printed.push(text),
    progress: { update: () => {}, line: () => {}, note: (line) => void notes.push(line), end: () => {} },
    signal: new AbortController().signal,
    root: '.',
  });
  expect(code).toBe(EXIT.ok);
  return { rates: JSON.parse(printed.join('\n')).rates, asked, note: notes.at(-1) ?? '' };
}

it('answers the same judge from the file, and prints the number of reused answers', async () => {
  const path = join(folder, 'judge.jsonl');
  const cache = ['--judge-cache', path];
  const plain = await judged('kind');
  const first = await judged('kind', ...cache);
  expect(first.rates).toEqual(plain.rates);
  expect(first.asked).toBeGreaterThan(60);
  expect(first.note).toBe(`The judge had ${first.asked} questions: 0 answered from ${path}, ${first.asked} asked.`);
  const again = await judged('kind', ...cache);
  expect([again.rates, again.asked]).toEqual([plain.rates, 0]);
  expect(again.note).toBe(`The judge had ${first.asked} questions: ${first.asked} answered from ${path}, 0 asked.`);
  // A flipped verdict is detected.
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('"answer":true', '"answer":false'));
  await expect(judged('kind', ...cache)).rejects.toThrow(DamagedError);
});

it('has a judge for each model, server and setting, and a question for each wording', async () => {
  const path = join(folder, 'own.jsonl');
  const question: SoftQuestion = {
    checker: 'content_checker',
    toolName: 'Emails__send_email',
    agentCall: 'content: a',
    oracleCall: 'content: b',
    subtask: '',
    task: 't',
    previousTask: '',
    userName: '',
    userAddress: '',
    today: '',
  };
  const settings = { id: 'm', endpoint: null, device: 'cpu', votes: 1, tokens: 9 };
  let count = 0;
  const said = async (own: object, asks: Partial<SoftQuestion> = {}, answer: boolean | null = true) => {
    const judge = async () => {
      count++;
      return answer;
    };
    const model: SoftModel = { judge, subtask: async () => '' };
    const cache = await JudgeCache.open(path, { ...settings, ...own }, model, () => {});
    count = 0;
    const both = await Promise.all([cache.judge({ ...question, ...asks }), cache.judge({ ...question, ...asks })]);
    return [both[0], both[1], count];
  };
  expect(await said({})).toEqual([true, true, 1]);
  expect(await said({}, {}, false)).toEqual([true, true, 0]);
  for (const own of [{ id: 'other' }, { endpoint: 'http://x' }, { device: 'webgpu' }, { votes: 3 }, { tokens: 10 }]) {
    expect(await said(own, {}, false), JSON.stringify(own)).toEqual([false, false, 1]);
    expect(await said(own, {}, true), JSON.stringify(own)).toEqual([false, false, 0]);
  }
  for (const asks of [{ agentCall: 'content: c' }, { task: 'u' }, { checker: 'sanity_checker' as const }])
    expect(await said({}, asks, null), JSON.stringify(asks)).toEqual([null, null, 1]);
  expect(await said({}, { task: 'u' }, true)).toEqual([null, null, 0]);
});

it('stores no failed answer, and exists only for a model as judge', async () => {
  const path = join(folder, 'failed.jsonl');
  status = 404;
  await expect(judged('kind', '--judge-cache', path)).rejects.toThrow(/status 404/);
  status = 200;
  expect((await judged('kind', '--judge-cache', path)).note).toContain(': 0 answered from');
  const none = arePairs(ALONE).run(['--judge-cache', path], {
    out: () => {},
    progress: { update: () => {}, line: () => {}, note: () => {}, end: () => {} },
    signal: new AbortController().signal,
    root: '.',
  });
  await expect(none).rejects.toThrow(SpecError);
});
