// The output of the command line: progress lines, durations and tables.

import { createProgress, duration } from '@projected-grpo-lab/base/commands/progress.ts';
import { printer } from '@projected-grpo-lab/base/commands/terminal.ts';
import { describe, expect, it } from 'vitest';
import { CODE_METRICS } from '../environments/code/presentation.ts';
import type { TableRow } from '../experiments/records/events.ts';
import { renderResult } from './run/result-table.ts';
import { renderTable } from './table.ts';

function recorder(isTTY: boolean) {
  const out = { text: '', time: 0 };
  const write = (text: string) => {
    out.text += text;
  };
  const progress = createProgress({ isTTY, columns: 40, write, now: () => out.time });
  return { out, progress };
}

describe('progress', () => {
  it('rewrites one line on a terminal, and says how long it will take', () => {
    const { out, progress } = recorder(true);
    progress.update('step', 0, 10);
    out.time = 50;
    progress.update('step', 1, 10);
    out.time = 2000;
    progress.update('step', 2, 10);
    progress.note('a note');
    expect(out.text).toBe('step 0/10\r\x1b[Kstep 2/10  ETA 8 s\r\x1b[Ka note\n');
  });

  it('cuts what is wider than the terminal', () => {
    const { out, progress } = recorder(true);
    progress.line('x'.repeat(100));
    expect(out.text).toHaveLength(39);
  });

  it('writes plain lines, seldom, elsewhere', () => {
    const { out, progress } = recorder(false);
    for (out.time = 0; out.time <= 25_000; out.time += 100) progress.update('step', out.time / 100, 1000);
    expect(out.text.split('\n').filter(Boolean)).toHaveLength(3);
    expect(out.text).not.toContain('\x1b');
    progress.update('step', 1000, 1000);
    expect(out.text).toMatch(/step 1000\/1000\n$/);
  });

  it('words durations', () => {
    expect([0.4, 59.4, 60, 3599, 3600, 7380].map(duration)).toEqual([
      '0 s',
      '59 s',
      '1 min 0 s',
      '59 min 59 s',
      '1 h 0 min',
      '2 h 3 min',
    ]);
  });
});

describe('what others wrote', () => {
  // This scenario id would rename the window, clear it, go back over the line, and turn it about.
  const hostile = '\x1b]0;owned\x07\x1b[2J\x9b31mred\rPassed.\u202e\x7f';
  const shown = '\\u001b]0;owned\\u0007\\u001b[2J\\u009b31mred\\u000dPassed.\\u202e\\u007f';

  it('reaches the terminal without escape codes, as results and as progress; JSON keeps its meaning', () => {
    let printed = '';
    const out = printer((text) => {
      printed += text;
    });
    out(`a\tb ${hostile}\n`);
    expect(printed).toBe(`a\tb ${shown}\n`);
    printed = '';
    out(JSON.stringify({ id: hostile }));
    expect(JSON.parse(printed)).toEqual({ id: hostile });
    expect(printed).not.toMatch(/[\p{Cc}\u202e]./u);
    const { out: terminal, progress } = recorder(false);
    progress.note(hostile);
    progress.line(hostile);
    progress.update(hostile, 1, 1, hostile);
    expect(terminal.text).toBe(`${shown}\n${shown}\n${shown} 1/1  ${shown}\n`);
  });
});

describe('tables', () => {
  it('align', () => {
    const text = renderTable(
      ['a', 'number'],
      [
        ['x', '1'],
        ['long', '23'],
      ],
    );
    expect(text).toBe('a     number\n────  ──────\nx          1\nlong      23');
  });

  it('of results leave out empty columns, and join equal verdicts', () => {
    const row = (label: string, changes: Partial<TableRow>): TableRow => ({
      label,
      arm: 'none',
      model: 'total',
      n: 3,
      trained: {},
      deployed: {},
      last5: {},
      delta: {},
      cinTeacher: null,
      coutUpdate: null,
      verdict: 'null',
      ...changes,
    });
    const table = [
      row('vanilla', { trained: { hack: { mean: 0.5, sd: 0.0256 } } }),
      row('erase', { trained: { hack: { mean: 0.25, sd: null } }, delta: { hack: { mean: -0.25, sd: 0.01 } } }),
    ];
    const text = renderResult({ table, verdicts: ['A sentence.'] }, CODE_METRICS.slice(0, 2));
    expect(text).toContain('vanilla  0.500 ±0.026');
    expect(text).toContain('−0.250 ±0.010');
    expect(text).not.toContain('cin_t');
    expect(text).toContain('vanilla, erase: null');
    expect(text).toContain(
      'hack: share of hackable problems whose grade was fooled; solve: share that passes the strict oracle; Δ',
    );
    expect(text).toContain('• A sentence.');
  });
});
