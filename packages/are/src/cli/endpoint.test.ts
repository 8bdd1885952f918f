// Tests model servers that refuse a parameter, answer with something other than text, or report errors in their own format: what is sent
// again, what the user is told, and what is never revealed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { playWith } from '../agents/play.ts';
import { EndpointModel, type EndpointOptions } from '../agents/react/endpoint.ts';
import { ReactAgent } from '../agents/react/react.ts';
import { ModelUser } from '../agents/user-proxy.ts';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { PromptTooLong } from '../chat-model.ts';
import { sampleTrace } from '../testing/sample.ts';
import type { SoftQuestion } from '../verifier/soft.ts';
import { ChatSoftModel } from '../verifier/soft-model.ts';
import { runIdentity } from './flags.ts';

const FAKE = '../shared/stranger/endpoint/fake-endpoint.mjs';
const KEY = 'sk-secret-0123456789';
const TURNS = [{ role: 'user', content: 'x' }] as const;
const ok = { choices: [{ message: { content: 'Said.' }, finish_reason: 'stop' }] };

const servers: Server[] = [];
const children: ChildProcess[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  for (const child of children.splice(0)) child.kill();
});

type Asked = Record<string, unknown>;
/** Starts a server whose answers depend on the request's body. */
async function serving(answer: (asked: Asked) => { status?: number; body: unknown }) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    asked.push(JSON.parse(text));
    const { status = 200, body } = answer(asked.at(-1) as Asked);
    response.writeHead(status, { connection: 'close' }).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

function asking(base: string, options: Partial<EndpointOptions> = {}) {
  const notes: string[] = [];
  const model = new EndpointModel({
    base,
    model: 'm',
    key: KEY,
    seed: 3,
    temperature: 0.2,
    maxTokens: 64,
    now: () => 0,
    wait: async () => {},
    leavingOut: 'Leave it out: --leave-out',
    onNote: (line) => notes.push(line),
    ...options,
  });
  return { model, notes, answer: () => model.answer(TURNS, { stop: ['<end>'] }) };
}

const openai = (param: string, message: string, code = 'unsupported_parameter') => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param, code } },
});
/** Ways in which servers refuse an unknown parameter. */
const REFUSALS: [string, (name: string) => { status: number; body: unknown }][] = [
  ['OpenAI', (name) => openai(name, `Unsupported parameter: '${name}' is not supported with this model.`)],
  [
    'FastAPI',
    (name) => ({
      status: 422,
      body: { detail: [{ type: 'extra_forbidden', loc: ['body', name], msg: 'Extra inputs are not permitted' }] },
    }),
  ],
  ['a text', (name) => ({ status: 400, body: { error: `unknown field "${name}"` } })],
  ['status 200', (name) => ({ status: 200, body: { error: { code: 400, message: `'${name}' is not supported` } } })],
];

