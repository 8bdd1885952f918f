// Compares the port with recorded runs of the reference, file by file. The recordings are outside the project; without them the tests are
// skipped with a notice.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { APP_CLASSES } from '../../apps/registry.ts';
import type { Value } from '../../value.ts';
import { Bijection, differences } from './compare.ts';
import { DEPARTURES, departureOf } from './departures.ts';
import { COMPARISONS, parityOf } from './parity.ts';
import type { ParityContext } from './types.ts';

const FOLDER = '../../shared/are';
const context: ParityContext = {
  classes: APP_CLASSES,
  text: (path) => (existsSync(`${FOLDER}/${path}`) ? readFileSync(`${FOLDER}/${path}`, 'utf8') : undefined),
};
/** Least number of cases, so that an empty comparison cannot pass. */
const LEAST: Readonly<Record<string, number>> = { 'app_calls.json': 5, 'verdicts.json': 17, 'tool_catalogue.json': 15 };

describe('recorded runs of the reference', () => {
  for (const file of Object.keys(COMPARISONS)) {
    const isThere = existsSync(`${FOLDER}/${file}`);
    it.skipIf(!isThere)(isThere ? file : `${file}: skipped, ${FOLDER} is not there`, () => {
      const { cases } = parityOf([file], context);
      const wrong = cases.filter(({ isRight }) => !isRight);
      expect(
        wrong.map(({ name, differences: found, missing }) => ({ name, found: found.slice(0, 5), missing })),
      ).toEqual([]);
      expect(cases.length).toBeGreaterThanOrEqual(LEAST[file] ?? 3);
    });
  }
});

describe('a departure', () => {
  const listed = [{ title: 'Times', reason: 'none', file: 'a.json', pattern: /^\.time:/ }];
  const covers = (differences: readonly string[], file = 'a.json') =>
    departureOf({ file, name: 'x', differences }, listed);

  it('covers a case if each of its differences is listed for its file', () => {
    expect(covers(['.time: expected 1, got 2'])).toBe('Times');
    expect(covers(['.time: expected 1, got 2', '.id: missing'])).toBeNull();
    expect(covers(['.time: expected 1, got 2'], 'b.json')).toBeNull();
    expect(departureOf({ file: 'a.json', name: 'x', differences: [], missing: 'no class' }, listed)).toBeNull();
  });

  it('has a line in the documentation', () => {
    const page = readFileSync('docs/reference/are.md', 'utf8') + readFileSync('docs/reference/are-apps.md', 'utf8');
    const isListed = ({ title, reason }: (typeof DEPARTURES)[number]) =>
      page.split('\n').some((line) => line.startsWith('|') && line.includes(title) && line.includes(reason));
    expect(DEPARTURES.filter((entry) => !isListed(entry))).toEqual([]);
    expect(DEPARTURES.length).toBeGreaterThan(0);
  });

  // Expected values are the reference's output for these calls.
  it('is distinguished from other differences of a recorded script, and counted separately', () => {
    const folder = '/tmp/are_simulation_sandbox_x/are_simulation_fs_sandbox_abc';
    const script = (exists: string, event_log: Value) => ({
      start_time: 0,
      steps: [
        { app: 'VirtualFileSystem', fn: 'mkdir', args: { path: 'a' }, result: null },
        { app: 'VirtualFileSystem', fn: 'mkdir', args: { path: 'a' }, error: ['FileExistsError', `${folder}/a`] },
        {
          app: 'VirtualFileSystem',
          fn: 'ls',
          args: { path: 'q' },
          error: ['FileNotFoundError', `[Errno 2] No such file or directory: '${folder}/q'`],
        },
        { app: 'VirtualFileSystem', fn: 'exists', args: { path: 'a' }, result: exists === 'yes' },
      ],
      final_state: {
        VirtualFileSystem: {
          files: { name: '', type: 'directory', children: [{ name: 'a', type: 'directory', children: [] }] },
          tmpdir: folder,
        },
      },
      event_log,
    });
    const compare = (exists: string, log: Value) => {
      const text = JSON.stringify({ files: script(exists, log) });
      return parityOf(['app_calls.json'], { classes: APP_CLASSES, text: () => text }).cases[0];
    };
    const calls = ['mkdir', 'mkdir', 'ls', 'exists'].map((name, place) => ({
      id: `AGENT-VirtualFileSystem.${name}-id000${place + 1}`,
      type: 'AGENT',
      t: 0,
      tool: `VirtualFileSystem__${name}`,
      op: name === 'mkdir' ? 'write' : 'read',
      failed: place === 1 || place === 2,
    }));
    const right = compare('yes', calls);
    expect([right?.differences.length, right?.unlisted, right?.departure]).toEqual([
      ...[3, [], 'errors of files show a temporary folder'],
    ]);
    expect(compare('no', calls)?.unlisted).toHaveLength(1);
  });
});

describe('the comparison', () => {
  const compare = (a: Value, b: Value) => differences(a, b, new Bijection());

  it('pairs ids if the pairs hold throughout', () => {
    expect(compare({ a: 'id0001', b: ['x-id0001', 'id0002'] }, { a: 'id0007', b: ['x-id0007', 'id0001'] })).toEqual([]);
    expect(compare(['id0001', 'id0001'], ['id0001', 'id0002'])).toHaveLength(1);
    expect(compare(['id0001', 'id0002'], ['id0001', 'id0001'])).toHaveLength(1);
    expect(compare({ id0003: { n: 1 } }, { id0005: { n: 2 } })).toEqual(['.id0003.n: expected 1, got 2']);
  });

  it('names missing, extra and wrong values', () => {
    expect(compare({ a: 1, b: 2 }, { b: 2, c: 3 })).toEqual(['.a: missing', '.c: not expected']);
    expect(compare([1, 2], [1])).toHaveLength(1);
    expect(compare({ a: null }, { a: 0 })).toHaveLength(1);
  });
});
