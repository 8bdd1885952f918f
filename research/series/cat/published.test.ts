// Compares docs/lab-book/cat.md with its rows: the tables of projecting runs and of CaT's variants, and their verdicts.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { InferenceRow } from '../../../src/experiments/cat/infer.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { finalMetric } from '../../../src/experiments/records/metrics.ts';
import { three } from '../../../src/lib/numbers.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { PROJECTED } from './projected.ts';
import { meanBefore, STEPS } from './runs.ts';
import { projectedTables, variantTables } from './trained-tables.ts';
import { VARIANTS } from './variants.ts';

const read = (name: string) => gunzipSync(readFileSync(`public/results/cat/${name}.gz`)).toString('utf8');
const runsOf = (...names: string[]) =>
  names.flatMap((name) => (JSON.parse(read(`${name}.json`)) as { runs: RunRecord[] }).runs);
const page = readFileSync('docs/lab-book/cat.md', 'utf8').replaceAll('−', '-').replaceAll('`', '').replaceAll('**', '');
const plain = (text: string) => text.replaceAll('−', '-');

/** Rows of a printed table in the page's format. */
const rowsIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => /\S {2,}/.test(line) && /\d/.test(line) && !/[─]/.test(line))
    .map((line) => `| ${line.trim().split(/ {2,}/).join(' | ')} |`);

describe('trained', () => {
  const [projected, variants] = [runsOf('projected'), runsOf('training-2', 'variants')];

  it('has the tables computed from the rows', () => {
    const lines = [...rowsIn(projectedTables(projected)), ...rowsIn(variantTables(variants))];
    expect(lines.length).toBeGreaterThan(28);
    for (const line of lines) expect(page.includes(plain(line)), line).toBe(true);
  });

  it('has the verdicts of their rules', () => {
    const answers = [...PROJECTED, ...VARIANTS].map((question) => {
      const runs = runsOf(...question.files.map((file) => file.replace(/^cat\/(.+)\.json\.gz$/, '$1')));
      return { id: question.id, answered: judgeQuestion(question, { rows: [], first: [], runs })! };
    });
    expect(answers.map(({ id }) => id)).toEqual(['C8a', 'C8b', 'C8c', 'C8d', 'C8e', 'C9', 'C10', 'C11', 'C14']);
    for (const { id, answered } of answers) {
      expect(page.includes(`${id}: ${answered.verdict.status}.`), id).toBe(true);
      for (const figure of answered.figures) {
        const seeds = figure.each.map(({ value }) => three(value)).join(', ');
        expect(page.includes(plain(`${intervalText(figure)} (${seeds})`)), figure.name).toBe(true);
      }
    }
  });
});

it('has the number of long-trained policies that end below the untrained model, on each base, and that the reward rises', () => {
  const solves = (file: string, model: string) =>
    runsOf(file).flatMap((run) => (run.spec.arm === 'cat' ? [finalMetric(run, model, 'solve')!] : []));
  const counts = ['', 'seed2-', 'seed3-'].map((base) => {
    const ends = [`${base}passing`, `${base}lasting`].map((file) => {
      const [trained, untrained] = ['total', 'base'].map((model) => solves(file, model));
      return trained.filter((solve, i) => solve < untrained[i]).length;
    });
    for (const run of runsOf(`${base}lasting`)) {
      const [first, last] = [STEPS, run.rows.length].map((end) => meanBefore(run, end, ({ reward }) => reward)!);
      expect(last).toBeGreaterThan(first);
    }
    return ends[0] + ends[1];
  });
  const [own, two, other] = counts;
  expect(page).toContain(`${own} on the first base, ${two} on seed 2, ${other} on seed 3. In all fifteen`);
  for (const name of ['docs/findings.md', 'docs/explanation/cat.md'])
    expect(readFileSync(name, 'utf8')).toContain(`${own}, ${two} and ${other} of ten runs`);
  const ends = solves('passing', 'total').map((solve) => three(solve));
  expect(page).toContain(`all five of CaT's seeds end below it (${ends.join(' ')} against`);
});

it('has the number of groups in which the only correct attempt is named, over the bases taught to name one', () => {
  const alone = [1, 2, 3].flatMap((seed) =>
    read(`choosing-seed${seed}-inference.jsonl`)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as InferenceRow)
      .filter(
        ({ split, answers, truth }) => split === 'templates' && answers.filter((one) => one === truth).length === 1,
      ),
  );
  const found = alone.filter(({ references, truth }) => references[8].self_choice[0] === truth).length;
  for (const text of [page, readFileSync('docs/explanation/cat.md', 'utf8')])
    expect(text).toContain(`in ${found} of ${alone.length} groups`);
});
