// Tests teacher pools through the worker's own handlers: written by the model, stored by content, exported and imported with one hash, used
// by a run, included in its archive.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { EngineLanguageModel } from '../../engine/language-model.ts';
import { poolToJsonl } from '../../environments/code/pool.ts';
import { type ExperimentSpec, parseExperimentSpec } from '../../experiments/config/spec.ts';
import { TEACHER_WORDS } from '../../experiments/kinds/probe/spec.ts';
import { buildPool, parsePoolBuild } from '../../experiments/pools/build.ts';
import { memoryStores } from '../../storage/kv.ts';
import { sha256 } from '../../storage/sources.ts';
import type { PoolFormat, WorkerEvent } from '../protocol/protocol.ts';
import { closeTestWorkers, openTestWorker } from '../testing/worker.ts';

afterEach(closeTestWorkers);

const worker = async (stores = memoryStores()) => openTestWorker(await stores);

const build = parsePoolBuild({ problems: 8, samples: 2, maxNew: 10 });
const base = { task: 'a', teacher: { kind: 'base' }, build } as const;
const small = {
  steps: 1,
  maxNew: 8,
  problems: 8,
  evalProblems: 2,
  finalEvalProblems: 2,
  pairs: 8,
  k: 2,
  promptsPerStep: 4,
};
const spec = (overrides: ExperimentSpec['overrides'] = {}) =>
  parseExperimentSpec({ preset: 'smoke', arms: ['route'], device: 'cpu', overrides: { ...small, ...overrides } });
const done = (id: string) => (event: WorkerEvent) =>
  event.type === 'experiment' && event.summary.id === id && !['waiting', 'running'].includes(event.summary.status);

