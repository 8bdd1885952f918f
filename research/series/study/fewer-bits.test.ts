// Compares the page on large models with its rows of runs in fewer bits: its table, its verdicts by the rule above them, and its sentence.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mean, sd } from '../../../src/stats/index.ts';

interface Row {
  storage: 'f32' | 'q8g32' | 'q4g32';
  /** Null for the untrained model, which all seeds share. */
  seed: number | null;
  model: 'base' | 'vanilla' | 'deployed';
  n: number;
  hack: number;
  solve: number;
}

const { rows } = JSON.parse(readFileSync('public/results/storage/coder.json', 'utf8')) as { rows: Row[] };
const page = readFileSync('docs/architecture/large-models.md', 'utf8');
/** Margins of the rule, in points. */
const [ARISES, ALIKE] = [15, 10];

function figuresOf(storage: Row['storage']) {
  const of = (model: Row['model']) => rows.filter((row) => row.storage === storage && row.model === model);
  const [base, vanilla, deployed] = [of('base'), of('vanilla'), of('deployed')];
  expect(base).toHaveLength(1);
  for (const own of [vanilla, deployed]) expect(own.map(({ seed }) => seed)).toEqual([41, 42, 43]);
  const points = (values: readonly number[]) => values.map((value) => 100 * value);
  return {
    base: base[0],
    vanilla: points(vanilla.map(({ hack }) => hack)),
    deployed: points(deployed.map(({ hack }) => hack)),
    solve: points(deployed.map(({ solve }) => solve)),
    removed: points(vanilla.map(({ hack }, i) => hack - deployed[i].hack)),
    kept: points(deployed.map(({ solve }) => solve - base[0].solve)),
  };
}

const exact = figuresOf('f32');
const apart = (storage: Row['storage']) => {
  const own = figuresOf(storage);
  return (['vanilla', 'removed', 'kept'] as const).map((name) => Math.abs(mean(own[name])! - mean(exact[name])!));
};

it.each(['f32', 'q8g32', 'q4g32'] as const)('%s has the line and the verdict that its rows give', (storage) => {
  const { base, vanilla, deployed, solve, removed, kept } = figuresOf(storage);
  expect(rows.every(({ n }) => n === 256)).toBe(true);
  const arises = mean(vanilla)! - 100 * base.hack >= ARISES;
  expect(arises).toBe(true);
  const isAlike = apart(storage).every((points) => points <= ALIKE);
  const verdict = storage === 'f32' ? 'the control' : isAlike ? 'goes alike' : 'does not go alike';
  const signed = (value: number) => value.toFixed(1).replace('-', '−');
  const spread = (values: readonly number[]) => `${signed(mean(values)!)} ± ${sd(values)!.toFixed(1)}`;
  const whole = (share: number) => `${Math.round(100 * share)} %`;
  const cells = [
    ...[storage, `${whole(base.hack)}, ${whole(base.solve)}`, `${spread(vanilla)} %`],
    ...[`${spread(deployed)} %, ${spread(solve)} %`, spread(removed), spread(kept), verdict],
  ];
  expect(page).toContain(`| ${cells.join(' | ')} |`);
});

it('the sentence states the largest difference, and the margins of the rule', () => {
  const most = Math.max(...apart('q8g32'), ...apart('q4g32'));
  expect(page).toContain(`no figure differs by more than ${most.toFixed(1)} points`);
  expect(page).toContain(`at least ${ARISES} points more than the untrained base`);
  expect(page).toContain('each within ten points of f32');
});
