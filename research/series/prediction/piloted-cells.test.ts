// Tests that the pilots' cells of the look-up are those of the published pilots, and that the look-up is as good as the formula where pairs show
// the mode.
import { expect, it } from 'vitest';
import { publishedRows } from '../../judge/publish.ts';
import { PROJECT } from '../../judge/testing/pages.ts';
import { cellsOf, lookUp, PARTS } from './formula.ts';
import { pilotedCells } from './piloted-cells.ts';
import type { PredictionRow } from './rows.ts';

it('is what the published pilots removed', () => {
  const rows = publishedRows(PROJECT).lines<PredictionRow>('prediction/pilots.jsonl.gz');
  for (const part of PARTS) {
    const known = pilotedCells(part);
    const found = cellsOf(rows, part);
    expect(known.map(({ form, mode }) => [mode, form])).toEqual(found.map(({ form, mode }) => [mode, form]));
    for (const [i, { removed }] of found.entries()) expect(known[i].removed).toBeCloseTo(removed, 4);
  }
});

it('averages the cells of one mode and kind of pairs, and refuses a cell that it lacks', () => {
  const [first, second, third] = pilotedCells('shown');
  expect(lookUp([first, second])(third)).toBeCloseTo((first.removed + second.removed) / 2, 12);
  expect(() => lookUp([first])({ ...first, mode: 'exit_code' })).toThrow('the pilots have no cell exit_code');
});
