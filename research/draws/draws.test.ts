// Tests repeated runs: their first draw must equal the published one, a changed step or another device is named, and the comparison has old
// and new values.
import { expect, it } from 'vitest';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import { runKey } from '../../src/experiments/runs/key.ts';
import { arenaRunsName } from '../../src/findings/arena/sheet.ts';
import { headlineRows } from '../judge/publish.ts';
import { PROJECT } from '../judge/testing/pages.ts';
import { differenceFrom, JUDGED_SEEDS, repeatRuns, repeatSpec, vanillaBeside } from './again.ts';
import { arenaTable, comparedOf } from './compare.ts';
import { publishedDraws } from './published.ts';
import { byPlainKey } from './rows.ts';

const rows = headlineRows(PROJECT);
const FILE = 'agents/lookup.json.gz';
const published = rows.runs(FILE);
const draws = publishedDraws(PROJECT, 'L1');
const againOf = ({ spec }: RunRecord): RunRecord => draws.get(runKey(repeatSpec(spec, JUDGED_SEEDS)))!;

it('each run equals its published rows, and has seven more draws of every model', () => {
  expect(draws.size).toBe(published.length);
  for (const run of published) {
    const again = againOf(run);
    expect(differenceFrom(run, again)).toBeNull();
    for (const { kind, draws: more } of again.evals) if (kind === 'final') expect(more).toHaveLength(JUDGED_SEEDS - 1);
  }
});

it('a run that differs is reported with the first difference', () => {
  const [run] = published;
  const again = againOf(run);
  expect(differenceFrom(run, { ...again, device: 'another' })).toMatch(/^another device/);
  const moved = again.rows.map((row, i) => (i === 4 ? { ...row, reward: -1 } : row));
  expect(differenceFrom(run, { ...again, rows: moved })).toBe('step 5 differs');
  const evals = again.evals.map((row) => (row.model === 'total' ? { ...row, step: 0 } : row));
  expect(differenceFrom(run, { ...again, evals })).toBe('the evaluation of total differs');
});

it('a missing derived model is a difference', () => {
  const trusted = rows.runs(arenaRunsName('judged')).find(({ spec }) => spec.arm === 'trusted-only')!;
  const again = { ...trusted, spec: repeatSpec(trusted.spec, 2) };
  expect(differenceFrom(trusted, again)).toBeNull();
  const evals = again.evals.filter(({ model }) => model !== 'merge');
  expect(differenceFrom(trusted, { ...again, evals })).toBe('merge was not evaluated again');
});

it('a run is merged with vanilla of its own cell, which is among the repeated runs', () => {
  const judged = rows.runs(arenaRunsName('judged'));
  const planned = (arm: string) =>
    repeatRuns(
      judged.filter(({ spec }) => spec.arm === arm),
      JUDGED_SEEDS,
    );
  const vanilla = new Set(planned('none').map(({ key }) => key));
  const beside = planned('trusted-only').map((run) => vanillaBeside(run, judged, JUDGED_SEEDS));
  expect(beside.map((runs) => runs.length)).toEqual(Array(30).fill(1));
  expect(new Set(beside.flat().map(({ key }) => key))).toEqual(vanilla);
  expect(planned('agree').flatMap((run) => vanillaBeside(run, judged, JUDGED_SEEDS))).toEqual([]);
});

it('one draw gives the published figures, eight give another mean and an interval over both seeds and draws', () => {
  const found = comparedOf('L1', rows, draws)!;
  expect(found.draws).toBe(JUDGED_SEEDS);
  const difference = found.figures.find(({ name }) => name === 'difference')!;
  expect(difference).toEqual({ name: 'difference', n: 5, before: '+21.1 [+20.0 +22.2]', after: '+22.2 [+20.8 +23.6]' });
  expect(found.verdict).toEqual({ before: 'holds', after: 'holds' });
  expect(comparedOf('L1', rows, new Map())).toBeNull();
});

it('the arena’s rows are shown before and after if all of their cells were repeated', () => {
  const runs = rows.runs(arenaRunsName('judged'));
  expect(arenaTable(runs, new Map())).toEqual([]);
  // Evaluations that repeat the published one change nothing.
  const repeated = (record: RunRecord): RunRecord => ({
    ...record,
    spec: repeatSpec(record.spec, 2),
    evals: record.evals.map((row) => (row.kind === 'final' ? { ...row, draws: [{ all: row.all, splits: {} }] } : row)),
  });
  const some = runs.filter(({ spec }) => ['none', 'repaired', 'tdga'].includes(spec.arm)).map(repeated);
  const [table] = arenaTable(runs, byPlainKey(some));
  const line = table.split('\n').find((one) => one.startsWith('TDGA'))!;
  expect(line).toMatch(/^TDGA +30 × 2 +97% \[82, 108\] +97% \[82, 108\] +26% \[−1, 53\] +26% \[−1, 53\] /);
  expect(table).not.toContain('verifier');
});
