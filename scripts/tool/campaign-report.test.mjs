// Tests that a part of the campaign replaces its own sections of the page and keeps the others.
import { expect, it } from 'vitest';
import { report, withSections } from './campaign-report.mjs';

const flips = [{ command: 'are bench', name: 'rows', flips: 4, error: 3, replaced: 0, harmless: 0, unseen: 1 }];
const nothing = {
  kills: [],
  flips: [],
  rows: null,
  archives: [],
  disk: null,
  refusals: [],
  page: null,
  soak: null,
  settings: { seed: 1 },
};
const rows = { kills: 7, cuts: 3, starts: 9, finished: 2, rows: 80, different: 1, flips };

it('replaces measured sections, adds new ones, and reports faults', () => {
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

it('reports archives that differ and faults in the page, and writes a section on each', () => {
  const archive = {
    environment: 'chain',
    bytes: 9,
    files: 3,
    equal: false,
    flips: 4,
    error: 3,
    harmless: 0,
    unseen: 1,
  };
  const lost = { part: 'loss', way: 'the worker ended', phase: 'grade', words: 'nothing', equal: false };
  const tabs = [true, true].map((equal, round) => ({ part: 'tabs', round, refused: 1, equal }));
  const page = { rows: [lost, ...tabs], faults: ['x.spec.ts did not hold'] };
  const { text, faults } = report({ ...nothing, archives: [archive], page });
  expect(faults).toEqual([
    'the archive of chain is not the same again',
    '1 flips of the archive of chain were read without a word',
    'x.spec.ts did not hold',
    'the worker ended, grade: other numbers',
  ]);
  expect(text).toContain('| the worker ended | grade | nothing | other |');
  expect(text).toContain(
    'resumed in two tabs at the same moment, 2 times. In 2 of these one tab trained and the other named it.',
  );
});
