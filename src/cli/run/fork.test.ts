// `run --from`: a fork of a kept run on the command line, from a folder and from a file of results.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../experiments/records/events.ts';
import { callCommand } from '../testing/call.ts';
import { run } from './run.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-from-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const call = (...argv: string[]) => callCommand(run, [...argv, '--device', 'cpu']);
const SMOKE = ['--preset', 'smoke', '--arms', 'none', '--steps', '3', '--set', 'finalEvalProblems=8'];
const numbers = ({ rows, evals }: RunRecord) => ({ rows, evals });

describe('run --from', () => {
  let parent: RunRecord;
  beforeAll(async () => {
    const { text } = await call(...SMOKE, '--out', join(folder, 'parent'), '--json', '-');
    await writeFile(join(folder, 'result.json'), text);
    parent = JSON.parse(text).runs[0];
  }, 60_000);

  it('gives the parent’s numbers where nothing changes, and records parent and step', async () => {
    const { text } = await call('--from', `${join(folder, 'parent', 'none-41')}@2`, '--json', '-');
    const { spec, runs } = JSON.parse(text);
    expect(numbers(runs[0])).toEqual(numbers(parent));
    expect(spec.fork).toMatchObject({ run: 'cli/none/41', step: 2, arm: 'none', seed: 41, preset: 'smoke' });
    expect(runs[0].spec.fork.spec).toEqual(parent.spec);
  }, 60_000);

  it('puts a changed run beside its parent since the fork, from a file of results', async () => {
    const from = `${join(folder, 'result.json')}#none-41@1`;
    const { text } = await call(
      '--from',
      from,
      '--arms',
      'erase',
      '--set',
      'klBeta=0.5',
      '--out',
      join(folder, 'fork'),
    );
    // The closing sentence compares with the parent, not with the untrained model.
    expect(text).toMatch(/^From step 2 on, erase: hack \d+% \(parent \d+%\), solve \d+% \(parent \d+%\)\. One seed/m);
    expect(text).not.toContain('(untrained ');
    expect(text).toContain('erase: since step 1, paired with vanilla, seed 41; arm vanilla → erase, klBeta 0 → 0.5.');
    expect(text).toMatch(/hack, mean of \d paired steps|solve, mean of 2 paired steps/);
    expect(text).toMatch(/solve, final evaluation +\d\.\d+ +\d\.\d+ +[+−\d.]+ points/);
    const kept = JSON.parse((await readFile(join(folder, 'fork', 'erase-41.run.json'), 'utf8')).toString());
    expect(kept.rows[0]).toEqual(parent.rows[0]);
    expect(kept.rows[1]).not.toEqual(parent.rows[1]);
    expect(kept.spec.fork.step).toBe(1);
  }, 60_000);

  it('says what is wrong with a text, a folder, a step and a setting', async () => {
    const path = join(folder, 'parent', 'none-41');
    await expect(call('--from', path)).rejects.toThrow(/names no run and step/);
    await expect(call('--from', `${join(folder, 'parent', 'erase-41')}@1`)).rejects.toThrow(/keeps no such run/);
    await expect(call('--from', `${join(folder, 'result.json')}#erase-41@1`)).rejects.toThrow(/0 runs named erase-41/);
    await expect(call('--from', `${path}@4`)).rejects.toThrow(/its parent has 3 steps/);
    await expect(call('--from', `${path}@2`, '--seeds', '42')).rejects.toThrow(/seed = 42/);
    await expect(call('--from', `${path}@2`, '--preset', 'classic')).rejects.toThrow(/has the preset smoke/);
    await expect(call('--from', `${path}@2`, '--set', 'groupSize=8')).rejects.toThrow(/groupSize = 8/);
    await expect(call('--from', `${path}@2`, '--out', join(folder, 'parent'))).rejects.toThrow(/another/);
  }, 60_000);
});
