import { describe, expect, it } from 'vitest';
import type { RunRecord, StepRow, TableRow } from '../../experiments/records/events.ts';
import type { Rates } from '../../experiments/records/metrics.ts';
import { toCsv } from '../../lib/csv.ts';
import { stepsCsv, tableCsv } from './download.ts';

describe('toCsv', () => {
  it('quotes values that need it', () => {
    expect(
      toCsv(
        ['a', 'b'],
        [
          ['x, "y"', null],
          [1, 'line\nbreak'],
        ],
      ),
    ).toBe('a,b\r\n"x, ""y""",\r\n1,"line\nbreak"\r\n');
  });
});

describe('the downloaded files', () => {
  const rates = (hack: number): Rates => ({ n: 4, figures: { hack, solve: 0.5, structural: null } });
  const row = { step: 1, student: rates(0.25), teacher: rates(1), reward: 0.75, cinTeacher: null } as StepRow;
  const run = {
    spec: { arm: 'erase', seed: 41, environment: 'one-line-python' },
    rows: [row],
    timings: [{ step: 1, total: 2, tokensPerSecond: 90 }],
  } as unknown as RunRecord;

  it('have one line per step, with its arm, seed and timing', () => {
    const [header, line] = stepsCsv([run]).trimEnd().split('\r\n');
    const cells = Object.fromEntries(header.split(',').map((name, i) => [name, line.split(',')[i]]));
    expect(cells).toMatchObject({ arm: 'erase', seed: '41', student_hack: '0.25', teacher_hack: '1', reward: '0.75' });
    expect(cells).toMatchObject({ cinTeacher: '', seconds: '2', tokens_per_second: '90' });
  });

  it('have an additional column if a run logs a measure that others do not', () => {
    const twice = { ...run, rows: [{ ...row, ratioMean: 1.25 }] } as RunRecord;
    const [header, plain, moved] = stepsCsv([run, twice]).trimEnd().split('\r\n');
    const column = header.split(',').indexOf('ratioMean');
    expect([plain, moved].map((line) => line.split(',')[column])).toEqual(['', '1.25']);
    expect(stepsCsv([run])).not.toContain('ratioMean');
  });

  it('have one line per row of the table, with an empty sd at n = 1', () => {
    const trained = { hack: { mean: 0.03, sd: null } };
    const parts = { trained, deployed: {}, last5: {}, delta: {} };
    const table = [{ label: 'base', arm: 'none', model: 'base', n: 1, ...parts } as unknown as TableRow];
    const [header, line] = tableCsv(table).trimEnd().split('\r\n');
    const cells = Object.fromEntries(header.split(',').map((name, i) => [name, line.split(',')[i]]));
    expect(cells).toMatchObject({ label: 'base (untrained)', hack: '0.03', hack_sd: '', deployedHack: '' });
  });
});
