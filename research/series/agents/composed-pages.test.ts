// Compares docs/lab-book/agents.md and the page of agents with the rows of the model trained on composed forms; evaluated tasks are held
// out and unique.
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { templatesOfPart } from '@projected-grpo-lab/are/generate/generate.ts';
import { SPLITS, type Split } from '@projected-grpo-lab/are/generate/template.ts';
import { expect, it } from 'vitest';
import { areComposed, COMPOSED_ROWS } from '../../../src/cli/agents/composed.ts';
import { readRows } from '../../../src/cli/files/rows.node.ts';
import { callCommand } from '../../../src/cli/testing/call.ts';
import { type ComposedMetrics, composedMetrics, composedTasks } from '../../../src/experiments/environments/agents.ts';
import { three, two } from '../../../src/lib/numbers.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { G2 } from './forms.ts';

const page = readFileSync('docs/lab-book/agents.md', 'utf8');
const rows = await readRows('public/results/agents/composed.jsonl.gz', COMPOSED_ROWS, () => {});
const heldOut = rows.filter(({ part }) => part === 'templates');
const figuresOf = (part: 'templates' | 'words', name: string) =>
  composedMetrics(rows.filter((row) => row.part === part)).find(({ model }) => model === name)!;
const MODEL = 'tiny-agent-forms';
const said = ({ solve, mean, sd }: ComposedMetrics, split: Split) =>
  `${solve[split].map(three).join(' ')}; mean ${three(mean[split])} ± ${three(sd[split] ?? 0)}`;

it('agrees with the rows', () => {
  const own = figuresOf('templates', MODEL);
  expect(own).toMatchObject({ seeds: [1, 2, 3, 4, 5], tasks: 20 });
  expect(page).toContain(`**G2: ${judgeQuestion(G2, rows)?.verdict.status}**`);
  for (const split of SPLITS) expect(page).toContain(`| ${split} | ${said(own, split)} |`);
  // The page also has the rates for training forms in other words.
  const known = figuresOf('words', MODEL);
  for (const split of SPLITS) expect(page).toContain(`| ${split}, forms for training | ${said(known, split)} |`);
  const explained = readFileSync('docs/explanation/agents.md', 'utf8');
  const words = SPLITS.map((split) => `${split} ${two(own.mean[split])}`);
  expect(explained).toContain(words.join(', '));
});

it('uses only held-out tasks, each once per model', () => {
  const names = new Set(SPLITS.flatMap((split) => templatesOfPart(split, 'composed held out').map(({ id }) => id)));
  expect(heldOut.filter(({ form }) => !names.has(form))).toEqual([]);
  expect(new Set(heldOut.map(({ model, task }) => `${model} ${task}`)).size).toBe(heldOut.length);
  const drawn = composedTasks({ part: 'templates', count: 20, seed: 1 });
  const first = heldOut.filter(({ model, seed }) => model === MODEL && seed === 1);
  expect(first.map(({ task }) => task)).toEqual(drawn.map(({ id }) => id));
});

it('distinguishes rows whose prompts are written in different ways', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'composed-'));
  try {
    const file = join(folder, 'rows.jsonl');
    const call = (...argv: string[]) => callCommand(areComposed, ['--rows', file, '--n', '1', '--draws', '1', ...argv]);
    const asked = ['--model', 'public/models/tiny-agent-forms', '--model-name', 'tiny', '--device', 'cpu'];
    await call(...asked);
    const written = await readFile(file, 'utf8');
    const other = call(...asked, '--chat-template', 'none');
    await expect(other).rejects.toThrow(/rows of tiny with another --chat-template or --chat-arg/);
    expect(await readFile(file, 'utf8')).toBe(written);
    await expect(call('--chat-arg', 'a=1')).rejects.toThrow(/of a model that is asked/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
