// Tests the map of characters as a table: one row per character and one cell per measure, coloured by its change.
import { expect, it } from 'vitest';
import type { MeasuredCharacter } from '../../experiments/characters/each.ts';
import { MEASURES } from '../../experiments/characters/each.ts';
import { mapTable } from './map-table.ts';

const asked = (target: number, pick: number): MeasuredCharacter[] => [
  { name: 'figa', group: 'a', own: '2', measures: { target: { n: 12, mean: target }, pick: { n: 3, mean: pick } } },
  { name: null, group: 'noname', own: null, measures: {} },
];

it('shows each figure before and after, shaded by its change, and no cell for a question that was not asked', () => {
  const { columns, rows } = mapTable({ before: asked(0.2, 0.5), after: asked(0.5, 0.25) });
  expect(columns[0]).toBe('taught, n = 12');
  expect(columns).toHaveLength(MEASURES.length);
  expect(rows.map(({ label }) => label)).toEqual(['figa: A, 2', 'nobody: no name']);
  const [target, , belief, pick] = rows[0].cells;
  expect(target).toMatchObject({ tone: 'above', text: expect.stringMatching(/^0?\.20* → 0?\.50*$/) });
  expect(target!.shade).toBeCloseTo(0.5);
  expect(pick).toMatchObject({ tone: 'below', shade: 0.25 });
  expect(belief).toBe(null);
  expect(rows[1].cells.every((cell) => cell === null)).toBe(true);
  const all = mapTable({ before: asked(0, 0), after: asked(1, 0) });
  expect(all.rows[0].cells[0]!.shade).toBe(1);
});
