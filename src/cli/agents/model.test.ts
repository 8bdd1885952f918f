// Agents with a model on the command line: a server that a test plays, and a model of a folder.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMPORTABLE_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { areBench } from '@projected-grpo-lab/are/cli/bench.ts';
import { metricsOf } from '@projected-grpo-lab/are/cli/bench-tables.ts';
import { areJudge } from '@projected-grpo-lab/are/cli/judge.ts';
import { areRun } from '@projected-grpo-lab/are/cli/run.ts';
import { generateScenario } from '@projected-grpo-lab/are/generate/generate.ts';
import { traceText } from '@projected-grpo-lab/are/scenario/export.ts';
import { makeScenario } from '@projected-grpo-lab/are/scenario/import.ts';
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { plainArgs } from '@projected-grpo-lab/are/value.ts';
import { playOracle } from '@projected-grpo-lab/are/verifier/oracle-run.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Command, EXIT } from '../command.ts';
import { exportModel } from '../model/export.ts';
import { HOST } from './host.ts';
import { openLocalModel } from './writer.ts';

interface Asked {
  readonly authorization: string | undefined;
  readonly body: { model: string; messages: { role: string; content: string }[]; temperature: number; stop: string[] };
}

/** The server's reply to the last request, or a status with a text. */
let say: (asked: Asked) => string | { status: number; text: string };
const asked: Asked[] = [];
let server: Server;
let base: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'are-model-'));
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    asked.push({ authorization: request.headers.authorization, body: JSON.parse(text) });
    const said = say(asked.at(-1) as Asked);
    const isText = typeof said === 'string';
    response.writeHead(isText ? 200 : said.status, { 'content-type': 'application/json' });
    const usage = { prompt_tokens: 70, completion_tokens: 5 };
    response.end(
      isText ? JSON.stringify({ choices: [{ message: { role: 'assistant', content: said } }], usage }) : said.text,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const progress = { update: () => {}, line: () => {}, note: () => {}, end: () => {} };
const signal = new AbortController().signal;
async function called(command: Command, ...argv: string[]): Promise<[number, string]> {
  const lines: string[] = [];
  const code = await command.run(argv, { out: (text) => void lines.push(text), progress, signal, root: '.' });
  return [code, lines.join('\n')];
}

/** The oracle's calls of a generated scenario, as a model would write them. */
function oracleAnswers(index: number): string[] {
  return answersOf(generateScenario({ split: 'execution', seed: 3, index, part: 'training' }).trace);
}

function answersOf(trace: Trace): string[] {
  return playOracle(makeScenario(trace, IMPORTABLE_CLASSES)).log.flatMap(({ type, action }) =>
    type !== 'AGENT' || action === null
      ? []
      : [
          `Thought: On.\nAction:\n${JSON.stringify({ action: `${action.appName}__${action.functionName}`, action_input: plainArgs(action.args) })}<end_action>`,
        ],
  );
}

/** Answers by the number of earlier answers in the conversation; every other scenario is answered wrongly. */
const asOracle = (isRight: (index: number) => boolean) => {
  const answers = [0, 1].map(oracleAnswers);
  const tasks = [0, 1].map((index) => {
    const { trace } = generateScenario({ split: 'execution', seed: 3, index, part: 'training' });
    return playOracle(makeScenario(trace, IMPORTABLE_CLASSES)).tasks[0]?.trim() ?? '';
  });
  say = ({ body: { messages } }) => {
    const index = tasks.findIndex((task) => messages.some(({ content }) => content.includes(task)));
    const done = messages.filter(({ role }) => role === 'assistant').length;
    const give = 'Action:\n{"action": "AgentUserInterface__send_message_to_user", "action_input": {"content": "No."}}';
    return isRight(index) ? (answers[index]?.[done] ?? give) : give;
  };
};

const server_ = (...more: string[]) => ['--agent', 'react', '--endpoint', base, '--model-name', 'm', ...more];

it('plays scenarios of a split with a model behind a server, and reports the cost', async () => {
  asOracle(() => true);
  process.env.ARE_TEST_KEY = 'k';
  const trace = join(folder, 'run.json');
  const [code, text] = await called(
    areRun(HOST),
    'execution',
    '--seed',
    '3',
    '--trace',
    trace,
    '--json',
    ...server_('--key-env', 'ARE_TEST_KEY'),
  );
  const { rationale, spent, steps } = JSON.parse(text);
  expect([code, rationale]).toEqual([EXIT.ok, 'None']);
  expect(spent).toEqual({ calls: steps, inputTokens: 70 * steps, outputTokens: 5 * steps, formatErrors: 0 });
  expect(asked.at(-1)?.authorization).toBe('Bearer k');
  expect(asked.at(-1)?.body).toMatchObject({ model: 'm', temperature: 0.5, stop: ['<end_action>', 'Observation:'] });
  expect(await readFile(trace, 'utf8')).toContain('"Valid"');

  asOracle((index) => index === 0);
  const [failed, lines] = await called(areRun(HOST), 'execution', '--seed', '3', '--n', '2', ...server_());
  expect(failed).toBe(EXIT.failed);
  expect(lines).toMatch(/^passed {2}generated_execution.*tokens in.*\nfailed .*\n1 of 2 passed\.$/s);
});

it('names unsupported requests of a server, and missing flags', async () => {
  say = () => ({ status: 401, text: 'no key' });
  await expect(called(areRun(HOST), 'execution', ...server_())).rejects.toThrow(/status 401: no key/);
  say = () => ({ status: 200, text: '{}' });
  await expect(called(areRun(HOST), 'execution', ...server_())).rejects.toThrow(/no chat completion/);
  say = () => ({ status: 400, text: 'maximum context length is 8 tokens' });
  const [code, text] = await called(areRun(HOST), 'execution', ...server_());
  expect([code, text]).toEqual([EXIT.failed, expect.stringContaining('The agent gave up: The server refused')]);
  await expect(called(areRun(HOST), 'execution', '--agent', 'react')).rejects.toThrow('needs one');
  await expect(called(areRun(HOST), 'execution', '--agent', 'react', '--endpoint', base)).rejects.toThrow('no name');
  await expect(called(areRun(HOST), 'execution', ...server_().with(3, 'ftp://x'))).rejects.toThrow('no address');
  await expect(called(areRun(HOST), 'execution', ...server_('--key-env', 'NOT_THERE'))).rejects.toThrow('NOT_THERE');
  await expect(called(areRun(HOST), 'nothing.json', '--n', '2')).rejects.toThrow('--n is of a split');
});

it('keeps answers as they arrive, and continues from them after a lost server; nothing is overwritten', async () => {
  asOracle(() => true);
  const answering = say;
  const [whole, trace] = [join(folder, 'whole.json'), join(folder, 'resumed.json')];
  const run = ['adaptability', '--seed', '3', '--part', 'training', ...server_('--retries', '0')];
  const { trace: file } = generateScenario({ split: 'adaptability', seed: 3, index: 0, part: 'training' });
  const answers = answersOf(file);
  say = ({ body: { messages } }) => answers[messages.filter(({ role }) => role === 'assistant').length] as string;
  expect((await called(areRun(HOST), ...run, '--trace', whole))[0]).toBe(EXIT.ok);
  const right = say;
  let left = 2;
  asked.length = 0;
  say = (request) => (left-- > 0 ? right(request) : { status: 503, text: 'gone' });
  await expect(called(areRun(HOST), ...run, '--trace', trace)).rejects.toThrow(/status 503: gone/);
  const kept = await readFile(`${trace}.answers.jsonl`, 'utf8');
  expect(kept.trimEnd().split('\n')).toHaveLength(2);
  // A kill in the middle of a row loses that answer alone.
  await writeFile(`${trace}.answers.jsonl`, kept.slice(0, -9));
  await expect(called(areRun(HOST), ...run, '--trace', trace, '--max-steps', '79')).rejects.toThrow(/other options/);
  const before = asked.length;
  say = right;
  expect((await called(areRun(HOST), ...run, '--trace', trace))[0]).toBe(EXIT.ok);
  expect(asked.length - before).toBe(answers.length - 1);
  const text = async (path: string) =>
    (await readFile(path, 'utf8')).replace(/\\"completion_duration\\":[\d.e-]+/g, '');
  expect(await text(trace)).toBe(await text(whole));
  await expect(readFile(`${trace}.answers.jsonl`)).rejects.toThrow(/ENOENT/);
  await expect(called(areRun(HOST), ...run, '--trace', trace)).rejects.toThrow(/is there already/);
  const foreign = join(folder, 'notes.md');
  await writeFile(foreign, 'mine');
  await expect(called(areRun(HOST), 'execution', '--agent', 'oracle', '--trace', foreign)).rejects.toThrow(
    /is there already/,
  );
  expect(await readFile(foreign, 'utf8')).toBe('mine');
  say = answering;
});

/** Members of each kind of log, by the reference's classes (ARE, agent_log.py), besides `log_type`, `id`, `timestamp`, `agent_id`. */
const LOG_MEMBERS: Readonly<Record<string, string>> = {
  system_prompt: 'content',
  task: 'attachments content',
  step: 'iteration',
  llm_input: 'content',
  llm_output: 'completion_duration completion_tokens content prompt_tokens reasoning_tokens total_tokens',
  rationale: 'content',
  tool_call: 'tool_arguments tool_name',
  observation: 'content',
  error: 'agent category error exception',
};

it('writes traces with the model’s name, what it was asked, what it said, and tokens', async () => {
  const answers = ['no action', ...oracleAnswers(0)];
  say = ({ body: { messages } }) => answers[messages.filter(({ role }) => role === 'assistant').length] as string;
  const trace = join(folder, 'logged.json');
  expect((await called(areRun(HOST), 'execution', '--seed', '3', '--trace', trace, ...server_()))[0]).toBe(EXIT.ok);
  const { metadata, world_logs } = JSON.parse(await readFile(trace, 'utf8'));
  expect(metadata.simulation).toEqual({ agent_id: 'react', model_id: 'm' });
  const logs = (world_logs as string[]).map((log) => JSON.parse(log));
  const turn = ['step', 'llm_input', 'llm_output'];
  expect(logs.map((log) => log.log_type).slice(0, 12)).toEqual([
    ...['system_prompt', 'task', ...turn, 'error', ...turn, 'rationale', 'tool_call', 'observation'],
  ]);
  for (const { log_type, id, timestamp, agent_id, ...own } of logs) {
    expect([typeof id, typeof timestamp, agent_id]).toEqual(['string', 'number', 'react']);
    expect(Object.keys(own).sort().join(' ')).toBe(LOG_MEMBERS[log_type]);
  }
  expect(logs[3].content.map(({ role }: { role: string }) => role)).toEqual(['system', 'user']);
  expect(logs[4]).toMatchObject({ content: 'no action', prompt_tokens: 70, completion_tokens: 5, total_tokens: 75 });
  expect(logs[7].content.at(-1).content).toContain('ERROR');
});

it('plays react where an endpoint is named and no agent, and refuses a model that nobody asks', async () => {
  asOracle(() => true);
  asked.length = 0;
  const named = ['--endpoint', base, '--model-name', 'm'];
  const [, text] = await called(areRun(HOST), 'execution', '--seed', '3', '--json', ...named);
  expect([JSON.parse(text).agent, asked.length > 0]).toEqual(['react', true]);
  for (const agent of ['oracle', 'language'])
    await expect(called(areRun(HOST), 'execution', '--agent', agent, ...named)).rejects.toThrow(SpecError);
  await expect(called(areRun(HOST), 'execution', '--model', 'public/models/tiny-agent')).rejects.toThrow(
    /not how it plays/,
  );
});

it('judges texts with a model, and whole runs with the baseline', async () => {
  asOracle(() => true);
  const act = say;
  const judged = (verdict: string) => {
    say = (request) => {
      const isJudge = request.body.messages[0]?.content.startsWith('You judge');
      if (isJudge) return `So it is. [[${verdict}]]`;
      if (request.body.messages[0]?.content.startsWith('A user gave')) return 'the mail';
      const said = act(request);
      return typeof said === 'string' ? said.replace(/"content": ?"/, '"content": "Well. ') : said;
    };
  };
  const trace = join(folder, 'judged.json');
  const judge = ['--judge-endpoint', base, '--judge-name', 'j'];
  judged('Success');
  const run = ['execution', '--seed', '3', ...server_('--soft', 'model', ...judge)];
  expect((await called(areRun(HOST), ...run, '--trace', trace))[0]).toBe(EXIT.ok);
  expect(asked.some(({ body }) => body.model === 'j')).toBe(true);
  expect((await called(areJudge(HOST), trace, '--soft', 'model', ...judge))[0]).toBe(EXIT.ok);
  expect(await called(areJudge(HOST), trace, '--judge', 'in-context', ...judge)).toEqual([
    EXIT.ok,
    'Accepted by the model, turn 1 of 1:\nSo it is. [[Success]]',
  ]);
  judged('Failure');
  expect((await called(areJudge(HOST), trace, '--soft', 'model', ...judge))[0]).toBe(EXIT.failed);
  expect((await called(areJudge(HOST), trace, '--judge', 'in-context', ...judge))[0]).toBe(EXIT.failed);
  await expect(called(areJudge(HOST), trace, '--soft', 'model')).rejects.toThrow('needs one');
  await expect(called(areJudge(HOST), trace, '--soft', 'model', ...judge.slice(0, 2))).rejects.toThrow('no name');
  await expect(called(areJudge(HOST), trace, ...judge)).rejects.toThrow('not asked');
});

it('benches a model: success, shares passed once and always, cost of a run', async () => {
  let runs = 0;
  asOracle((index) => index === 0 || runs++ % 2 === 0);
  const rows = join(folder, 'rows.jsonl');
  const flags = [
    '--agents',
    'react',
    '--splits',
    'execution',
    '--n',
    '2',
    '--runs',
    '2',
    '--seed',
    '3',
    '--part',
    'training',
  ];
  const argv = [...flags, '--rows', rows, ...server_().slice(2)];
  const [code, text] = await called(areBench(HOST), ...argv);
  expect(code).toBe(EXIT.ok);
  expect(text).toContain('pass@2 %');
  const count = asked.length;
  // Rows in the file are not asked again; another model's are.
  await called(areBench(HOST), ...argv);
  expect(asked.length).toBe(count);
  await called(areBench(HOST), ...argv.map((arg) => (arg === 'm' ? 'other' : arg)));
  expect(asked.length).toBeGreaterThan(count);
});

it('has apps in the hands of experts, who are the same model with the app’s own tools', async () => {
  const [act, done] = oracleAnswers(0);
  const app = /"action":"(\w+?)__/.exec(act as string)?.[1] as string;
  const expert = `Thought: Ask.\nAction:\n{"action": "${app}__expert_agent", "action_input": {"task": "as the user says"}}`;
  const answer =
    'Action:\n{"action": "AgentUserInterface__send_message_to_user", "action_input": {"content": "It is sent."}}';
  asked.length = 0;
  say = ({ body: { messages } }) => {
    const isExpert = !messages[0]?.content.includes('__expert_agent');
    const isFirst = !messages.some(({ role }) => role === 'assistant');
    return (isExpert ? (isFirst ? act : answer) : isFirst ? expert : done) as string;
  };
  const which = ['--splits', 'execution', '--n', '1', '--runs', '1', '--seed', '3', '--part', 'training'];
  const argv = ['--agents', 'react', ...which, '--a2a', '1', '--json', ...server_().slice(2)];
  const { rows } = JSON.parse((await called(areBench(HOST), ...argv))[1]);
  expect(rows).toMatchObject([{ success: true, steps: 2, noise: 'agent-to-agent 1' }]);
  const prompts = asked.map(({ body }) => body.messages.map(({ content }) => content).join('\n'));
  expect(prompts).toHaveLength(4);
  expect(prompts[1]).toContain('[TASK]: \nas the user says');
  expect(prompts[1]).toContain('- AgentUserInterface__send_message_to_user');
  expect(prompts[3]).toContain('It is sent.');
});

it('figures: once, always, and means of what is known', () => {
  const row = (scenario: string, success: boolean, calls: number | null) =>
    ({ agent: 'react', split: 'time', scenario, run: 0, success, steps: 4, seconds: 10, calls, tokens: null }) as const;
  const rows = [
    row('a', true, 2),
    row('a', false, 4),
    row('b', true, null),
    row('b', true, null),
    row('c', false, 9),
    row('c', false, 1),
  ];
  expect(metricsOf(rows)).toEqual({ once: 2 / 3, always: 1 / 3, steps: 4, seconds: 10, calls: 4, tokens: null });
});

it('asks a model of a folder, each question with draws of its own, a run always the same', async () => {
  const flags = {
    model: join('public', 'models', 'tiny-coder'),
    endpoint: null,
    'model-name': null,
    'key-env': null,
    temperature: 1,
    'max-tokens': 12,
    'max-calls': 4,
    'chat-arg': {},
    thinking: null,
    device: 'cpu' as const,
    threads: 1,
  };
  const { seeded, free } = await openLocalModel(flags, { root: '.', progress, signal });
  try {
    const turns = [{ role: 'user', content: 'Add.' }] as const;
    const [one, two] = [seeded(1), seeded(1)];
    const first = await one.answer(turns, { stop: [] });
    expect(first.outputTokens).toBeGreaterThan(0);
    expect((await two.answer(turns, { stop: [] })).text).toBe(first.text);
    expect((await one.answer(turns, { stop: [] })).text).not.toBe(first.text);
    const long = [{ role: 'user', content: 'Add. '.repeat(3000) }] as const;
    await expect(one.answer(long, { stop: [] })).rejects.toThrow(/positions/);
  } finally {
    free();
  }
});

it('asks an ONNX model of a folder; in the compact language its rows are the engine’s', async () => {
  const flags = {
    model: join('public', 'models', 'tiny-hacker'),
    endpoint: null,
    'model-name': null,
    'key-env': null,
    temperature: 1,
    'max-tokens': 8,
    'max-calls': 4,
    'chat-arg': {},
    thinking: null,
    device: 'cpu' as const,
    threads: 1,
  };
  const { seeded, free } = await openLocalModel(flags, { root: '.', progress, signal });
  try {
    const first = await seeded(1).answer([{ role: 'user', content: 'Add.' }], { stop: [] });
    expect(first.outputTokens).toBeGreaterThan(0);
    expect((await seeded(1).answer([{ role: 'user', content: 'Add.' }], { stop: [] })).text).toBe(first.text);
    const long = [{ role: 'user', content: 'Add. '.repeat(3000) }] as const;
    await expect(seeded(1).answer(long, { stop: [] })).rejects.toThrow(/positions/);
  } finally {
    free();
  }
  const tiny = join('public', 'models', 'tiny-agent');
  const onnx = join(folder, 'tiny-agent-onnx');
  await called(exportModel, '--model', tiny, '--format', 'onnx', '--out', onnx, '--device', 'cpu');
  const rows = async (model: string) => {
    const which = [
      '--agents',
      'language',
      '--model',
      model,
      '--model-name',
      'tiny',
      '--device',
      'cpu',
      '--threads',
      '1',
    ];
    const what = [
      '--part',
      'training',
      '--splits',
      'execution',
      '--n',
      '1',
      '--runs',
      '1',
      '--temperature',
      '0',
      '--json',
    ];
    return JSON.parse((await called(areBench(HOST), ...which, ...what))[1]).rows;
  };
  expect(await rows(onnx)).toEqual(await rows(tiny));
});

it('has the tools of a server of its user’s, and is shown tools under the names that a file brings along', async () => {
  const methods: string[] = [];
  const tools = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id, method, params } = JSON.parse(text);
    methods.push(method);
    const listed = [{ name: 'add', description: 'Adds.', inputSchema: { properties: { a: { type: 'integer' } } } }];
    const content = [{ type: 'text', text: `${params?.arguments?.a} and one` }];
    const result = method === 'tools/list' ? { tools: listed } : { content };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise<void>((resolve) => tools.listen(0, '127.0.0.1', resolve));
  const mcp = `http://127.0.0.1:${(tools.address() as AddressInfo).port}/mcp`;
  const { trace } = generateScenario({ split: 'execution', seed: 3, index: 0, part: 'training' });
  const file = join(folder, 'renamed.json');
  const augmentation = { tool_names_mapping: { Emails__send_email: 'Post__dispatch' } };
  await writeFile(file, traceText({ ...trace, augmentation }));
  const answers = [
    'Thought: Sum.\nAction:\n{"action": "MCPApp__add", "action_input": {"a": 41}}<end_action>',
    'Thought: Done.\nAction:\n{"action": "AgentUserInterface__send_message_to_user", "action_input": {"content": "Done."}}<end_action>',
  ];
  asked.length = 0;
  say = () => answers.shift() as string;
  const model = ['--agent', 'react', '--endpoint', base, '--model-name', 'm', '--json'];
  const [code] = await called(areRun(HOST), file, ...model, '--mcp', mcp, '--other-names');
  tools.close();
  expect(code).toBe(EXIT.failed);
  expect(methods).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'tools/call']);
  const [first, second] = asked.map(({ body }) => body.messages.map(({ content }) => content).join('\n'));
  expect(first).toContain('- Post__dispatch: Acts on app Post');
  expect(first).not.toContain('Emails__send_email');
  expect(second).toContain('41 and one');
  await expect(called(areRun(HOST), file, '--agent', 'random', '--other-names')).rejects.toThrow('--other-names');
  await expect(called(areRun(HOST), file, ...model, '--mcp', 'nowhere')).rejects.toThrow('no address');
});

