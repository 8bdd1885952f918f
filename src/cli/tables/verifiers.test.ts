// Rollouts as verifiers saves them: each line fits a schema of its models (written down from verifiers at a60a606e: Episode, Trace,
// MessageNode, ModelCall and what is in them; members that it would not write are refused), says what the kept rollouts say, and is the same
// bytes again.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RolloutRecord } from '../../experiments/records/events.ts';
import { run } from '../run/run.ts';
import { callCommand } from '../testing/call.ts';
import { tables } from './tables.ts';

type Schema = Record<string, unknown>;
const [text, number, count, flag] = [
  { type: 'string' },
  { type: 'number' },
  { type: 'integer', minimum: 0 },
  { type: 'boolean' },
];
const list = (items: Schema): Schema => ({ type: 'array', items });
const object = (properties: Schema, needed: readonly string[] = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  required: needed,
  additionalProperties: false,
});
const message = object({ role: { enum: ['system', 'user', 'assistant'] }, content: text });
const task = object({ type: text, data: object({ name: text, prompt: list(message) }) });
const sampling = object({ temperature: number, max_tokens: count });
const node = object(
  {
    parent: count,
    message,
    sampled: flag,
    timestamp: number,
    token_ids: list(count),
    mask: list(flag),
    is_content: list(flag),
    logprobs: list(number),
  },
  ['message', 'sampled', 'timestamp'],
);
const call = object(
  {
    node: count,
    model: text,
    sampling,
    finish_reason: { enum: ['stop', 'length', 'tool_calls'] },
    usage: object({ prompt_tokens: count, completion_tokens: count }),
  },
  ['node', 'model'],
);
const trace = object({
  version: { const: 1 },
  id: text,
  verifiers: object({ version: text }),
  task,
  agent: object({ config: object({ model: text, sampling }), name: text, trainable: flag }),
  tools: list(object({})),
  nodes: list(node),
  calls: list(call),
  request_rewrites: list(object({})),
  response_rewrites: list(object({})),
  rewards: { type: 'object', additionalProperties: object({ score: number, weight: number }) },
  metrics: { type: 'object', additionalProperties: number },
  info: { type: 'object' },
  extra_usage: list(object({})),
  is_completed: flag,
  ok: flag,
  errors: list(object({})),
  timing: object({ start: number }),
});
const EPISODE = object({
  id: text,
  env: object({ id: text }),
  task,
  group: object({ id: text }),
  run: object({
    type: { const: 'train' },
    id: text,
    name: text,
    work: object({ type: { const: 'train' }, step: count }),
  }),
  ok: flag,
  errors: list(object({})),
  traces: { ...list(trace), minItems: 1, maxItems: 1 },
});
const fits = new Ajv2020().compile(EPISODE);

let folder: string;
const at = (...parts: string[]) => join(folder, ...parts);
const write = (to: string, ...argv: string[]) =>
  callCommand(tables, [at('run'), '--format', 'verifiers', '--out', at(to), ...argv]);
// biome-ignore lint/suspicious/noExplicitAny: an episode's parsed text, whose form the schema states.
type Episode = any;
const read = async (...parts: string[]): Promise<Episode[]> =>
  (await readFile(at(...parts), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verifiers-'));
  const small = ['--preset', 'smoke', '--arms', 'route', '--steps', '2', '--set', 'problems=8', '--set', 'evalEvery=0'];
  const more = ['--set', 'finalEvalProblems=4', '--set', 'pairs=8', '--set', 'k=2'];
  await callCommand(run, [...small, ...more, '--out', at('run'), '--device', 'cpu']);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it('writes an episode a rollout, each as verifiers’ models have it, and the same bytes again', async () => {
  const { text: said } = await write('one', '--json');
  await write('two');
  const file = ['route-41', 'traces.jsonl'];
  expect((await readFile(at('one', ...file))).equals(await readFile(at('two', ...file)))).toBe(true);
  const episodes = await read('one', ...file);
  expect(JSON.parse(said).logs).toEqual([
    { file: join(...file), run: 'route-41', samples: episodes.length, bytes: expect.any(Number) },
  ]);
  for (const episode of episodes) expect(fits(episode) ? null : fits.errors).toBeNull();
  const [first] = episodes;
  expect(
    fits({ ...first, more: 1 }) || fits({ ...first, traces: [{ ...first.traces[0], rewards: { reward: 1 } }] }),
  ).toBe(false);

  // The traces repeat the rewards, groups, texts and authors that the run kept.
  const rows: RolloutRecord[] = [];
  for (const step of (await readdir(at('run', 'route-41.rollouts'))).sort())
    for (const line of (await readFile(at('run', 'route-41.rollouts', step), 'utf8')).trim().split('\n'))
      rows.push(JSON.parse(line));
  const told = (place: string, problem: string, reward: number, completion: string, isStudent: boolean) =>
    JSON.stringify([place, problem, reward, completion, isStudent]);
  const inRows = rows.map(({ step, promptIndex, taskId, reward, turns, source }) =>
    told(`step-0000${step}.prompt-0${promptIndex}`, taskId, reward, turns[0].completion, source !== 'teacher'),
  );
  const inTraces = episodes.map(({ group, traces: [one] }) =>
    told(group.id, one.task.data.name, one.rewards.reward.score, one.nodes.at(-1).message.content, one.agent.trainable),
  );
  expect(inTraces.sort()).toEqual(inRows.sort());
  // verifiers walks from the last node to the first by `parent`.
  for (const {
    traces: [one],
  } of episodes) {
    expect(one.nodes.map(({ parent }: { parent?: number }) => parent)).toEqual(
      one.nodes.map((_: unknown, i: number) => (i === 0 ? undefined : i - 1)),
    );
    expect(one.calls.map((made: { node: number }) => one.nodes[made.node].sampled)).toEqual([true]);
    expect(one.task.data.prompt[0].content).not.toContain('<|im_start|>');
  }
});

it('takes some steps, and refuses flags of other formats', async () => {
  await write('some', '--step', '2');
  const some = await read('some', 'route-41-step-2', 'traces.jsonl');
  expect(new Set(some.map((one) => one.run.work.step))).toEqual(new Set([2]));
  await expect(write('none', '--step', '9')).rejects.toThrow(/route-41 has no rollouts among these steps/);
  await expect(write('none', '--logprobs')).rejects.toThrow('--file and --logprobs: of --format inspect alone');
});
