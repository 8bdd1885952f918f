// `sweep` in one process: a folder that is worked off, continued, cancelled; other code; a run that fails; a disk that fills. Workers in
// processes of their own, and their deaths: scripts/tool/sweep.test.mjs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sealJson } from '@projected-grpo-lab/base/files/sealed.ts';
import { disk } from '@projected-grpo-lab/base/files/testing/full-disk.ts';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { StepRow } from '../../experiments/records/events.ts';
import { studyId } from '../../experiments/runs/runner.ts';
import { StorageError } from '../../storage/kv.ts';
import type { Command } from '../command.ts';
import { devices } from '../devices.ts';
import { sweepCollect } from './collect.ts';
import { type Failure, SweepFolder, weightOf } from './folder.ts';
import { sweepReport } from './report.ts';
import { sweepPlan, sweepRun } from './run.ts';
import { sweepCancel, sweepLogs, sweepStatus } from './status.ts';
import { sweepWorker } from './worker.ts';

const code = vi.hoisted(() => ({ hash: null as string | null }));
vi.mock('../code-hash.ts', () => ({ codeHash: () => code.hash }));
vi.mock('node:fs/promises', async (load) =>
  (await import('@projected-grpo-lab/base/files/testing/full-disk.ts')).withFullDisk(await load()),
);

const SPEC = {
  preset: 'smoke',
  arm: 'none',
  overrides: { environment: 'arithmetic', steps: 2, evalEvery: 0, finalEvalProblems: 4, checkpointEvery: 1 },
  axes: [{ option: 'lr', values: [0.01, 0.03] }],
  seeds: [41],
};
let root: string;
let spec: string;
let reference: string;
const at = (...parts: string[]) => join(root, ...parts);

async function call(command: Command, argv: string[], note: (line: string) => void = () => {}) {
  const printed: string[] = [];
  const code = await command.run(argv, {
    out: (text) => void printed.push(text),
    progress: { update: () => {}, line: () => {}, note, end: () => {} },
    signal: new AbortController().signal,
    root: resolve('.'),
  });
  return { code, text: printed.join('\n') };
}
/** Key of a run, in the reference's form. */
const keyOf = (lr: number): string =>
  reference
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find((line) => line.configuration.lr === lr).key;
const train = (out: string, note?: (line: string) => void, ...more: string[]) =>
  call(sweepRun, [spec, '--out', at(out), '--threads', '1', ...more], note);
async function results(out: string): Promise<string> {
  await call(sweepCollect, [at(out)]);
  return readFileSync(at(out, 'results.jsonl'), 'utf8');
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sweep-'));
  spec = at('spec.json');
  await writeFile(spec, JSON.stringify(SPEC));
  expect((await train('reference')).code).toBe(0);
  reference = await results('reference');
});
afterAll(() => rm(root, { recursive: true, force: true }));

it('trains every configuration and seed once, and has nothing to do the second time', async () => {
  const lines = reference
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ configuration, seed }) => [configuration.lr, seed])).toEqual([
    [0.01, 41],
    [0.03, 41],
  ]);
  for (const { rows, evals } of lines) expect([rows.length, evals.length > 0]).toEqual([2, true]);
  expect(new Set(lines.map(({ digest }) => digest)).size).toBe(2);
  expect(reference).not.toMatch(/createdAt|timings|tokensPerSecond/);
  expect(readFileSync(at('reference', 'results.csv'), 'utf8').split('\n')[0]).toMatch(/^lr,seed,steps,solve,/);
  const notes: string[] = [];
  expect((await train('reference', (line) => void notes.push(line))).text).toContain('2 of 2 runs are done');
  expect(notes.join('\n')).toMatch(
    /2 configurations × 1 seed: 2 runs, ranked by solve.*\n.*one worker.*\nMemory: about.*\nDevice: CPU \(WASM SIMD\)\./,
  );
  expect(notes.filter((line) => line.includes('seed 41'))).toEqual([]);
  expect(readdirSync(at('reference', 'claims'))).toEqual([]);
  const { text } = await call(sweepLogs, [at('reference')]);
  expect(text.match(/finished by/g)).toHaveLength(2);
});