describe('a pool that is built here', () => {
  it('is what the model writes, reported as it grows, and stored with its teacher, counts and grader', async () => {
    const { ask, events, equipment } = await worker();
    const report = await ask('buildPool', base);
    const { policy, codec, grader } = await equipment.open('cpu');
    const teacher = new EngineLanguageModel({ id: 'tiny', policy, adapterParams: policy.initialAdapterParams, codec });
    const stream = buildPool(build, { teacher, grader });
    let next = await stream.next();
    while (!next.done) next = await stream.next();
    const lines = poolToJsonl(next.value);
    expect(report).toMatchObject({
      sha256: await sha256(new TextEncoder().encode(lines)),
      origin: 'model',
      teacher: 'tiny-coder as it is',
      graderVersion: grader.version,
      rows: 8,
      problems: 4,
      withLogprobs: 8,
    });
    expect(poolToJsonl(await ask('loadPool', { id: report.id }))).toBe(lines);
    const progress = events.flatMap((event) => (event.type === 'pool' ? [event] : []));
    expect(progress.map(({ task, done, total }) => [task, done, total])).toEqual([
      ['a', 0, 8],
      ['a', 8, 8],
    ]);
    expect([progress[0].etaSeconds, progress[1].etaSeconds]).toEqual([null, 0]);
    // An equal request gives the same pool.
    expect(await ask('buildPool', base)).toEqual(report);
    expect(await ask('listPools')).toEqual([report]);
  });

  it('is what the embedded ONNX teacher writes, stored under its name', async () => {
    const { ask, events } = await worker();
    const asked = { ...base, task: 'onnx', teacher: { kind: 'onnx' as const }, build: { ...build, maxNew: 72 } };
    const report = await ask('buildPool', asked);
    expect(report).toMatchObject({ origin: 'model', teacher: TEACHER_WORDS, rows: 8, withLogprobs: 8 });
    // The test lab's model is untrained, so all hacks are the teacher's.
    expect(report.exploited).toBeGreaterThan(0);
    expect(events.filter((event) => event.type === 'pool').map(({ done, total }) => [done, total])).toEqual([
      [0, 8],
      [8, 8],
    ]);
    expect(await ask('buildPool', asked)).toEqual(report);
    const stopped = ask('buildPool', { ...asked, task: 's', build: { ...asked.build, samples: 64 } });
    stopped.catch(() => {});
    while (!(await ask('stopTask', { task: 's' })).stopped) await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(stopped).rejects.toBeInstanceOf(StoppedError);
    expect(await ask('listPools')).toEqual([report]);
  });

  it('has one hash in every format of export and import', async () => {
    const { ask } = await worker();
    const built = await ask('buildPool', base);
    const { ask: elsewhere } = await worker();
    for (const format of ['jsonl', 'jsonl.gz', 'zip'] satisfies PoolFormat[]) {
      const file = await ask('exportPool', { id: built.id, format });
      const name = `p.${format}`;
      const imported =
        format === 'zip'
          ? await elsewhere('importArchive', { file, name })
          : await elsewhere('importPool', { files: [{ file, name }] });
      const report = 'kind' in imported ? (imported.kind === 'pool' ? imported.report : null) : imported;
      expect(report).toMatchObject({ sha256: built.sha256, graderVersion: built.graderVersion, withLogprobs: 8 });
      expect(await elsewhere('loadPool', { id: report!.id })).toEqual(await ask('loadPool', { id: built.id }));
    }
    expect(await elsewhere('listPools')).toHaveLength(1);
  });

  it('can come from a run’s last checkpoint, whole or deployed, or be the templates that a run would use', async () => {
    const { ask, until, session } = await worker();
    await ask('start', { id: 'one', spec: spec({ steps: 2, lr: 0.5, warmupFrac: 0 }) });
    await until(done('one'));
    await expect.poll(() => session.isBusy).toBe(false);
    const runId = 'one/route/41';
    const written = [];
    for (const model of ['trained', 'deployed'] as const) {
      const report = await ask('buildPool', { task: model, teacher: { kind: 'run', runId, model }, build });
      expect(report.teacher).toBe(`tiny-coder after route, seed 41, step 2${model === 'deployed' ? ', deployed' : ''}`);
      written.push(report.sha256);
    }
    written.push((await ask('buildPool', base)).sha256);
    expect(new Set(written).size).toBe(3);
    const before = await ask('listPools');
    const templates = await ask('buildPool', { task: 't', teacher: { kind: 'templates' }, build });
    expect(templates).toMatchObject({ origin: 'built', teacher: null, rows: 20, problems: 4 });
    // The run had stored them already.
    expect(await ask('listPools')).toEqual(before);
    const unknown = { kind: 'run', runId: 'no/such/1', model: 'trained' } as const;
    await expect(ask('buildPool', { task: 'u', teacher: unknown, build })).rejects.toThrow(/no\/such/);
  });

  it('can come from a LoRA run’s checkpoint: the model is loaded with that adapter, on the same base', async () => {
    const { ask, until, session } = await worker();
    const before = await ask('buildPool', base);
    await ask('start', { id: 'lora', spec: spec({ steps: 2, warmupFrac: 0, lr: 0.5, adapter: 'lora', loraRank: 2 }) });
    expect(await until(done('lora'))).toMatchObject({ summary: { status: 'done' } });
    await expect.poll(() => session.isBusy).toBe(false);
    expect(await ask('buildPool', base)).toEqual(before);
    const teacher = { kind: 'run', runId: 'lora/route/41', model: 'trained' } as const;
    const report = await ask('buildPool', { task: 'l', teacher, build });
    expect(report.sha256).not.toBe(before.sha256);
  });

  it('is stopped on request and by an experiment, and refused while one runs', async () => {
    const { ask, events, until } = await worker();
    const long = { ...base, build: { ...build, problems: 64, samples: 8 } };
    const begun = (task: string) =>
      expect.poll(() => events.some((event) => event.type === 'pool' && event.task === task)).toBe(true);
    const stopped = ask('buildPool', { ...long, task: 's' });
    const outcome = expect(stopped).rejects.toBeInstanceOf(StoppedError);
    await begun('s');
    expect(await ask('stopTask', { task: 's' })).toEqual({ stopped: true });
    await outcome;
    expect(await ask('stopTask', { task: 's' })).toEqual({ stopped: false });

    const displaced = expect(ask('buildPool', { ...long, task: 'd' })).rejects.toBeInstanceOf(StoppedError);
    await begun('d');
    await ask('start', { id: 'one', spec: spec({ steps: 3 }) });
    await displaced;
    await expect(ask('buildPool', base)).rejects.toBeInstanceOf(SpecError);
    expect(await until(done('one'))).toMatchObject({ summary: { status: 'done' } });
    expect((await ask('listPools')).every(({ origin }) => origin === 'built')).toBe(true);
  });
});

