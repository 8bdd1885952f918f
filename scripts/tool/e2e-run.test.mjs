import { describe, expect, it } from 'vitest';
import { columns, hashOf, readArgs } from './e2e-run.mjs';

describe('e2e:run', () => {
  it('takes the fragment of a link, wherever the page was served', () => {
    expect(hashOf('http://localhost:5173/?view=compare#2.abc-_9')).toEqual({ hash: '2.abc-_9' });
    expect(hashOf('1.abc')).toEqual({ hash: '1.abc' });
    expect(hashOf('http://localhost:5173/').problem).toMatch(/no experiment/);
    expect(hashOf('#2.a"b').problem).toMatch(/no experiment/);
  });

  it('reads its arguments, and reports wrong ones', () => {
    expect(readArgs(['--spec', '#1.abc', '--json', 'x.json'])).toEqual({ hash: '1.abc', json: 'x.json', minutes: 60 });
    expect(readArgs(['--help'])).toEqual({ help: true });
    expect(readArgs([]).problem).toMatch(/--spec/);
    expect(readArgs(['--spec', '1.a', '--timeout', 'long']).problem).toMatch(/long/);
    expect(readArgs(['--nope']).problem).toMatch(/nope/);
  });

  it('aligns the columns of the table', () => {
    expect(
      columns([
        ['Model', 'n'],
        ['erase', '10'],
      ]),
    ).toEqual(['Model   n', 'erase  10']);
  });
});
