// `run --environment custom`: the tutorial's command works as it is, the file is named by its bytes, and prompts are counted.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { expect, it } from 'vitest';
import { customFileOf } from '../../environments/custom/presentation.ts';
import { resolveRuns } from '../../experiments/config/spec.ts';
import { parseArgs } from '../args.ts';
import type { CommandContext } from '../command.ts';
import { requestedExperiment, usage } from './flags.ts';
import { checkPositions } from './positions.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const context = { root: ROOT } as CommandContext;
const ask = (argv: readonly string[]) => requestedExperiment(parseArgs(usage, argv).flags, context);

it('takes the tutorial’s command, and counts the file’s prompts', async () => {
  const [, command] = /```sh\n([\s\S]*?)```/.exec(
    readFileSync(join(ROOT, 'docs', 'tutorials', 'your-problems.md'), 'utf8'),
  )!;
  const { spec, given } = await ask(command.trim().split(' ').slice(5));
  expect(customFileOf(String(spec.overrides.environment))).toBe(given.problems!.sha256);
  // One token a character is more than any tokenizer gives.
  const encode = (text: string) => [...text].map((_, i) => i);
  const codec = { encode, encodeChat: encode } as never;
  const own = { problems: given.problems, pairs: null };
  const longest = await checkPositions(resolveRuns(spec), { id: 'm', codec, maxPositions: 32_768 }, own);
  expect(longest).toBeGreaterThan(80);
  await expect(checkPositions(resolveRuns(spec), { id: 'm', codec, maxPositions: longest }, own)).rejects.toThrow(
    /positions/,
  );
});

it('is refused without a file, and with a line that is none', async () => {
  await expect(ask(['--environment', 'custom'])).rejects.toThrow(/custom is a file of problems with checks/);
  const folder = await mkdtemp(join(tmpdir(), 'custom-'));
  try {
    const path = join(folder, 'mine.jsonl');
    await writeFile(path, '{"id": "a", "prompt": "p", "checks": [{"true": {"kind": "regex", "pattern": "("}}]}\n');
    const failed = await ask(['--environment', 'custom', '--problems', path]).catch((error) => error);
    expect(failed).toBeInstanceOf(FormatError);
    expect(failed.message).toMatch(/mine\.jsonl:1: checks\[0\]\.true\.pattern is not an RE2 pattern/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
