// Scripts given to Slurm, and refusals before that. The real one: npm run campaign -- slurm.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SweepError } from '../../experiments/sweep/spec.ts';
import { jobStates, partitionsOf, refuseTooLarge, tasksIn } from './cluster.ts';
import { arrayScript, endScript, SlurmError, type SlurmOptions, secondsOfTime, submitScript } from './slurm.ts';
import { sweepStatus } from './status.ts';
import { requestedResources, sbatchOptions, sweepSubmit } from './submit.ts';

const OPTIONS: SlurmOptions = {
  name: 'my sweep',
  partition: 'main',
  time: '30',
  mem: '1024M',
  cpus: 2,
  tasks: 24,
  parallel: 2,
  runsPerTask: 1,
  sbatch: ['--account=lab', '--gres gpu:1'],
  setup: ['export HEARD=setup'],
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

  it('and memory are requested with a margin beyond the plan', () => {
    const estimate = { runs: 24, seconds: 2400, longestSeconds: 100, memory: 870e6, device: 'CPU' };
    expect(requestedResources(estimate, 3)).toEqual({ time: '30', mem: '1024M' });
  });
});

describe('a batch script', () => {
  /** Runs a script as a node does, with a worker that records its arguments and signals. */
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
      '#SBATCH --account=lab',
      '#SBATCH --gres gpu:1',
      '#SBATCH --array=0-23%2',
    ]);
    const job = { ...process.env, SLURM_JOB_ID: '13' };
    execFileSync('bash', ['-c', script], {
      env: { ...job, SLURM_CPUS_PER_TASK: '2', SLURM_ARRAY_JOB_ID: '12', SLURM_ARRAY_TASK_ID: '3' },
    });
    execFileSync('bash', ['-c', endScript(OPTIONS, at)], { env: job });
    // Both leave their exit code, under squeue's names.
    expect(readdirSync(join(at.folder, 'slurm', 'ended')).sort()).toEqual(['12_3', '13']);
    expect(readFileSync(join(at.folder, 'slurm', 'ended', '12_3'), 'utf8')).toBe('0\n');
    expect(readFileSync(join(root, 'said'), 'utf8').split('\n')).toEqual([
      `sweep worker ${at.folder} --runs 1 --threads 2`,
      `sweep worker ${at.folder} --threads 1`,
      `sweep collect ${at.folder}`,
      `sweep report ${at.folder}`,
      '',
    ]);
  });

  it('leaves no exit code of the time before it was queued again', () => {
    const at = place('kill -KILL $PPID');
    const ended = join(at.folder, 'slurm', 'ended');
    mkdirSync(ended);
    writeFileSync(join(ended, '12_3'), '143\n');
    const env = { ...process.env, SLURM_JOB_ID: '13', SLURM_ARRAY_JOB_ID: '12', SLURM_ARRAY_TASK_ID: '3' };
    expect(() => execFileSync('bash', ['-c', arrayScript(OPTIONS, at)], { env, stdio: 'ignore' })).toThrow(
      expect.objectContaining({ signal: 'SIGKILL' }),
    );
    expect(readdirSync(ended)).toEqual([]);
  });

  it('hands SIGTERM on to the worker, waits for it, and ends with its code', () => {
    const at = place(
      `trap 'sleep 0.3; echo released >> ${root}/said; exit 130' TERM\nkill -TERM $PPID\nfor i in $(seq 100); do sleep 0.1; done`,
    );
    const script = endScript(OPTIONS, at);
    expect(() => execFileSync('bash', ['-c', script], { stdio: 'ignore' })).toThrow(
      expect.objectContaining({ status: 130 }),
    );
    // Nothing is collected while the sweep goes on.
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

  const context = {
    out: () => {},
    progress: { update: () => {}, line: () => {}, note: () => {}, end: () => {} },
    signal: new AbortController().signal,
    root: resolve('.'),
  };
  const SPEC = { preset: 'smoke', axes: [{ option: 'lr', values: [0.1] }], seeds: [1] };
  const submit = (...more: string[]) => submitOf(SPEC, ...more);
  const submitOf = (sweep: object, ...more: string[]) => {
    const spec = join(root, 'spec.json');
    writeFileSync(spec, JSON.stringify(sweep));
    return sweepSubmit.run([spec, '--out', join(root, 'out'), ...more], context);
  };
  const [before, program] = [process.env.PATH, process.argv[1]];
  beforeEach(() => {
    mkdirSync(join(root, 'program'));
    writeFileSync(join(root, 'program', 'main.mjs'), '// the lab');
    process.argv[1] = join(root, 'program', 'main.mjs');
  });
  afterEach(() => {
    process.env.PATH = before;
    process.argv[1] = program;
  });

  it('that accepts a job gives its number, and a refusal is quoted', async () => {
    expect(await withSbatch('test "$2" = --dependency=afterany:17 && echo "42;cluster"')).toBe('42');
    const refused = await withSbatch('echo "sbatch: error: invalid partition specified: gold" >&2; exit 1').catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(SlurmError);
    expect((refused as SlurmError).message).toBe('sbatch refused: sbatch: error: invalid partition specified: gold');
    await expect(withSbatch('echo queued')).rejects.toThrow(/no job’s number/);
  });

  it('is asked nothing with flags that it would not take', async () => {
    await expect(submit('--time', 'soon')).rejects.toThrow(/--time soon/);
    await expect(submit('--time', '1')).rejects.toThrow(/--time 1 /);
    await expect(submit('--mem', 'lots')).rejects.toThrow(/--mem lots/);
    await expect(submit('--partition', 'a;b')).rejects.toThrow(/--partition a;b/);
    for (const option of ['--array=0-9', '--arr=0-9', '-a0-9', '-a 0-9', '-o/dev/null', '--open-mode=truncate', '--'])
      await expect(submit('--sbatch', option)).rejects.toThrow(`--sbatch ${option}: the lab sets this one itself`);
    await expect(submit('--sbatch', 'lab')).rejects.toThrow(/begins with -/);
    expect(sbatchOptions(' --account=lab  --gres gpu:1 -A x ')).toEqual(['--account=lab', '--gres gpu:1', '-A x']);
  });

  it('is asked first what its nodes have, and what no node has is refused with the numbers', () => {
    const all = partitionsOf('main*|2|4000|infinite\nmain*|64|256000|infinite\nshort|8|16000|1:00:00\nbroken|x|y|z\n');
    const ask = (cpus: number, mem: string, time: string, partition: string | null = null) =>
      refuseTooLarge({ cpus, mem, time, partition }, all);
    expect(() => ask(64, '200G', '90')).not.toThrow();
    expect(() => ask(65, '1G', '90')).toThrow(/--cpus 65: a node of the partition main has at most 64/);
    expect(() => ask(1, '1T', '90')).toThrow(/--mem 1T: a node of the partition main has at most 256000M/);
    expect(() => ask(1, '1G', '90', 'short')).toThrow(/--time 90: the partition short ends jobs after 60 minutes/);
    expect(() => ask(1, '1G', '90', 'gold')).toThrow(/has no partition gold/);
  });

  /** Slurm's commands as shell scripts. */
  const cluster = (programs: Readonly<Record<string, string>>) => {
    for (const [name, body] of Object.entries(programs)) {
      writeFileSync(join(root, name), `#!/bin/sh\n${body}\n`);
      chmodSync(join(root, name), 0o755);
    }
    process.env.PATH = `${root}:/usr/bin:/bin`;
  };
  const SINFO = 'echo "main*|64|256000|infinite"';

  it('that refuses a sweep leaves no folder of it', async () => {
    cluster({ sinfo: SINFO, sbatch: 'echo "invalid account" >&2; exit 1' });
    await expect(submit()).rejects.toThrow(/sbatch refused: invalid account/);
    expect(existsSync(join(root, 'out'))).toBe(false);
  });

  it('gets two tasks for a run with a stop rule: up to its step, and from there', async () => {
    cluster({ sinfo: SINFO, sbatch: 'echo 42' });
    const arrayOf = () => /^#SBATCH --array=(.*)$/m.exec(readFileSync(join(root, 'out', 'slurm', 'array.sh'), 'utf8'));
    await submitOf({ ...SPEC, overrides: { steps: 4 }, stop: { rule: 'median', after: 2 } });
    expect(arrayOf()?.[1]).toBe('0-1');
  });

  it('is not given a sweep twice without a word, and says what became of its jobs', async () => {
    cluster({
      sinfo: SINFO,
      sbatch: `echo $(( $(ls ${root}/asked 2>/dev/null | wc -l) + 40 )); mkdir -p ${root}/asked; touch ${root}/asked/$$`,
      squeue: 'echo "40_[0-0]|PENDING|Resources"',
    });
    await submit('--sbatch', '--account=lab', '--setup', 'module load node');
    await expect(submit()).rejects.toThrow(/submitted already: 0 tasks are running and 1 wait/);
    // Earlier options for the cluster are kept.
    await submit('--add');
    const script = readFileSync(join(root, 'out', 'slurm', 'array.sh'), 'utf8');
    expect(script).toMatch(/^#SBATCH --account=lab$/m);
    expect(script).toMatch(/^module load node$/m);
    // The program is the folder's own, since builds of the checkout come and go.
    const [program] = /'[^']*main\.mjs'/.exec(script) ?? [''];
    expect(program).toContain(join(root, 'out', 'slurm', 'lab-program'));
    expect(readFileSync(program.slice(1, -1), 'utf8')).toBe('// the lab');

    // Later the scheduler knows of none; one task left its exit code.
    cluster({ squeue: 'exit 1' });
    mkdirSync(join(root, 'out', 'slurm', 'ended'), { recursive: true });
    writeFileSync(join(root, 'out', 'slurm', 'ended', '40_0'), '1\n');
    writeFileSync(join(root, 'out', 'slurm', 'ended', '41'), '0\n');
    writeFileSync(join(root, 'out', 'slurm', '40_0.log'), 'Error: Cannot find module x\n\nNode.js v20\n');
    const sentences: string[] = [];
    const code = await sweepStatus.run([join(root, 'out')], { ...context, out: (text) => void sentences.push(text) });
    expect(code).toBe(1);
    expect(sentences.join()).toMatch(
      /Slurm: 0 jobs running, 0 pending, 1 failed\.\n {2}40_0 {2}FAILED {2}exit code 1: Error: Cannot find module x: see/,
    );
    expect(sentences.join()).toMatch(/No worker is at work and no job is queued/);
    expect((await jobStates(join(root, 'out')))?.failed).toHaveLength(1);
  });

  it('that calls a stopped worker’s job failed is not believed: the job’s own exit code is', async () => {
    cluster({ sinfo: SINFO, sbatch: 'echo 40', squeue: 'exit 1' });
    await submit();
    cluster({
      squeue: 'printf "40_0|FAILED|NonZeroExitCode\\n40_1|FAILED|NonZeroExitCode\\n40_2|OUT_OF_MEMORY|OutOfMemory\\n"',
    });
    mkdirSync(join(root, 'out', 'slurm', 'ended'), { recursive: true });
    for (const [job, code] of Object.entries({ '40_0': 130, '40_1': 137, '40_2': 143 }))
      writeFileSync(join(root, 'out', 'slurm', 'ended', job), `${code}\n`);
    expect((await jobStates(join(root, 'out')))?.failed.map(({ job }) => job)).toEqual(['40_1', '40_2']);
  });

  it.each([['slurm/jobs.json'], ['slurm/options.json'], ['queue.json'], ['code.json']])(
    'is asked nothing where %s was changed: the file is named',
    async (name) => {
      cluster({ sinfo: SINFO, sbatch: 'echo 40', squeue: 'exit 1' });
      await submit();
      const file = join(root, 'out', name);
      writeFileSync(file, '{"schema": 1, "jobs": [1], "codes": []}');
      const ask = async () => {
        await sweepStatus.run([join(root, 'out')], context);
        await submit();
      };
      await expect(ask()).rejects.toThrow(SweepError);
      await expect(ask()).rejects.toThrow(`${file} cannot be read.`);
    },
  );

  it.each([
    ['12_3', 1],
    ['12_[0-2,7%2]', 4],
    ['12_[5]', 1],
  ])('that says %s means so many tasks', (job, tasks) => {
    expect(tasksIn(job)).toBe(tasks);
  });
});