it('gives every step as a table that a published reader reads, under TRL’s names', async () => {
  const file = readFileSync(at('reference', 'steps.parquet'));
  const table = await parquetReadObjects({ file: new Uint8Array(file).buffer });
  const rows = reference
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .flatMap((run) => run.rows.map((row: StepRow) => ({ ...run, row })));
  expect(table).toHaveLength(4);
  for (const [i, { key, configuration, row }] of rows.entries())
    expect(table[i]).toMatchObject({
      run: key,
      'option/lr': configuration.lr,
      seed: 41,
      step: row.step,
      reward: row.reward,
      kl: null,
      reward_std: row.rewardStd,
      grad_norm: row.gradNorm,
      learning_rate: row.lr,
      'completions/mean_length': row.completionMeanLength,
      'student/solve': row.student.figures.solve,
    });
});

it('reads a folder of a lab whose queue had guests, sealed and unsealed, and goes on with it', async () => {
  await cp(at('reference'), at('guests'), { recursive: true });
  const [sealed, plain] = readdirSync(at('guests', 'runs')).map((name) => at('guests', 'runs', name));
  const { sha256: _, ...run } = JSON.parse(readFileSync(sealed, 'utf8'));
  await writeFile(sealed, await sealJson({ ...run, by: 'worker-1a2b3c4d' }));
  const { sha256: __, commit: ___, ...other } = JSON.parse(readFileSync(plain, 'utf8'));
  await writeFile(plain, JSON.stringify({ ...other, by: 'worker-1a2b3c4d' }));
  expect((await train('guests')).text).toContain('2 of 2 runs are done');
  expect(await results('guests')).toBe(reference);
});

it('computes on what `lab devices` says that auto takes, and says so in the plan', async () => {
  const auto = at('auto.json');
  await writeFile(auto, JSON.stringify({ ...SPEC, axes: [{ option: 'lr', values: [0.01] }], device: 'auto' }));
  const { auto: taken } = JSON.parse((await call(devices, ['--json'])).text);
  expect((await call(sweepPlan, [auto])).text).toContain(`Device: auto, which on this machine is ${taken.name};`);
  expect((await call(sweepPlan, [spec])).text).toContain('Device: CPU (WASM SIMD).');
  await call(sweepRun, [auto, '--out', at('auto'), '--threads', '1']);
  expect(JSON.parse(await results('auto')).device).toBe(taken.name);
});

it('refuses another sweep’s folder, and one with other things, and changes nothing', async () => {
  const other = at('other.json');
  await writeFile(other, JSON.stringify({ ...SPEC, seeds: [43] }));
  await expect(call(sweepRun, [other, '--out', at('reference')])).rejects.toThrow(/has another sweep/);
  await expect(call(sweepRun, [other, '--out', root])).rejects.toThrow(/holds other things/);
  await expect(call(sweepWorker, [at('nowhere')])).rejects.toThrow(/has no sweep/);
  expect(existsSync(at('nowhere'))).toBe(false);
  await writeFile(other, '{"axes": ');
  await expect(call(sweepPlan, [other])).rejects.toThrow(/is not JSON/);
  await writeFile(other, JSON.stringify({ ...SPEC, overrides: { environment: 'arithmetic', model: 'mine' } }));
  await expect(call(sweepPlan, [other])).rejects.toThrow(/the model mine is not one of the lab’s own/);
  await expect(call(sweepPlan, [root])).rejects.toThrow(/is a folder, and no sweep’s file/);
  for (const [overrides, words] of [
    [{ teacherPool: 'a'.repeat(64) }, /it needs the teacher pool a{12}, which is not in a sweep’s folder/],
    [{ pairSet: `pairs:${'b'.repeat(64)}` }, /it needs the pair set pairs:b{12}/],
  ] as const) {
    await writeFile(other, JSON.stringify({ ...SPEC, overrides }));
    await expect(call(sweepPlan, [other])).rejects.toThrow(words);
  }
});

it('sets nothing apart for the failures of one worker, however often it tries', async () => {
  await mkdir(at('broken', 'checkpoints'), { recursive: true });
  await writeFile(at('broken', 'checkpoints', `${await studyId(keyOf(0.01))}-none-41`), 'no checkpoint');
  await writeFile(at('broken', 'sweep.json'), readFileSync(at('reference', 'sweep.json')));
  for (let tries = 0; tries < 4; tries++) expect((await call(sweepWorker, [at('broken')])).code).toBe(1);
  const { text } = await call(sweepStatus, [at('broken')]);
  expect(text).toContain('1 of 2 runs are done, 0 at work, 1 waiting, 0 set apart.');
});