describe('a pool that a run names', () => {
  it('is its teacher, and is in its archive; without it the run is refused', async () => {
    const { ask, until, records } = await worker();
    const pool = await ask('buildPool', base);
    const named = spec({ teacherPool: pool.sha256 });
    await ask('start', { id: 'one', spec: named });
    expect(await until(done('one'))).toMatchObject({ summary: { status: 'done' } });
    const [run] = await records.runs(await records.experiment('one'));
    expect(run.teacherPool).toMatchObject({ sha256: pool.sha256, rows: 8, problems: 4, cut: expect.any(Number) });
    const { rollouts } = await ask('rollouts', { runId: run.id, step: 1 });
    const texts = new Set((await ask('loadPool', { id: pool.id })).map(({ completion }) => completion));
    const teachers = rollouts.filter(({ source }) => source === 'teacher');
    expect(teachers.length).toBeGreaterThan(0);
    expect(teachers.every(({ turns }) => texts.has(turns[0].completion))).toBe(true);

    const zip = await ask('kept.export', { kind: 'run', id: 'one' });
    const { ask: elsewhere, until: untilElsewhere } = await worker();
    await elsewhere('start', { id: 'early', spec: named });
    expect(await untilElsewhere(done('early'))).toMatchObject({
      summary: { status: 'failed', error: { message: expect.stringContaining(pool.sha256) } },
    });
    expect(await elsewhere('importArchive', { file: zip, name: 'one.zip' })).toMatchObject({ kind: 'run' });
    const imported = (await elsewhere('listPools')).filter(({ sha256 }) => sha256 === pool.sha256);
    expect(imported).toMatchObject([{ origin: 'file', graderVersion: pool.graderVersion, rows: 8 }]);
    const again = await elsewhere('kept.export', { kind: 'run', id: 'one' });
    expect(await sha256(again)).toBe(await sha256(zip));
    await elsewhere('start', { id: 'two', spec: named });
    expect(await untilElsewhere(done('two'))).toMatchObject({ summary: { status: 'done' } });
    const there = (await elsewhere('kept.load', { kind: 'run', id: 'two' })).runs[0];
    expect(JSON.stringify(there.rows)).toBe(JSON.stringify(run.rows));
  });

  it('may have been stored by an earlier version, with fewer fields', async () => {
    const stores = await memoryStores();
    const { ask } = await worker(Promise.resolve(stores));
    const { id, sha256: hash, rows } = await ask('buildPool', { ...base, teacher: { kind: 'templates' } });
    const { lines } = (await stores.pools.get<{ lines: string }>(id))!;
    await stores.pools.set('old', { report: { id: 'old', createdAt: 5, bytes: lines.length }, lines });
    const known = { id: 'mid', createdAt: 6, bytes: 9, rows, problems: 4, exploited: 1, solved: 0, mechanisms: {} };
    const report = { ...known, graderVersion: 'v', origin: 'file', name: 'mine.jsonl' };
    await stores.pools.set('mid', { report, lines });
    const defaults = { sha256: hash, rows, withLogprobs: 0, teacher: null };
    expect(await ask('listPools')).toMatchObject([
      { id, ...defaults },
      { id: 'mid', ...defaults, origin: 'file', name: 'mine.jsonl', graderVersion: 'v', exploited: 1 },
      { id: 'old', ...defaults, origin: 'built', name: null, graderVersion: null, problems: 4 },
    ]);
  });
});
