// What is given to Slurm, and what is refused before it is. The real one: npm run campaign -- slurm.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arrayScript, endScript, SlurmError, type SlurmOptions, secondsOfTime, submitScript } from './slurm.ts';
import { askedOf, sweepSubmit } from './submit.ts';

const OPTIONS: SlurmOptions = {
  name: 'my sweep',
  partition: 'main',
  time: '30',
  mem: '1024M',
  cpus: 2,
  tasks: 24,
  parallel: 2,
  runsPerTask: 1,
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'slurm-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('times', () => {
  it.each([
    ['30', 1800],
    ['2:30', 150],
    ['1:30:00', 5400],
    ['2-00', 172_800],
    ['1-12:30', 131_400],
    ['soon', null],
    ['1h', null],
  ])('%s', (text, seconds) => {
    expect(secondsOfTime(text)).toBe(seconds);
  });

  it('and memory are asked for with room beyond the plan', () => {
    const estimate = { runs: 24, seconds: 2400, longestSeconds: 100, memory: 870e6, device: 'CPU' };
    expect(askedOf(estimate, 3)).toEqual({ time: '30', mem: '1024M' });
  });
});

describe('a batch script', () => {
  /** As a node runs it, with a worker that writes what it is given and what it hears. */
  function place(worker: string) {
    const folder = join(root, "a folder's", 'sweep').replace("'", '');
    mkdirSync(join(folder, 'slurm'), { recursive: true });
    writeFileSync(join(root, 'lab'), `#!/bin/bash\n${worker}\n`);
    chmodSync(join(root, 'lab'), 0o755);
    return { folder, root, lab: [join(root, 'lab')] };
  }

  it('asks for what was said, and runs one worker a task', () => {
    const at = place(`echo "$@" >> ${root}/said`);
    const script = arrayScript(OPTIONS, at);
    expect(script.split('\n').filter((line) => line.startsWith('#SBATCH'))).toEqual([
      '#SBATCH --job-name=my-sweep',
      `#SBATCH --output="${at.folder}/slurm/%A_%a.log"`,
      '#SBATCH --open-mode=append',
      '#SBATCH --signal=B:TERM@60',
      '#SBATCH --time=30',
      '#SBATCH --mem=1024M',
      '#SBATCH --cpus-per-task=2',
      '#SBATCH --partition=main',
      '#SBATCH --requeue',
      '#SBATCH --array=0-23%2',
    ]);
    execFileSync('bash', ['-c', script], { env: { ...process.env, SLURM_CPUS_PER_TASK: '2' } });
    execFileSync('bash', ['-c', endScript(OPTIONS, at)]);
    expect(readFileSync(join(root, 'said'), 'utf8').split('\n')).toEqual([
      `sweep worker ${at.folder} --runs 1 --threads 2`,
      `sweep worker ${at.folder} --threads 1`,
      `sweep collect ${at.folder}`,
      `sweep report ${at.folder}`,
      '',
    ]);
  });

  it('hands SIGTERM on to the worker, waits for it, and ends with its code', () => {
    const at = place(
      `trap 'sleep 0.3; echo released >> ${root}/said; exit 130' TERM\nkill -TERM $PPID\nfor i in $(seq 100); do sleep 0.1; done`,
    );
    const script = endScript(OPTIONS, at);
    expect(() => execFileSync('bash', ['-c', script], { stdio: 'ignore' })).toThrow(
      expect.objectContaining({ status: 130 }),
    );
    // Nothing is collected of a sweep that goes on.
    expect(readFileSync(join(root, 'said'), 'utf8')).toBe('released\n');
  });

  it('refuses a folder that Slurm would read otherwise', () => {
    for (const folder of ['/data/50%', '/data/a"b', '/data/a\nb'])
      expect(() => arrayScript(OPTIONS, { folder, root, lab: [] })).toThrow(/cannot name/);
  });
});

describe('a scheduler', () => {
  const withSbatch = async (body: string): Promise<string> => {
    writeFileSync(join(root, 'sbatch'), `#!/bin/sh\n${body}\n`);
    chmodSync(join(root, 'sbatch'), 0o755);
    const before = process.env.PATH;
    process.env.PATH = `${root}:/usr/bin:/bin`;
    try {
      return await submitScript('script.sh', '17');
    } finally {
      process.env.PATH = before;
    }
  };

  it('that takes a job says its number, and that refuses is quoted', async () => {
    expect(await withSbatch('test "$2" = --dependency=afterany:17 && echo "42;cluster"')).toBe('42');
    const refused = await withSbatch('echo "sbatch: error: invalid partition specified: gold" >&2; exit 1').catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(SlurmError);
    expect((refused as SlurmError).message).toBe('sbatch refused: sbatch: error: invalid partition specified: gold');
    await expect(withSbatch('echo queued')).rejects.toThrow(/no job’s number/);
  });

  it('is asked nothing with flags that it would not take', async () => {
    const spec = join(root, 'spec.json');
    writeFileSync(spec, JSON.stringify({ preset: 'smoke', axes: [{ option: 'lr', values: [0.1] }], seeds: [1] }));
    const submit = (...more: string[]) =>
      sweepSubmit.run([spec, '--out', join(root, 'out'), ...more], {
        out: () => {},
        progress: { update: () => {}, line: () => {}, note: () => {}, end: () => {} },
        signal: new AbortController().signal,
        root: resolve('.'),
      });
    await expect(submit('--time', 'soon')).rejects.toThrow(/--time soon/);
    await expect(submit('--time', '1')).rejects.toThrow(/--time 1 /);
    await expect(submit('--mem', 'lots')).rejects.toThrow(/--mem lots/);
    await expect(submit('--partition', 'a;b')).rejects.toThrow(/--partition a;b/);
  });
});