describe('a stop rule', () => {
  const RULE = { ...SPEC, overrides: { ...SPEC.overrides, steps: 4, checkpointEvery: 3 } };
  const AXES = [{ option: 'lr', values: [0.01, 0.1, 0.3] }];
  const linesOf = async (out: string) =>
    (await results(out))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const isStopped = ({ stopped }: { stopped?: object }) => stopped !== undefined;
  let ruled: string;
  let expected: string;
  const follow = (out: string, ...more: string[]) =>
    call(sweepRun, [ruled, '--out', at(out), '--threads', '1', ...more]);

  beforeAll(async () => {
    ruled = at('ruled.json');
    const plain = at('plain.json');
    await writeFile(plain, JSON.stringify({ ...RULE, axes: AXES }));
    await writeFile(ruled, JSON.stringify({ ...RULE, axes: AXES, stop: { rule: 'median', after: 2 } }));
    await call(sweepRun, [plain, '--out', at('plain'), '--threads', '1']);
    expect((await follow('ruled')).code).toBe(0);
    expected = await results('ruled');
  });

  it('stops runs below the median at its step, with a checkpoint, and does not change the others', async () => {
    const [whole, lines] = [await linesOf('plain'), await linesOf('ruled')];
    expect(lines.map(isStopped)).toEqual([false, false, true]);
    for (const [i, line] of lines.entries()) {
      if (!isStopped(line)) expect(line).toEqual(whole[i]);
      else expect([line.rows, line.evals]).toEqual([whole[i].rows.slice(0, 2), []]);
    }
    const { interim, median, step } = lines[2].stopped;
    expect([step, interim < median]).toEqual([2, true]);
    expect(readdirSync(at('ruled', 'checkpoints'))).toHaveLength(1);
    expect(readdirSync(at('ruled', 'runs'))).toHaveLength(2);
    // The checkpoint is at that very step, though the spec's own are every third.
    const { id } = JSON.parse((await call(sweepStatus, [at('ruled'), '--json'])).text).stopped[0];
    expect(readFileSync(at('ruled', 'logs', `${id}.log`), 'utf8')).toMatch(/checkpoint at step 2\nleft by .*\n$/);
  });

  it('is reported by plan, status, logs, report and tables, with the reason', async () => {
    const reason = /stopped early at step 2: interim 0\.\d+, median 0\.\d+/;
    expect((await call(sweepPlan, [ruled])).text).toContain(
      'It saves 0 of 12 steps at least (all alike), 2 at most (half of the configurations)',
    );
    const { text } = await call(sweepStatus, [at('ruled')]);
    expect(text).toMatch(/^3 of 3 runs are done, 0 at work, 0 waiting, 0 set apart\.\n1 of them were stopped early/);
    expect(text).toMatch(reason);
    const { stopped } = JSON.parse((await call(sweepStatus, [at('ruled'), '--json'])).text);
    expect(stopped).toEqual([expect.objectContaining({ step: 2, id: expect.stringMatching(/^[0-9a-f]{16}$/) })]);
    expect((await call(sweepLogs, [at('ruled')])).text.match(new RegExp(reason, 'g'))).toHaveLength(1);
    const report = await call(sweepReport, [at('ruled')]);
    expect(report.text).toMatch(/3 of 3 runs are done.*stop rule, and had it before the first run.*1 of 3 conf/s);
    expect(report.text).toMatch(/\| lr 0\.3 \| stopped early at step 2/);
    const csv = readFileSync(at('ruled', 'results.csv'), 'utf8').trim().split('\n');
    expect([csv[0], csv[3]]).toEqual([expect.stringMatching(/,device,stopped,key$/), expect.stringMatching(reason)]);
    const file = readFileSync(at('ruled', 'steps.parquet'));
    const table = await parquetReadObjects({ file: new Uint8Array(file).buffer });
    expect(table.map((row) => /early/.test(row['option/stopped']))).toEqual([...Array(8).fill(false), true, true]);
  });

  it('comes to the same bytes when every piece is another worker’s, and each is one task of a cluster', async () => {
    await mkdir(at('pieces'));
    await writeFile(at('pieces', 'sweep.json'), readFileSync(at('ruled', 'sweep.json')));
    const left = async () => (await (await SweepFolder.open(at('pieces'))).state()).left.length;
    let pieces = 0;
    for (; (await left()) > 0; pieces++) await call(sweepWorker, [at('pieces'), '--runs', '1', '--threads', '1']);
    // Three runs go up to the rule's step, two on from there.
    expect(pieces).toBe(5);
    expect(await results('pieces')).toBe(expected);
  });

  it('goes on after a kill between a checkpoint and its word, and after lost files, to the same bytes', async () => {
    await cp(at('ruled'), at('killed'), { recursive: true });
    await rm(at('killed', 'interim'), { recursive: true });
    const [finished] = readdirSync(at('killed', 'runs'));
    await rm(at('killed', 'runs', finished));
    expect((await follow('killed')).code).toBe(0);
    expect(await results('killed')).toBe(expected);
    const logs = readdirSync(at('killed', 'logs')).map((name) => readFileSync(at('killed', 'logs', name), 'utf8'));
    // The stopped run is at the rule's step: it is claimed once more, but not trained again.
    const stopped = logs.find((log) => !log.includes('step 4/4')) ?? '';
    expect([stopped.match(/taken by/g)?.length, stopped.match(/step 2\/4/g)?.length]).toEqual([2, 1]);
  });

  it('is refused for a queue, before anything is written', async () => {
    await expect(follow('queued', '--queue', 'redis://127.0.0.1:1')).rejects.toThrow(/A stop rule is for folders/);
    expect(existsSync(at('queued'))).toBe(false);
  });

  it('is what the folder was begun with: another one, or none, is another sweep', async () => {
    const other = at('other-rule.json');
    for (const stop of [{ rule: 'median', after: 3 }, undefined]) {
      await writeFile(other, JSON.stringify({ ...RULE, axes: AXES, stop }));
      await expect(call(sweepRun, [other, '--out', at('ruled')])).rejects.toThrow(/has another sweep/);
    }
  });
});

