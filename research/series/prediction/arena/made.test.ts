// Tests that the sheets in the lab's arena tests are what the judge makes of the made-up runs.
import { expect, it } from 'vitest';
import { allArenaRuns, FEW_RUNS } from '../../../../src/experiments/testing/arena-runs.ts';
import { allSheet, everyModel, fewSheet } from '../../../../src/findings/testing/arena-sheets.ts';
import { encodeSpec } from '../../../../src/share/spec-link.ts';
import { judgedRows } from './estimates.ts';
import { arenaSheet } from './published.ts';

it('the test sheets of three arms and of every arm are the judge’s', async () => {
  const few = await arenaSheet(FEW_RUNS, async ({ spec }) => `1.${spec.arms[0]}-${spec.seeds[0]}`);
  expect(fewSheet()).toEqual(JSON.parse(JSON.stringify(few)));
  const all = await arenaSheet(allArenaRuns(), ({ spec }) => encodeSpec(spec));
  expect(allSheet()).toEqual(JSON.parse(JSON.stringify(all)));
  expect(everyModel().points).toEqual(JSON.parse(JSON.stringify(judgedRows(allArenaRuns()))));
});
