// Tests that `npx are` without the lab offers only models of a server: no flag or text names another type.
import { type Flags, helpText } from '@projected-grpo-lab/base/commands/args.ts';
import type { Command } from '@projected-grpo-lab/base/commands/command.ts';
import { describe, expect, it } from 'vitest';
import { ALONE } from './alone.ts';
import { partsFor } from './are.ts';

const progress = { update: () => {}, line: () => {}, note: () => {}, end: () => {} };
const signal = new AbortController().signal;
const called = async (command: Command, ...argv: string[]) =>
  command.run(argv, { out: () => {}, progress, signal, root: '.' });

/** Flags for local models, and flags that are useless without the Hub. */
const OWN = ['model', 'judge-model', 'user-model', 'chat-template', 'chat-arg', 'device', 'threads', 'fetch-apps'];

describe('npx are', () => {
  it.each(Object.entries(partsFor(ALONE)))('%s offers no model from a folder, as npx', async (name, part) => {
    const { usage } = await part[2]();
    expect(Object.keys(usage.flags as Flags).filter((flag) => OWN.includes(flag))).toEqual([]);
    const help = helpText(usage, ALONE.program);
    expect(help.startsWith(`npx are ${name}`)).toBe(true);
    expect(help).not.toMatch(/--(judge-|user-)?model DIR|npm run lab|compact language/);
  });

  it('names the missing server, and how to show the command’s own help', async () => {
    const { run, judge } = partsFor(ALONE);
    const agent = called(await run[2](), 'execution', '--agent', 'react');
    await expect(agent).rejects.toMatchObject({
      remedy: 'Give --endpoint URL with --model-name NAME, or --answers TRACE.',
    });
    const judged = called(await run[2](), 'execution', '--soft', 'model');
    await expect(judged).rejects.toMatchObject({ remedy: 'Give --judge-endpoint URL with --judge-name NAME.' });
    const unknown = called(await judge[2](), '--device', 'cpu', 'trace.json');
    await expect(unknown).rejects.toMatchObject({ message: expect.stringContaining('Unknown flag --device') });
    await expect(unknown).rejects.toMatchObject({ remedy: 'See: npx are judge --help' });
  });
});