describe('other code', () => {
  const [OWN, OTHER] = ['0123456789abcdef', 'fedcba9876543210'];
  const asCode = async <T>(hash: string | null, work: () => Promise<T>): Promise<T> => {
    code.hash = hash;
    try {
      return await work();
    } finally {
      code.hash = null;
    }
  };
  /** A folder whose runs are half done by OWN. */
  async function begun(out: string): Promise<void> {
    await asCode(OWN, async () => {
      await train(out);
      const [run] = readdirSync(at(out, 'runs'));
      await rm(at(out, 'runs', run));
    });
  }

  it('is refused, naming who and both, by the folder and its workers, and changes nothing', async () => {
    await begun('refused');
    const before = readdirSync(at('refused'), { recursive: true }).sort();
    const words = new RegExp(`:${process.pid} has code ${OTHER}.*was begun with code ${OWN}`);
    await asCode(OTHER, async () => {
      await expect(train('refused')).rejects.toThrow(words);
      await expect(call(sweepWorker, [at('refused')])).rejects.toThrow(words);
    });
    expect(readdirSync(at('refused'), { recursive: true }).sort()).toEqual(before);
    await asCode(OWN, () => train('refused'));
    expect(await results('refused')).toBe(reference);
  });

  it('is allowed by a flag, and then reported by status, report, rows and tables', async () => {
    await begun('mixed');
    const notes: string[] = [];
    const { text } = await asCode(OTHER, () => train('mixed', (line) => void notes.push(line), '--other-code'));
    const told = /Runs were made by different code \(1 of code \w+ .*, 1 of code \w+ /;
    expect([notes.join('\n'), text]).toEqual([
      expect.stringContaining('is allowed beside'),
      expect.stringMatching(told),
    ]);
    // Another helper needs no flag.
    expect((await asCode(OTHER, () => call(sweepWorker, [at('mixed')]))).code).toBe(0);
    const rows = (await results('mixed')).trim().split('\n');
    expect(rows.map((row) => JSON.parse(row).code).sort()).toEqual([OWN, OTHER].sort());
    expect(readFileSync(at('mixed', 'results.csv'), 'utf8')).toMatch(/,device,code,key\n/);
    expect((await call(sweepReport, [at('mixed')])).text).toMatch(told);
    const status = JSON.parse((await call(sweepStatus, [at('mixed'), '--json'])).text);
    expect(status.codes).toHaveLength(2);
    const file = readFileSync(at('mixed', 'steps.parquet'));
    const table = await parquetReadObjects({ file: new Uint8Array(file).buffer });
    expect(new Set(table.map((row) => row['option/code']))).toEqual(new Set([OWN, OTHER]));
    expect(new Set(table.map(({ run }) => run)).size).toBe(2);
  });

  it('goes on with a folder of a lab that did not say its code, and with its runs says so', async () => {
    await cp(at('reference'), at('before'), { recursive: true });
    const [run] = readdirSync(at('before', 'runs'));
    await rm(at('before', 'runs', run));
    const notes: string[] = [];
    const { text } = await asCode(OWN, () => train('before', (line) => void notes.push(line)));
    expect(notes.join('\n')).toContain(`does not say which code made its runs; from here on it is code ${OWN}`);
    expect(text).toContain('1 of unknown code');
    await expect(asCode(OTHER, () => train('before'))).rejects.toThrow(/has code/);
  });

  it('begins a run again that other code left in the middle', async () => {
    const kept = { schema: 1, runId: 'left', step: 1, optimizer: { total: new Float32Array(1) }, rows: [], evals: [] };
    const saved = (hash: string | null) =>
      asCode(hash, async () => (await SweepFolder.open(at('reference'))).store().checkpoints.save(kept as never));
    const found = (hash: string | null) =>
      asCode(hash, async () => (await SweepFolder.open(at('reference'))).store().checkpoints.load('left'));
    await saved(OWN);
    expect([(await found(OWN))?.step, await found(OTHER)]).toEqual([1, null]);
    // A lab that did not record its code left it.
    await saved(null);
    expect((await found(OTHER))?.step).toBe(1);
    await rm(at('reference', 'checkpoints'), { recursive: true });
  });
});

it('reports a full disk, loses nothing, and continues to the same bytes', async () => {
  let begun = 0;
  const fill = (line: string) => {
    if (line.includes('seed ') && ++begun === 2) disk.isFull = true;
  };
  const refused = await train('full', fill).catch((error: unknown) => error);
  disk.isFull = false;
  expect(refused).toBeInstanceOf(StorageError);
  expect((refused as StorageError).message).toMatch(/the disk is full/);
  expect(readdirSync(at('full', 'claims'))).toEqual([]);
  expect(readdirSync(at('full', 'runs'))).toHaveLength(1);
  expect(readdirSync(at('full', 'failures'))).toEqual([]);
  await train('full');
  expect(await results('full')).toBe(reference);
});

it('is cancelled at the next step, and gone on with', async () => {
  let begun = 0;
  const stopped = train('cancelled', (line) => {
    if (line.includes('seed ') && ++begun === 2) void call(sweepCancel, [at('cancelled')]);
  });
  await expect(stopped).rejects.toThrow(/is cancelled/);
  const status = JSON.parse((await call(sweepStatus, [at('cancelled'), '--json'])).text);
  expect(status).toMatchObject({ open: 2, atWork: [], setApart: [], isCancelled: true });
  expect(status.done).toBeLessThan(2);
  // The computed steps are kept, and the log says how many. A run of two steps may be in its final evaluation by then.
  const logs = readdirSync(at('cancelled', 'logs')).map((name) => readFileSync(at('cancelled', 'logs', name), 'utf8'));
  expect(logs.join()).toMatch(
    /left by .*: stopped in (step \d+ of \d+|the final evaluation); checkpoint at step [1-9]/,
  );
  await expect(call(sweepWorker, [at('cancelled')])).rejects.toThrow(/is cancelled/);
  await train('cancelled');
  expect(await results('cancelled')).toBe(reference);
});

describe('failures', () => {
  const lost = (step: number): Failure => ({ schema: 1, kind: 'lost', worker: 'w', step, message: '' });
  it('count deaths of workers only where the run got no further', () => {
    expect(weightOf([lost(0), lost(3), lost(5)])).toBe(0);
    expect(weightOf([lost(0), lost(0), lost(0), lost(0)])).toBe(3);
    expect(weightOf([{ ...lost(1), kind: 'error' }, lost(2), lost(2)])).toBe(2);
    const error = (worker: string): Failure => ({ ...lost(1), kind: 'error', worker });
    expect(weightOf([error('a'), error('a'), error('a'), error('b')])).toBe(2);
  });
});