describe.each(REFUSALS)('a server that refuses parameters, in the words of %s', (_, refuse) => {
  const refusing = (...names: string[]) =>
    serving((asked) => {
      const name = names.find((one) => one in asked);
      return name === undefined ? { body: ok } : refuse(name);
    });

  it('is sent max_completion_tokens and no stop, which uses up no call, and one note says so', async () => {
    const { base, asked } = await refusing('max_tokens', 'stop');
    const { model, notes, answer } = asking(base);
    expect(await answer()).toMatchObject({ text: 'Said.' });
    expect(asked.at(-1)).toMatchObject({ max_completion_tokens: 64, temperature: 0.2, seed: 3 });
    expect(asked.at(-1)).not.toHaveProperty('max_tokens');
    expect(asked.at(-1)).not.toHaveProperty('stop');
    // The refusal is remembered for the models of all seeds.
    await model.seeded(4).answer(TURNS, { stop: ['<end>'] });
    expect(asked).toHaveLength(4);
    expect(notes).toHaveLength(2);
    expect(notes.join()).toMatch(/does not take max_tokens .*does not take stop /s);
  });

  it('refusing temperature or seed raises an error that names how to leave it out; it is then not sent', async () => {
    const { base, asked } = await refusing('temperature', 'seed');
    const error = await asking(base)
      .answer()
      .catch((raised: unknown) => raised);
    expect(error).toBeInstanceOf(FormatError);
    expect((error as FormatError).message).toContain('temperature');
    expect((error as FormatError).remedy).toBe('Leave it out: --leave-out temperature');
    const { answer } = asking(base, { leaveOut: ['temperature', 'seed', 'max_tokens'] });
    expect(await answer()).toMatchObject({ text: 'Said.' });
    expect(Object.keys(asked.at(-1) as Asked)).toEqual(['model', 'messages', 'stop']);
  });

  it('refusing both names of the token limit raises an error with the flag', async () => {
    const { base } = await refusing('max_tokens', 'max_completion_tokens');
    await expect(asking(base).answer()).rejects.toMatchObject({ remedy: 'Leave it out: --leave-out max_tokens' });
  });
});

