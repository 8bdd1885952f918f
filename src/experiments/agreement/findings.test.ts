// Every verdict as one list, of the published rows: each question that has rows is there with its words and figures.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { catFindings } from './findings.ts';
import type { InferenceRow } from './infer.ts';
import type { JudgedRun } from './judged.ts';
import { CAT_QUESTIONS } from './questions.ts';

const read = (name: string) => gunzipSync(readFileSync(`public/results/cat/${name}.gz`)).toString('utf8');
const runsOf = (name: string) => (JSON.parse(read(`${name}.json`)) as { runs: JudgedRun[] }).runs;
const rows = read('inference-2.jsonl')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as InferenceRow);

it('has a verdict of every question, with what it is of and how many', () => {
  const runs = ['training-2', 'explain'].flatMap(runsOf);
  const found = catFindings({ rows, runs });
  const said = found.map(({ question, of, verdict }) => [question.id, of, verdict].filter(Boolean).join(' '));
  expect(said).toEqual([
    ...['C1 fails', 'C2 cat fails', 'C2 ttrl fails', 'C2 random_reward holds', 'C3 holds', 'C4 holds', 'C5 holds'],
    ...['C6a in part', 'C6a plain in part', 'C6b open', 'C6c holds'],
    ...['C7 cat fails', 'C7 ttrl open', 'C7 oracle fails', 'C7 random_reward open'],
  ]);
  for (const { unit, figures } of found)
    for (const { n, mean, interval } of figures) {
      expect(n).toBeGreaterThan(unit === 'seeds' ? 4 : 10);
      expect(interval!.low).toBeLessThanOrEqual(mean!);
      expect(interval!.high).toBeGreaterThanOrEqual(mean!);
    }
  // Without rows nothing is said.
  expect(catFindings({})).toEqual([]);
});

it('has words for each question once, in the order of docs/cat.md', () => {
  const page = readFileSync('docs/cat.md', 'utf8');
  const ids = CAT_QUESTIONS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, title, hypothesis, falsified, rule } of CAT_QUESTIONS) {
    expect(page.includes(`| ${id} | `), id).toBe(true);
    expect([title, hypothesis, falsified, rule].every((text) => text.length > 5)).toBe(true);
  }
});