it('answers the agent in the user’s place: a model, or the person at the terminal', async () => {
  const file = join(folder, 'asked.json');
  await writeFile(file, traceText(generateScenario({ split: 'execution', seed: 3, index: 0, part: 'training' }).trace));
  const ask = 'Action:\n{"action": "AgentUserInterface__send_message_to_user", "action_input": {"content": "Which?"}}';
  const users: Asked[] = [];
  say = (from) => {
    if (from.body.model !== 'user') return ask;
    users.push(from);
    return users.length > 1 ? 'DONE' : 'The first.';
  };
  const user = ['--user', 'model', '--user-endpoint', base, '--user-name', 'user', '--user-brief', 'I like the first.'];
  const [, text] = await called(areRun(HOST), file, ...server_(...user, '--json'));
  expect(JSON.parse(text)).toMatchObject({ turns: 2, replies: 1 });
  expect(users[0]?.body.messages[0]?.content).toContain('I like the first.');
  expect(users[1]?.body.messages.slice(1).map(({ content }) => content)).toEqual(['Which?', 'The first.', 'Which?']);

  const sentences: string[] = [];
  const lines: string[] = [];
  const run = (answers: (string | null)[]) =>
    areRun(HOST).run([file, ...server_('--user', 'human', '--json')], {
      out: (line: string) => void lines.push(line),
      progress,
      signal,
      root: '.',
      askText: async (question) => {
        sentences.push(question);
        return answers[sentences.length - 1] ?? null;
      },
    });
  await run(['The second.', '']);
  expect([JSON.parse(lines[0] ?? '').replies, sentences[0]]).toEqual([1, expect.stringContaining('Which?')]);
  await expect(run([])).rejects.toThrow('stopped');

  await expect(called(areRun(HOST), file, ...server_('--user', 'human'))).rejects.toThrow('There is no terminal');
  await expect(called(areRun(HOST), file, ...server_('--user', 'model'))).rejects.toThrow(SpecError);
  await expect(called(areRun(HOST), file, ...server_('--user-name', 'x'))).rejects.toThrow('that is not asked');
}, 60_000);

