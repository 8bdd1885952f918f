// Tests recorded answers: a run of a server's model is replayed byte for byte from its trace without the server, and never with other
// answers.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALONE } from './alone.ts';
import { areRun } from './run.ts';

const progress = { update: () => {}, line: () => {}, note: () => {}, end: () => {} };
const run = (...argv: string[]) => runOf('3', ...argv);
const runOf = (seed: string, ...argv: string[]) =>
  areRun(ALONE).run(['execution', '--seed', seed, ...argv], {
    out: () => {},
    progress,
    signal: new AbortController().signal,
    root: '.',
  });

let [folder, base, asked] = ['', '', 0];
let server: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recorded-'));
  server = createServer(async (request, response) => {
    for await (const _ of request);
    // A call that reads, a text that is no action, and the end of the turn.
    const sentences = [
      'Thought: I look.\nAction:\n{"action": "Contacts__get_contacts", "action_input": {}}',
      'I am done.',
      'Action:\n{"action": "AgentUserInterface__send_message_to_user", "action_input": {"content": "No."}}',
    ];
    const content = sentences[asked++ % sentences.length];
    response.end(
      JSON.stringify({ choices: [{ message: { content } }], usage: { prompt_tokens: 10, completion_tokens: 5 } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

it('are reused only in the same conversation', async () => {
  const [first, again] = [join(folder, 'first.json'), join(folder, 'again.json')];
  expect(await run('--endpoint', base, '--model-name', 'm', '--trace', first)).toBe(EXIT.failed);
  expect(asked).toBe(3);
  expect(await run('--answers', first, '--trace', again)).toBe(EXIT.failed);
  expect(await readFile(again, 'utf8')).toBe(await readFile(first, 'utf8'));
  expect(asked).toBe(3);
  const other = runOf('4', '--answers', first);
  await expect(other).rejects.toThrow(/Question 1 of this run was not asked in the run of .*, which has 3 answers/);
  await expect(run('--answers', first, '--model-name', 'm')).rejects.toThrow(/no model is asked/);
  await expect(run('--answers', first, '--agent', 'oracle')).rejects.toThrow(/asks no model, and one is named/);
  await expect(run('--answers', first, '--endpoint', base, '--model-name', 'm')).rejects.toThrow(/needs one/);
  const bare = join(folder, 'bare.json');
  await run('--agent', 'silent', '--trace', bare);
  await expect(run('--answers', bare)).rejects.toThrow(/has no answers of a model/);
});
