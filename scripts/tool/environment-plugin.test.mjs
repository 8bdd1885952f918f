// Tests an environment in a user's file: which file a command names, which changes make its build stale, and a run in it through the command
// line.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environmentPlugin, filesOf, ownEnvironment } from './environment-plugin.mjs';
import { at, CACHE } from './project.mjs';

const EXAMPLE = at('examples', 'week.ts');

describe('the file', () => {
  it('is named by --environment, or else by the variable', () => {
    expect(ownEnvironment(['run', '--environment', EXAMPLE], {})).toBe(EXAMPLE);
    expect(ownEnvironment(['run', `--environment=${EXAMPLE}`], {})).toBe(EXAMPLE);
    expect(ownEnvironment(['run', '--environment', 'chain'], {})).toBe(null);
    expect(ownEnvironment(['run', '--environment', 'week'], { LAB_ENVIRONMENT: EXAMPLE })).toBe(EXAMPLE);
    expect(ownEnvironment([], {})).toBe(null);
    expect(() => ownEnvironment(['--environment', 'none.ts'], {})).toThrow(/There is no file none\.ts/);
  });

  it('makes a build stale with its imports, except the lab’s sources, which do so anyway', () => {
    expect(filesOf(EXAMPLE)).toEqual(['examples/week.ts']);
    expect(filesOf(null)).toEqual([]);
    mkdirSync(CACHE, { recursive: true });
    const folder = mkdtempSync(join(CACHE, 'environment-'));
    try {
      writeFileSync(join(folder, 'own.ts'), "import { a } from './a.ts';\nexport default a;\n");
      writeFileSync(join(folder, 'a.ts'), 'export const a = 1;\n');
      expect(filesOf(join(folder, 'own.ts')).map((path) => path.split('/').at(-1))).toEqual(['own.ts', 'a.ts']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('adds a line to the registry, and to no other file', () => {
    const { transform } = environmentPlugin(EXAMPLE);
    const registry = at('src', 'environments', 'registry.ts');
    expect(transform('', registry).code).toBe('\nexport { default as OWN } from "../../examples/week.ts";\n');
    expect(transform('', at('src', 'environments', 'entry.ts'))).toBe(null);
    expect(environmentPlugin(null).transform('', registry)).toBe(null);
  });
});

it('is trained by its path, and listed', () => {
  const lab = (...args) => {
    const env = { ...process.env, LAB_ENVIRONMENT: EXAMPLE, LAB_ROOT: at() };
    return spawnSync(process.execPath, [at('scripts', 'lab.mjs'), ...args], {
      encoding: 'utf8',
      timeout: 200_000,
      env,
    });
  };
  const tiny = [
    '--preset',
    'smoke',
    '--steps',
    '2',
    '--seeds',
    '1',
    '--device',
    'cpu',
    '--threads',
    '1',
    '--fresh',
    '--yes',
  ];
  const ran = lab('run', '--environment', EXAMPLE, ...tiny, '--set', 'finalEvalProblems=4', '--json', '-');
  expect([ran.status, ran.stderr]).toEqual([0, expect.any(String)]);
  const { runs } = JSON.parse(ran.stdout);
  expect(runs.map(({ status, spec }) => [status, spec.environment, spec.model])).toEqual([
    ['done', 'week', 'tiny-arithmetic'],
  ]);
  expect(Object.keys(runs[0].rows[1].student.figures)).toEqual(['solve', 'boxed', 'five']);
  expect(lab('run', '--measures').stdout).toContain('Answers with the number after five days.');
});