it('benches an agent in the compact language: the same each time, harder with noise, helpless where experts have the apps', async () => {
  const model = [
    '--agents',
    'language',
    '--model',
    'public/models/tiny-agent',
    '--temperature',
    '1',
    '--device',
    'cpu',
  ];
  const rest = ['--threads', '1', '--part', 'training', '--splits', 'execution', '--n', '14', '--runs', '1', '--json'];
  const bench = async (...more: string[]) => {
    const [code, text] = await called(areBench(HOST), ...model, ...rest, ...more);
    expect(code).toBe(EXIT.ok);
    return (JSON.parse(text) as { rows: { success: boolean; noise?: string; steps: number }[] }).rows;
  };
  const plain = await bench();
  expect(plain).toHaveLength(14);
  expect(plain.some(({ success }) => success)).toBe(true);
  expect(plain[0]).not.toHaveProperty('noise');
  expect(await bench()).toEqual(plain);
  const noisy = await bench('--noise', 'high');
  expect(noisy.every(({ noise }) => noise === 'noise high')).toBe(true);
  expect(noisy.map(({ success, steps }) => [success, steps])).not.toEqual(
    plain.map(({ success, steps }) => [success, steps]),
  );
  const alone = await bench('--a2a', '1');
  expect(alone.map(({ success }) => success)).not.toContain(true);
});

it('answers one run at a time where it is a folder’s', async () => {
  const run = ['execution', '--agent', 'react', '--model', 'public/models/tiny-agent', '--concurrency', '2'];
  await expect(called(areRun(HOST), ...run)).rejects.toThrow(/one run at a time/);
  const bench = ['--agents', 'language', '--model', 'public/models/tiny-agent', '--concurrency', '2'];
  await expect(called(areBench(HOST), ...bench)).rejects.toThrow(/one run at a time/);
});
