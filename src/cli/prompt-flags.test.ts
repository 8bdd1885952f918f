// A flag on how prompts are written, or which part of an answer is judged, is refused where nothing is written for a model.
import { resolve } from 'node:path';
import { areBench } from '@projected-grpo-lab/are/cli/bench.ts';
import { areRun } from '@projected-grpo-lab/are/cli/run.ts';
import { describe, expect, it } from 'vitest';
import { HOST } from './agents/host.ts';
import { synthesise } from './cat/synthesise.ts';
import { characters } from './characters/characters.ts';
import type { Command } from './command.ts';
import { improve } from './exit/improve.ts';
import { pool } from './make/pool.ts';
import { probe } from './probe/probe.ts';
import { callCommand } from './testing/call.ts';

const FLAGS = [
  ['--chat-template', 'none'],
  ['--chat-arg', 'enable_thinking=false'],
  ['--thinking', 'strip'],
] as const;
/** For each command: arguments with which it asks no model, the refusal of the flag, and the flag that it lacks. */
const CALLS: readonly { command: Command; argv: readonly string[]; why: RegExp; lacks?: string }[] = [
  { command: improve, argv: ['--rows', 'rows.jsonl'], why: /no model is asked/ },
  { command: synthesise, argv: ['--rows', 'rows.jsonl'], why: /no model is asked/ },
  { command: characters, argv: ['--rows', 'rows.jsonl'], why: /no model is asked/ },
  { command: areRun(HOST), argv: ['search', '--agent', 'oracle'], why: /the agent oracle asks no model/ },
  { command: areRun(HOST), argv: ['search'], why: /the agent oracle asks no model/ },
  { command: areBench(HOST), argv: ['--agents', 'oracle,random', '--n', '1'], why: /asks no model/ },
  { command: probe, argv: ['--report', 'published'], why: /no model is asked/, lacks: '--thinking' },
  {
    command: pool,
    argv: ['--from', 'templates', '--out', resolve('no.jsonl')],
    why: /are for a --teacher/,
    lacks: '--thinking',
  },
];
const cases = CALLS.flatMap(({ command, argv, why, lacks }) =>
  FLAGS.filter(([flag]) => flag !== lacks).map((flag) => ({ command, why, argv: [...argv, ...flag] })),
);

describe('flags of prompts', () => {
  it.each(cases)('are refused by $command.usage.name $argv', async ({ command, argv, why }) => {
    await expect(callCommand(command, argv)).rejects.toThrow(why);
  });
});
