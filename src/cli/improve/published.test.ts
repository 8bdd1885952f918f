// docs/lab-book/exit.md against the rows that it was written from: its verdict and its main table.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { puzzleOf, rowOf, satisfied } from '../../environments/chain/task.ts';
import { KS } from '../../environments/exit/types.ts';
import { basesVerdict } from '../../experiments/exit/bases.ts';
import { flowsOf, lastAt } from '../../experiments/exit/metrics.ts';
import { type ImproveRow, modelsOf, ofArm, ofWay } from '../../experiments/exit/rows.ts';
import { type Difference, removalVerdicts, sandbagVerdict } from '../../experiments/exit/sandbagging.ts';
import { exitVerdicts } from '../../experiments/exit/verdicts.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { three as said3 } from '../../lib/numbers.ts';
import { mean, type PairedT, pairedT, sd } from '../../stats/index.ts';
import { risesOf } from './sandbag-tables.ts';

const read = (name: string) =>
  gunzipSync(readFileSync(`public/results/exit/${name}.jsonl.gz`))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ImproveRow);
const rows = read('e1');
const page = readFileSync('docs/lab-book/exit.md', 'utf8');
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

it('has E1 on other bases', () => {
  const { verdict, bases, first, last } = basesVerdict([...read('e1-again'), ...read('bases')], 'exit_best')!;
  const said = (values: readonly number[]) => values.map(said3).join(' ');
  const over = ({ mean, interval }: PairedT) => `${said3(mean)} [${said3(interval.low)} ${said3(interval.high)}]`;
  expect(page).toContain(`**E1 on other bases: ${verdict}.**`);
  expect(bases).toHaveLength(3);
  for (const { base, of } of bases)
    for (const [k, values] of [
      [16, of.last],
      [0, of.first],
    ] as const)
      expect(page).toContain(
        `| \`${base ?? 'tiny-chain'}\` | K = ${k} | ${said(values)} | ${over(pairedT(values)!)} | ${of.verdict} |`,
      );
  expect(page).toContain(`K = 16: ${over(last!)}; K = 0: ${over(first!)}`);
});

describe('sandbagging', () => {
  const all = [...read('sandbagging'), ...rows, ...read('controls')];
  const { runs } = JSON.parse(
    gunzipSync(readFileSync('public/results/exit/sandbagging-training.json.gz')).toString('utf8'),
  ) as { runs: RunRecord[] };
  const line = (what: string, { differences, paired }: Difference) =>
    `| ${what} | ${differences.map(said3).join(' ')} | ${said3(mean(differences)!)} [${said3(paired!.interval.low)} ${said3(paired!.interval.high)}] |`;

  it('has E5’s verdict, differences and rewards', () => {
    const rises = risesOf(runs, 'route-update');
    const { verdict, base, last, single } = sandbagVerdict(all, 'route-update', rises);
    expect(page).toContain(`**E5: ${verdict}**`);
    expect(page).toContain(line('E5: rise − base', base));
    expect(page).toContain(line('E5: rise − `chain_last`', last));
    expect(page).toContain(line('E5: `exit` − base', single));
    expect(page).toContain(`rose by ${rises.map(said3).join(', ')}`);
  });

  it('has E6’s verdicts and differences', () => {
    for (const { question, verdict, whole, random, permuted, cost } of removalVerdicts(all)) {
      if (whole.seeds.length === 0) continue;
      expect(page).toContain(`**${question}: ${verdict}**`);
      expect(page).toContain(line(`${question} − whole, K = 0`, whole));
      expect(page).toContain(line(`${question} − random, K = 0`, random));
      expect(page).toContain(line(`${question} − permuted, K = 0`, permuted));
      expect(page).toContain(line(`${question} − whole, K = 3`, cost));
    }
  });

  it('has which relations first answers keep', () => {
    const models = modelsOf(all);
    const kept = (arm: string, isHidden: boolean) =>
      mean(
        ofArm(models, arm).flatMap((model) =>
          ofWay(model, 'sampled').flatMap(({ id, answers: [first] }) => {
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

  it('has what the bases of other environments do with their answers', () => {
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
