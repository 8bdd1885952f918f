// Compares docs/lab-book/exit.md with its rows: the verdict and the main table.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { puzzleOf, rowOf, satisfied } from '../../../src/environments/chain/task.ts';
import { KS } from '../../../src/environments/exit/types.ts';
import { flowsOf, lastAt } from '../../../src/experiments/exit/metrics.ts';
import { type ImproveRow, modelsOf, modelsOfArm, rowsOfWay } from '../../../src/experiments/exit/rows.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import { verdictText } from '../../../src/experiments/judge/rule.ts';
import { three as said3 } from '../../../src/lib/numbers.ts';
import { mean, sd } from '../../../src/stats/index.ts';
import { meanAndInterval } from '../../judge/estimates.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { E1_BASES, IMPROVES } from './e1.ts';

const read = (name: string) =>
  gunzipSync(readFileSync(`public/results/exit/${name}.jsonl.gz`))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ImproveRow);
const rows = read('e1');
const [E1] = IMPROVES;
const page = readFileSync('docs/lab-book/exit.md', 'utf8');
const three = (value: number) => value.toFixed(3).replace(/^(-?)0\./, '$1.');

it('has the verdict of three seeds', () => {
  const { verdict, estimates } = judgeQuestion(E1, { rows, runs: [] })!;
  const { last, first } = estimates as Record<string, Estimate>;
  const values = ({ each }: Estimate, sign = 1) => each.map(({ value }) => three(sign * value)).join(', ');
  expect(page).toContain(`**E1: ${verdictText(verdict).replace(':', ',')}.**`);
  expect(page).toContain(`${values(last)} (seeds ${last.each.map(({ of }) => of.replace('seed ', '')).join(', ')};`);
  expect(page).toContain(values(first, -1));
});

it('has their main table', () => {
  const models = modelsOf(rows);
  for (const [arm, label] of [
    ['none', 'GRPO (`none`)'],
    ['exit', 'ExIt (`exit`)'],
  ] as const) {
    const own = modelsOfArm(models, arm);
    const cells = KS.map((k) => {
      const values = own.map((model) => lastAt(rowsOfWay(model, 'sampled'), k)!);
      return `${three(mean(values)!)} ± ${three(sd(values)!)}`;
    });
    expect(page).toContain(`| ${label} | ${own.length} | ${cells.join(' | ')} |`);
  }
});

it('has E1 on other bases, for each and over all', () => {
  const { verdict, estimates, figures } = judgeQuestion(E1_BASES, {
    rows: [...read('e1-again'), ...read('bases')],
    runs: [],
  })!;
  expect(page).toContain(`**E1 on other bases: ${verdictText(verdict)}.**`);
  const bases = ['tiny-chain', 'tiny-chain-2', 'tiny-chain-3'];
  const ends = (end: string) => bases.map((base) => estimates[`${end}: ${base}` as keyof typeof estimates]!);
  expect(figures).toHaveLength(6);
  const cells = ({ each }: Estimate) => each.map(({ value }) => said3(value)).join(' ');
  for (const [i, last] of ends('last').entries()) {
    // The page also applies the rule to the known base, which is not judged.
    const line = `| \`${bases[i]}\` | K = 16 | ${cells(last)} | ${intervalText(last)} |`;
    expect(page).toContain(last.word === null ? line : `${line} ${last.word} |`);
  }
  for (const [i, first] of ends('first').entries())
    expect(page).toContain(`| \`${bases[i]}\` | K = 0 | ${cells(first)} | ${intervalText(first)} |`);
  const over = (end: string) => intervalText(meanAndInterval(ends(end).map(({ mean }) => mean!)));
  expect(page).toContain(`K = 16: ${over('last')}; K = 0: ${over('first')}`);
});

describe('sandbagging', () => {
  const all = [...read('sandbagging'), ...rows, ...read('controls')];
  it('has which relations first answers satisfy', () => {
    const models = modelsOf(all);
    const kept = (arm: string, isHidden: boolean) =>
      mean(
        modelsOfArm(models, arm).flatMap((model) =>
          rowsOfWay(model, 'sampled').flatMap(({ id, answers: [first] }) => {
            const puzzle = puzzleOf(id);
            const row = first === null ? null : rowOf(puzzle, first);
            const holds = row ? satisfied(puzzle.relations, row) : [];
            return holds.flatMap((is, i) => (puzzle.hidden[i] === isHidden ? [Number(is)] : []));
          }),
        ),
      )!;
    for (const [isHidden, label] of [
      [false, 'of the visible relations kept'],
      [true, 'of the hidden ones'],
    ] as const) {
      const arms = ['base', 'route-update', 'route-update/deployed', 'chain_last'];
      expect(page).toContain(`| ${label} | ${arms.map((arm) => three(kept(arm, isHidden))).join(' | ')} |`);
    }
  });

  it('has how the bases of other environments revise their answers', () => {
    for (const [name, label] of [
      ['base-arithmetic', '`arithmetic`'],
      ['base-python', 'one-line Python'],
    ]) {
      const own = read(name);
      const { fixRate, breakRate } = flowsOf(own);
      const cells = [...[0, 1, 2, 4].map((k) => lastAt(own, k)!), fixRate!, breakRate!].map(three);
      expect(page).toContain(`| ${label} | ${cells.join(' | ')} |`);
    }
  });
});
