// Checks that a chart of Findings saves exactly what it draws.
import { expect, it } from 'vitest';
import { marksCsv, questionCsv } from './chart-csv.ts';

it('lines: one row per position, empty where nothing was measured', () => {
  const line = { label: 'ExIt, full', arm: 'exit', n: 3, mean: [0.5, null], low: [0.4, null], high: [0.6, null] };
  const csv = questionCsv({
    kind: 'lines',
    title: 't',
    x: 'revisions',
    y: 'solve',
    at: ['0', '1'],
    band: '95 %',
    lines: [line, { ...line, label: 'base', low: null, high: null }],
  });
  expect(csv.trim().split('\r\n')).toEqual([
    'line,n,revisions,solve,low,high',
    '"ExIt, full",3,0,0.5,0.4,0.6',
    '"ExIt, full",3,1,,,',
    'base,3,0,0.5,,',
    'base,3,1,,,',
  ]);
});

it('dots: the mean, its interval and each unit', () => {
  const row = { name: 'a', arm: 'exit', n: 2, mean: 0.2, interval: { low: 0.1, high: 0.3 }, values: [0.1, 0.3] };
  const csv = questionCsv({ kind: 'dots', title: 't', x: 'x', bounds: [], rows: [row, { ...row, interval: null }] });
  expect(csv.trim().split('\r\n')).toEqual([
    'row,n,mean,low,high,values',
    'a,2,0.2,0.1,0.3,0.1 0.3',
    'a,2,0.2,,,0.1 0.3',
  ]);
});

it('marks: the mean and below it its units, named as in the table', () => {
  const panel = {
    id: '',
    title: 't',
    about: '',
    x: { label: 'hack removed', verb: 'removes' },
    y: { label: 'solve kept', verb: 'keeps' },
    marks: [{ row: 1, n: 2, x: 0.5, y: 0.75, each: [[0.4, 0.7] as const, [0.6, 0.8] as const] }],
    line: [],
  };
  const csv = marksCsv(panel, { title: 't', head: ['arm'], rows: [['route']] });
  expect(csv.trim().split('\r\n')).toEqual([
    'row,label,unit,hack removed,solve kept',
    '1,route,mean,0.5,0.75',
    '1,route,1,0.4,0.7',
    '1,route,2,0.6,0.8',
  ]);
});
