// `run --environment` on the CPU device: the name brings the environment's own model and settings; unsupported options are refused before
// anything is loaded.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeCommit } from '../code-commit.ts';
import { callCommand } from '../testing/call.ts';
import { specOf } from './flags.ts';
import { run } from './run.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-environment-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const call = (...argv: string[]) => callNoting([], ...argv);
async function callNoting(notes: string[], ...argv: string[]): Promise<string> {
  const called = await callCommand(run, [...argv, '--device', 'cpu']);
  notes.push(...called.notes);
  return called.text;
}
const flags = { preset: 'demo', arms: null, seeds: null, steps: null, set: {}, device: 'cpu' } as const;

describe('run --environment', () => {
  it('trains the environment’s own model on its tasks', async () => {
    const smoke = ['--preset', 'smoke', '--world', 'arithmetic', '--steps', '1', '--set', 'evalEvery=0'];
    const settings = ['--set', 'finalEvalProblems=8', '--set', 'loraRank=4'];
    const json = await call(...smoke, ...settings, '--json', '-', '--out', join(folder, 'run'));
    const { spec, runs, commit } = JSON.parse(json);
    expect(commit ?? null).toBe(await codeCommit(process.cwd()));
    expect(spec.arms).toEqual(['none']);
    expect(spec.overrides.environment).toBe('arithmetic');
    expect(runs[0]).toMatchObject({ status: 'done', spec: { model: 'tiny-arithmetic', mix: 0 } });
    expect(runs[0].rows).toHaveLength(1);
    // The model is pretrained, since noise would have no box.
    const base = runs[0].evals.find(({ model }: { model: string }) => model === 'base');
    expect(base.all.figures.format).toBeGreaterThan(0.8);
  }, 60_000);

  it('never writes --json over a file that is not the same experiment’s, and says that it replaces its own', async () => {
    const file = join(folder, 'notes.json');
    await writeFile(file, 'my notes');
    const smoke = ['--preset', 'smoke', '--world', 'arithmetic', '--steps', '1'];
    await expect(call(...smoke, '--json', file)).rejects.toThrow(/notes\.json is there already \(8 bytes\)/);
    expect(await readFile(file, 'utf8')).toBe('my notes');
    // The settings are as above, so that the results kept in the folder are taken.
    const fewer = ['--set', 'evalEvery=0', '--set', 'finalEvalProblems=8', '--set', 'loraRank=4'];
    const kept = [...smoke, ...fewer, '--out', join(folder, 'run')];
    const [result, notes] = [join(folder, 'result.json'), [] as string[]];
    await call(...kept, '--json', result);
    const { spec, runs } = JSON.parse(await readFile(result, 'utf8'));
    await writeFile(result, JSON.stringify({ schema: 1, spec, runs: [] }));
    await callNoting(notes, ...kept, '--json', result);
    expect(notes.join('\n')).toContain('result.json has an earlier result of this experiment');
    // The default adapter has no rank.
    expect(notes.join('\n')).toContain('loraRank = 4 changes nothing here');
    expect(JSON.parse(await readFile(result, 'utf8')).runs).toEqual(runs);
    await expect(call(...smoke, '--seeds', '42', '--json', result)).rejects.toThrow(/result\.json is there already/);
  });

  it('refuses what the environment has not, and a second environment', async () => {
    await expect(call('--world', 'arithmetic', '--arms', 'none,erase')).rejects.toThrow(/has no labelled pairs/);
    await expect(call('--world', 'arithmetics')).rejects.toThrow(/environment = "arithmetics"/);
    expect(() =>
      specOf({ ...flags, environment: 'arithmetic', set: { environment: 'one-line-python' } }, null),
    ).toThrow(/the environment is one-line-python/);
  });

  it('is what --set environment says', () => {
    const named = specOf({ ...flags, environment: 'arithmetic' }, null);
    expect(specOf({ ...flags, set: { environment: 'arithmetic' } }, null)).toEqual(named);
    expect(specOf({ ...flags, environment: 'one-line-python' }, null)).toEqual(specOf(flags, null));
  });
});
