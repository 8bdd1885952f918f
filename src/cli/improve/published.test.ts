// docs/exit.md against the rows that it was written from: its verdict and its main table.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { lastAt } from '../../experiments/improving/figures.ts';
import { type ImproveRow, modelsOf, ofArm, ofWay } from '../../experiments/improving/rows.ts';
import { KS } from '../../experiments/improving/steps.ts';
import { exitVerdicts } from '../../experiments/improving/verdicts.ts';
import { mean, sd } from '../../stats/index.ts';

const read = (name: string) =>
  gunzipSync(readFileSync(`public/results/exit/${name}.jsonl.gz`))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ImproveRow);
const rows = read('e1');
const page = readFileSync('docs/exit.md', 'utf8');
const three = (value: number) => value.toFixed(3).replace(/^(-?)0\./, '$1.');

it('has the verdict that its rows give', () => {
  const [{ verdict, seeds, first, last }] = exitVerdicts(rows);
  expect(page).toContain(`**E1: ${verdict.replace(':', ',')}.**`);
  expect(page).toContain(`${last.map(three).join(', ')} (seeds ${seeds.join(', ')};`);
  expect(page).toContain(first.map((x) => three(-x)).join(', '));
});

it('has their main table', () => {
  const models = modelsOf(rows);
  for (const [arm, label] of [
    ['none', 'GRPO (`none`)'],
    ['exit', 'ExIt (`exit`)'],
  ] as const) {
    const own = ofArm(models, arm);
    const cells = KS.map((k) => {
      const values = own.map((model) => lastAt(ofWay(model, 'sampled'), k)!);
      return `${three(mean(values)!)} ± ${three(sd(values)!)}`;
    });
    expect(page).toContain(`| ${label} | ${own.length} | ${cells.join(' | ')} |`);
  }
});

it('has the differences and verdicts of five seeds and their controls', () => {
  const signed = (x: number) => three(x).replace('-', '−');
  const verdicts = exitVerdicts([...rows, ...read('controls')]);
  expect(verdicts).toHaveLength(7);
  for (const { question, verdict, last, paired } of verdicts) {
    const { low, high } = paired!.interval;
    const cells = [question, last.map(signed).join(' '), `${signed(mean(last)!)} [${signed(low)} ${signed(high)}]`];
    expect(page).toContain(`| ${cells.join(' | ')} | ${verdict}`);
  }
});
