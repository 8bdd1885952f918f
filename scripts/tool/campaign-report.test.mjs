// A part of the campaign puts its own sections into the page, and leaves the others as they were measured.
import { expect, it } from 'vitest';
import { report, withSections } from './campaign-report.mjs';

const flips = [{ command: 'are bench', name: 'rows', flips: 4, error: 3, replaced: 0, harmless: 0, unseen: 1 }];
const nothing = { kills: [], flips: [], rows: null, disk: null, refusals: [], soak: null, settings: { seed: 1 } };
const rows = { kills: 7, cuts: 3, starts: 9, finished: 2, rows: 80, different: 1, flips };

it('replaces what was measured, adds what is new, and says what did not hold', () => {
  const { text, faults } = report({ ...nothing, rows });
  expect(faults).toEqual([
    'after kills, 1 files of rows differ',
    '1 flips of are bench’s rows were read without a word',
  ]);
  const page = '# Page\n\nhead\n\n## Kills\n\nold kills\n\n## What it does not cover\n\n- much\n';
  const first = withSections(page, text);
  expect(first).toMatch(
    /^# Page\n\nhead\n\n## Kills\n\nold kills\n\n## Rows\n[\s\S]*\| kills \| 7 \|[\s\S]*## What it does not cover/,
  );
  const second = withSections(first, report({ ...nothing, rows: { ...rows, kills: 8 } }).text);
  expect(second.match(/## Rows/g)).toHaveLength(1);
  expect(second).toContain('| kills | 8 |');
  expect(second).not.toContain('| kills | 7 |');
});
