// Tests the table of tested browsers: the status of a cell, that each cell names an existing test, and that the published table shows the
// published outcomes.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTested } from '../../src/store/device/tested.ts';
import { CELLS, ofPlaywright, ofVitest, PAGES, rowsOf, smallTable, verdictOf, withTable } from './engine-table.mjs';
import { at } from './project.mjs';

describe('a cell', () => {
  it('fails if one of its tests failed, and is not tested if all were skipped', () => {
    expect(verdictOf(['passed', 'failed', 'skipped'])).toBe('failed');
    expect(verdictOf(['passed', 'skipped'])).toBe('passed');
    expect(verdictOf(['skipped'])).toBe('not tested');
    expect(verdictOf([])).toBe('not tested');
  });

  it('names an existing test', () => {
    for (const { file, title } of CELLS) {
      if (file === null) continue;
      expect(existsSync(at(file)), file).toBe(true);
      if (title !== null) expect(readFileSync(at(file), 'utf8')).toContain(`test('${title}'`);
    }
  });

  it('is read from the reports of both runners', () => {
    const { file, title } = CELLS[3];
    const suite = { file: file.slice('e2e/'.length), specs: [{ title, tests: [{ status: 'flaky' }] }] };
    const other = {
      file: 'webkit.spec.ts',
      suites: [{ specs: [{ title: CELLS[6].title, tests: [{ status: 'skipped' }] }] }],
    };
    const vitest = {
      testResults: [
        { name: at(CELLS[5].file), status: 'passed', assertionResults: [{ title: 'naga takes', status: 'failed' }] },
        { name: at(CELLS[9].file), status: 'failed', assertionResults: [] },
      ],
    };
    const outcomes = [...ofPlaywright({ suites: [suite, other] }), ...ofVitest(vitest, at())];
    const rows = rowsOf(outcomes, { firefox: 'Firefox 1.2' });
    expect(rows.map(({ status }) => status)).toEqual([
      ...['not tested', 'not tested', 'not tested', 'passed', 'passed', 'failed'],
      ...['not tested', 'not tested', 'not there', 'failed', 'not tested', 'not tested'],
    ]);
    expect(rows[3]).toMatchObject({ engine: 'Firefox', version: 'Firefox 1.2' });
  });
});

it('the published table shows the published outcomes', () => {
  const found = readTested(JSON.parse(readFileSync(at('public', 'engines.json'), 'utf8')));
  expect(found).not.toBeNull();
  const cells = CELLS.map(({ engine, device, file }) => [engine, device, file]);
  // The table is empty until the command was run.
  expect([[], cells]).toContainEqual(found.rows.map(({ engine, device, test }) => [engine, device, test]));
  for (const [name, table] of Object.entries(PAGES)) {
    const page = readFileSync(at(name), 'utf8');
    expect(withTable(page, table(found)), name).toBe(page);
  }
});

it('README gives a word for a passed test, and the status for any other', () => {
  const rows = CELLS.map(({ engine, device }) => ({ engine, device, status: 'passed' }));
  rows[3].status = 'not tested';
  expect(smallTable({ date: '2026-01-02', rows }).split('\n')).toEqual([
    '|tested 2026-01-02|CPU|threads|WebGPU|',
    '|---|---|---|---|',
    '|Chrome, Edge|run|run|run, software adapter|',
    '|Firefox|not tested|run|shaders compile|',
    '|Safari|run|run|run|',
  ]);
});