describe('a server’s own reason', () => {
  it.each<[string, { status?: number; body: unknown }, RegExp, RegExp]>([
    [
      'a value too large',
      openai('max_tokens', 'max_tokens is too large: 64', 'invalid_value'),
      /status 400: max_tokens is too large: 64$/,
      /own reason/,
    ],
    [
      'a wrong key',
      { status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}` } } },
      /status 401: Incorrect API key provided: \(the key\)$/,
      /key/,
    ],
    [
      'a wrong model',
      { status: 404, body: { detail: 'model not found' } },
      /status 404: model not found$/,
      /name of the model/,
    ],
    ['a page', { status: 404, body: '<html><title>Not Found</title>' }, /status 404: an HTML page: Not Found$/, /\/v1/],
    [
      'a page with status 200',
      { body: '<!doctype html><title>Welcome</title>' },
      /answered with an HTML page: Welcome/,
      /address/,
    ],
    [
      'an error with status 200',
      { body: { error: { message: 'bad model' } } },
      /status 200, and an error in it: bad model$/,
      /own reason/,
    ],
    [
      'a busy one with status 200',
      { body: { error: { message: 'model overloaded', code: 503 } } },
      /status 503, 2 times in a row: model overloaded$/,
      /later/,
    ],
  ])('reaches the person, with a remedy for it and without the key: %s', async (_, answer, message, remedy) => {
    const { base } = await serving(() => answer);
    const error = await asking(base, { retries: 1 })
      .answer()
      .catch((raised: unknown) => raised as FormatError);
    expect(error).toMatchObject({ message: expect.stringMatching(message), remedy: expect.stringMatching(remedy) });
    expect(JSON.stringify([(error as FormatError).message, (error as FormatError).remedy])).not.toContain(KEY);
  });

  it('for a conversation that is too long ends the run, not the program', async () => {
    const { base } = await serving(() => ({ status: 400, body: { error: 'maximum context length is 8 tokens' } }));
    await expect(asking(base).answer()).rejects.toThrow(PromptTooLong);
  });

  it('does not contain the address’s query or password', async () => {
    const { base } = await serving(() => ({ status: 403, body: 'no' }));
    const named = asking(`${base}?api-key=${KEY}`);
    await expect(named.answer()).rejects.toThrow(/\/v1\/chat\/completions answered with status 403: no$/);
    await expect(asking(`http://127.0.0.1:1/v1?api-key=${KEY}`).answer()).rejects.not.toThrow(KEY);
    expect(() => asking(`http://me:${KEY}@127.0.0.1:1/v1`)).toThrow(/has a name or password in it/);
    expect(() => asking(`http://me:${KEY}@127.0.0.1:1/v1`)).not.toThrow(KEY);
  });
});

const playing = async (message: object, finish_reason = 'stop') => {
  const { base, asked } = await serving(() => ({ body: { choices: [{ message, finish_reason }] } }));
  const { model, notes } = asking(base);
  return { model, notes, asked };
};
const NULL = { content: null, reasoning_content: 'I think so' };

it('newer options do not change the key of a run without them', async () => {
  const more = { agent: 'react', model: { id: 'm' }, trace: sampleTrace() };
  const before = { model: null, seed: 0 };
  const after = {
    ...before,
    'leave-out': null,
    'judge-leave-out': null,
    'user-leave-out': null,
    'chat-arg': {},
    thinking: null,
  };
  expect(await runIdentity(after, [], more)).toBe(await runIdentity(before, [], more));
  expect(await runIdentity({ ...after, 'leave-out': ['seed'] }, [], more)).not.toBe(
    await runIdentity(before, [], more),
  );
});

describe('an answer without text', () => {
  it('is described to the agent’s model, and at the end to the user', async () => {
    const { model, notes, asked } = await playing(NULL);
    const agent = new ReactAgent({ model });
    await playWith(sampleTrace(), agent, { classes: IMPORTABLE_CLASSES });
    expect(agent.failure).toMatch(/^Its answers had no action\. The last one: content is null, and 10 characters/);
    expect(agent.exchanges[0]?.fault?.message).toMatch(/^Your answer has no action that can be read: content is null/);
    expect(asked).toHaveLength(11);
    expect(notes).toHaveLength(1);
  });

  it('ends a run if it was cut off, even if its start could be parsed', async () => {
    const { model } = await playing({ content: 'Thought: done\nAction:\n{"action":"Agent' }, 'length');
    const agent = new ReactAgent({ model });
    await playWith(sampleTrace(), agent, { classes: IMPORTABLE_CLASSES });
    expect(agent.failure).toMatch(
      /The last one: the answer was cut off by its limit of 64 tokens \(finish_reason length\)\.$/,
    );
    expect(agent.spent.calls).toBe(11);
  });

  it('is not a verdict from a judge, and not silence from a user', async () => {
    const { model } = await playing(NULL);
    const question: SoftQuestion = {
      checker: 'content_checker',
      toolName: 'send_email',
      agentCall: 'a',
      oracleCall: 'b',
      subtask: '',
      task: 't',
      previousTask: '',
      userName: 'Ana',
      userAddress: '',
      today: '2024-10-15 Tuesday',
    };
    const judge = new ChatSoftModel(model, 3);
    await expect(judge.judge(question)).rejects.toThrow('The judge gave no verdict: content is null');
    await expect(new ModelUser(model).reply([{ role: 'user', content: 'Done?' }])).rejects.toThrow(
      'The model in the user’s place said nothing: content is null',
    );
  });
});

describe.skipIf(!existsSync(FAKE))('the shared server (skipped where ../shared is missing)', () => {
  async function fake(mode: string): Promise<string> {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    children.push(spawn(process.execPath, [FAKE, mode, String(port)], { stdio: 'ignore' }));
    const base = `http://127.0.0.1:${port}/v1`;
    for (let tries = 0; tries < 200; tries++) {
      const socket = connect(port, '127.0.0.1');
      const isThere = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      if (isThere) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return base;
  }

  it.each<[string, object]>([
    ['maxtok', { text: expect.stringContaining('"content":"ok"') }],
    ['reasoning', { text: '', flaw: expect.stringContaining('content is null') }],
    ['length', { flaw: expect.stringContaining('cut off') }],
    ['think', { text: expect.stringMatching(/^Thought: done/) }],
  ])('%s', async (mode, expected) => {
    const { model } = asking(await fake(mode));
    expect(await model.answer(TURNS, { stop: ['<end_action>'] })).toMatchObject(expected);
  });

  it('err200', async () => {
    await expect(asking(await fake('err200'), { retries: 0 }).answer()).rejects.toThrow('status 503: model overloaded');
  });
});
