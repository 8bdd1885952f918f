// Tests `npm run new` in a copy of the tree: what it writes passes lint and types, its own tests and the suite's tests that cover it. Invalid
// and existing names are refused, and then nothing is written.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkTree } from './layers.mjs';
import { HELP, make, tidy } from './new.mjs';
import { ROOT } from './project.mjs';

const copy = mkdtempSync(join(tmpdir(), 'new-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));
for (const folder of ['src', 'research', 'bench', 'shaders', 'docs'])
  cpSync(join(ROOT, folder), join(copy, folder), { recursive: true, filter: (path) => !path.endsWith('node_modules') });
for (const file of [
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
  'vitest.research.config.ts',
  'biome.json',
  '.gitignore',
])
  cpSync(join(ROOT, file), join(copy, file));
for (const folder of ['node_modules', 'packages', 'public']) symlinkSync(join(ROOT, folder), join(copy, folder));

const written = {
  environment: make(['environment', 'greater'], copy).paths,
  arm: make(['arm', 'half_clip'], copy).paths,
  kernel: make(['kernel', 'times_factor'], copy).paths,
};
/** A question of each series, with a letter of the series in its id. */
const questions = Object.fromEntries(
  Object.entries({
    agents: 'A',
    cat: 'C',
    characters: 'S',
    exit: 'E',
    instructions: 'I',
    prediction: 'P',
    study: 'Q',
  }).map(([series, letter]) => [series, make(['question', `${letter}77`, '--in', series], copy).paths]),
);
const paths = [...new Set([...Object.values(written), ...Object.values(questions)].flat())];
tidy(paths, copy);

/** A run of two steps in the new environment, with the small model of the tests. */
const RUN = `
import { expect, it } from 'vitest';
import { callsOf } from '../../../bench/kernel-calls.ts';
import { openTinyLab, runTiny, tinySpec } from '../testing/tiny.node.ts';
it('adds the kernel to the bench', () => {
  expect(callsOf('times_factor').map(({ use, params }) => [use, params.n])).toEqual([['its largest case', 300]]);
});
it('writes an environment that runs', async () => {
  const lab = await openTinyLab();
  const overrides = { environment: 'greater', steps: 2, maxNew: 6 };
  const about = { modelId: 'tiny-greater', modelSha256: 'random', appVersion: 'test' };
  const { result } = await runTiny(lab, tinySpec({ arms: ['none', 'half_clip'], overrides }), { about });
  await lab.close();
  expect(result.runs.map(({ spec, status }) => [spec.arm, status])).toEqual([['none', 'done'], ['half_clip', 'done']]);
  for (const { evals } of result.runs) expect(Object.keys(evals.at(-1).splits)).toEqual(['unseen']);
});
`;

it('touches as few files as possible', () => {
  const count = Object.fromEntries(Object.entries(written).map(([kind, files]) => [kind, files.length]));
  expect(count).toEqual({ environment: 7, arm: 1, kernel: 4 });
  for (const [series, files] of Object.entries(questions))
    expect(files.length, series).toBe(series === 'study' ? 4 : 3);
});

it('offers every series of questions', () => {
  const text = readFileSync(join(ROOT, 'src', 'findings', 'series.ts'), 'utf8');
  const ids = /SERIES_IDS = \[([^\]]*)\]/.exec(text)[1].match(/\w+/g);
  expect(Object.keys(questions)).toEqual([...ids].sort());
  for (const id of ids) expect(HELP).toContain(id);
});

describe('what is written', () => {
  it('passes format and lint', () => {
    const biome = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const ts = paths.filter((path) => path.endsWith('.ts'));
    const { status, stdout, stderr } = spawnSync(process.execPath, [biome, 'check', '--error-on-warnings', ...ts], {
      cwd: copy,
      encoding: 'utf8',
    });
    expect(status, stdout + stderr).toBe(0);
  });

  it('imports only downwards, without a circle', () => {
    expect(checkTree(copy)).toEqual([]);
  });

  it('passes the type check', () => {
    const files = paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
    writeFileSync(join(copy, 'tsconfig.new.json'), JSON.stringify({ extends: './tsconfig.json', include: [], files }));
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', 'tsconfig.new.json'], {
      cwd: copy,
      encoding: 'utf8',
    });
    expect(status, stdout).toBe(0);
  });

  it('passes its own tests, and those of the suite that cover it', () => {
    writeFileSync(join(copy, 'src', 'experiments', 'environments', 'new-run.test.ts'), RUN);
    const tests = [
      ...paths.filter((path) => path.endsWith('.test.ts')),
      'src/experiments/environments/new-run.test.ts',
      'src/experiments/environments/registry.test.ts',
      'src/experiments/environments/registry-order.test.ts',
      'src/experiments/analysis/vanilla.test.ts',
      'research/series/questions.test.ts',
      'research/series/study/plan.test.ts',
      'src/kernels/ops.test.ts',
      'src/kernels/cpu/references.test.ts',
    ].filter((path) => existsSync(join(copy, path)));
    const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
    const isOfResearch = (path) => path.startsWith('research/');
    const suites = [
      ['vitest.config.ts', tests.filter((path) => !isOfResearch(path))],
      ['vitest.research.config.ts', tests.filter(isOfResearch)],
    ];
    for (const [config, own] of suites) {
      const args = [vitest, 'run', '--root', copy, '--config', config, ...own];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
      expect(status, stdout + stderr).toBe(0);
      for (const path of own) expect(stdout).toContain(path);
    }
  });
});

describe('refuses, and writes nothing', () => {
  const refusal = (...args) => {
    try {
      make(args, copy);
    } catch (error) {
      return error.message;
    }
    return null;
  };
  it.each([
    ['a kind that is none', ['world', 'x'], /Give one of environment, arm, question, kernel/],
    ['no name', ['environment'], /is no name of an environment/],
    ['a path for a name', ['environment', '../evil'], /is no name of an environment/],
    ['an environment that is there', ['environment', 'lookup'], /is there already/],
    ['an arm that is there', ['arm', 'cat'], /There is an arm cat/],
    ['a question of another series', ['question', 'C99', '--in', 'exit'], /does not begin with a letter of exit/],
    ['a question that is there', ['question', 'P3', '--in', 'prediction'], /There is a question P3/],
    ['an id that the study has not', ['question', 'Q9-again', '--in', 'study'], /as Q21/],
    ['a kernel that is there', ['kernel', 'scale_rows'], /has a kernel scale_rows/],
    ['a group that is none', ['arm', 'mine', '--in', 'nowhere'], /give one of/],
    ['a flag that is none', ['arm', 'mine', '--on', 'exit'], /is not known here/],
  ])('%s', (_, args, said) => {
    const state = () =>
      execFileSync('find', ['src', 'shaders', 'bench', '-type', 'f', '-newer', 'tsconfig.json'], {
        cwd: copy,
        encoding: 'utf8',
      });
    const before = state();
    expect(refusal(...args)).toMatch(said);
    expect(state()).toBe(before);
  });

  it('names every kind in its help, and the docs have each', () => {
    const docs = readFileSync(join(ROOT, 'docs', 'architecture', 'adding.md'), 'utf8');
    for (const kind of [...Object.keys(written), 'question']) {
      expect(HELP).toContain(`npm run new -- ${kind}`);
      expect(docs).toContain(`npm run new -- ${kind}`);
    }
  });
});
