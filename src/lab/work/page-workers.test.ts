// Tests parallel runs in the page: the same bytes as sequential runs, everything that a run has stored stays, stops and pauses affect every
// worker, and after a failed run the others are still trained.
import { afterEach, expect, it } from 'vitest';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { allowFused } from '../../kernels/cpu/fused.node.ts';
import { memoryStores, type Stores } from '../../storage/kv.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { closeTestLabs, memoryWorkers, openedLab, type TestLab } from '../testing/lab.ts';

const small = { maxNew: 12, problems: 8, evalProblems: 2, finalEvalProblems: 4, checkpointEvery: 1, pairs: 8, k: 2 };
const spec = (arms: string[], overrides: Record<string, unknown> = {}, device = 'cpu') =>
  parseExperimentSpec({ preset: 'smoke', arms, seeds: [41, 42], device, overrides: { ...small, ...overrides } });
const ARMS = ['none', 'random_V_matched', 'route-update'];
const ended = (event: WorkerEvent) =>
  event.type === 'experiment' && !['waiting', 'running'].includes(event.summary.status);

function lab(stores?: Stores, opened?: { count: number }): Promise<TestLab> {
  const none = undefined;
  const workers = opened ? memoryWorkers(opened) : none;
  return openedLab(stores, none, none, none, none, none, none, workers);
}
afterEach(closeTestLabs);

const what = async ({ records }: TestLab) => {
  const record = await records.experiment('x');
  const runs = await records.runs(record);
  const [rollouts, steps] = await Promise.all([
    Promise.all(runs.map(({ id }) => records.rollouts.at(id, null))),
    Promise.all(runs.map(({ id }) => records.steps.load(id))),
  ]);
  return {
    status: record.status,
    runIds: record.runIds,
    table: record.result?.table,
    verdicts: record.result?.verdicts,
    runs: runs.map(({ id, status, rows, evals, device }) => ({ id, status, rows, evals, device })),
    rollouts,
    steps,
  };
};

it('gives the bytes of sequential runs, through a stop and a resume during a run', async () => {
  const one = await lab();
  await one.session.start('x', spec(ARMS));
  await one.until(ended);
  const expected = await what(one);
  expect(expected).toMatchObject({ status: 'done' });
  expect(expected.runs).toHaveLength(6);

  const opened = { count: 0 };
  const stores = await memoryStores();
  const first = await lab(stores, opened);
  await first.session.start('x', spec(ARMS));
  await first.until((event) => event.type === 'lab' && event.event.type === 'checkpoint' && event.event.step === 2);
  expect(await first.session.stop('x')).toBe(true);
  expect(await first.until(ended)).toMatchObject({ summary: { status: 'stopped' } });
  expect(opened.count).toBe(2);
  const starts = first.events.flatMap((event) =>
    event.type === 'lab' && event.event.type === 'run-start' ? [event.event.run.id] : [],
  );
  // Two runs began before either was done, so they were parallel.
  expect(new Set(starts).size).toBeGreaterThan(1);
  expect(first.events.some((event) => event.type === 'progress' && event.beside?.length === 1)).toBe(true);

  const second = await lab(stores, opened);
  await second.session.resume('x');
  expect(await second.until(ended)).toMatchObject({ summary: { status: 'done', runsDone: 6 } });
  expect(await what(second)).toEqual(expected);
  const progress = second.events.flatMap((event) => (event.type === 'progress' ? [event.fraction] : []));
  expect(progress).toEqual([...progress].sort((a, b) => a - b));
  expect(progress.at(-1)).toBe(1);
});

it('computes no pair’s gradient in a run if they were computed before Run, with the same bytes', async () => {
  const two = (overrides = {}) => ({ ...spec(['route-update', 'erase-update'], overrides), seeds: [41] });
  const extracted = ({ events }: TestLab) =>
    events.filter(({ type, ...rest }) => type === 'lab' && JSON.stringify(rest).includes('"what":"hack basis"')).length;
  const after = async (made: TestLab) => {
    await made.session.start('x', two());
    await made.until(ended);
    return what(made);
  };
  const [one, opened] = [await lab(), { count: 0 }];
  const expected = await after(one);
  expect(extracted(one)).toBeGreaterThan(0);

  const open = async (counted: { count: number }) => {
    const made = await lab(undefined, counted);
    await made.equipment.open('cpu');
    return made;
  };
  const ahead = await open(opened);
  // First it is stopped before its first set, then used for other settings, and then for those that are run.
  const stop = new AbortController();
  const stopped = ahead.session.prepareAhead(two(), async (make) => {
    stop.abort(new Error('Run was pressed'));
    await make(stop.signal);
  });
  await expect(stopped).rejects.toThrow('Run was pressed');
  for (const overrides of [{ pairs: 10 }, {}])
    await ahead.session.prepareAhead(two(overrides), (make) => make(new AbortController().signal));
  expect(await after(ahead)).toEqual(expected);
  expect(extracted(ahead)).toBe(0);
  expect(opened.count).toBe(2);

  // Results for other pairs are ignored.
  const other = await open({ count: 0 });
  await other.session.prepareAhead(two({ pairs: 10 }), (make) => make(new AbortController().signal));
  expect(await after(other)).toEqual(expected);
  expect(extracted(other)).toBeGreaterThan(0);
}, 60_000);

it('fails both runs, without waiting for ever, if their teacher cannot be graded', async () => {
  const made = await lab(undefined, { count: 0 });
  const { grader } = made.equipment;
  Object.defineProperty(grader, 'grade', { value: () => Promise.reject(new Error('no interpreter')) });
  await made.session.start('x', spec(['none']));
  expect(await made.until(ended)).toMatchObject({ summary: { status: 'failed' } });
  expect((await made.records.experiment('x')).error?.message).toMatch(/no interpreter/);
});

it('trains on the chosen device: fused, with its own bits', async () => {
  allowFused();
  const at = async (device: string, opened?: { count: number }) => {
    const made = await lab(undefined, opened);
    await made.session.start('x', spec(['none'], {}, device));
    await made.until(ended);
    return what(made);
  };
  const opened = { count: 0 };
  const [alone, parallel, plain] = [await at('cpu-fused'), await at('cpu-fused', opened), await at('cpu')];
  expect(alone.runs.map(({ device }) => device)).toEqual(new Array(2).fill('CPU (WASM SIMD, fused)'));
  expect(parallel).toEqual(alone);
  expect(opened.count).toBe(2);
  expect(plain.runs.map(({ rows }) => rows)).not.toEqual(alone.runs.map(({ rows }) => rows));
});

it('runs programs besides grading if a method requires it', async () => {
  const at = async (opened?: { count: number }) => {
    const made = await lab(undefined, opened);
    await made.session.start('x', spec(['none'], { consensus: 'vote', honestShare: 0 }));
    await made.until(ended);
    return what(made);
  };
  const opened = { count: 0 };
  const [alone, parallel] = [await at(), await at(opened)];
  expect(parallel).toEqual(alone);
  expect(opened.count).toBe(2);
  // Only the teacher's row of each group is a program with a reward, which it would lose if it were missed.
  const [row] = parallel.runs.flatMap(({ rows }) => rows);
  expect(row).toMatchObject({ teacher: { figures: { hack: 1 } }, gated: 0, gateRecall: 0 });
});

it('pauses every worker, takes one step of each, and resumes', async () => {
  const { session, until, events } = await lab(undefined, { count: 0 });
  await session.start('x', spec(['none'], { steps: 4 }));
  const steps = () => events.filter((event) => event.type === 'lab' && event.event.type === 'step').length;
  const paused = () => events.filter((event) => event.type === 'progress' && event.paused).length;
  await until((event) => event.type === 'lab' && event.event.type === 'run-start');
  session.pace('x', 'pause');
  while (paused() < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const before = steps();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(steps()).toBe(before);
  session.pace('x', 'step');
  while (paused() < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(steps()).toBe(before + 2);
  session.pace('x', 'go');
  expect(await until(ended)).toMatchObject({ summary: { status: 'done', runsDone: 2 } });
});

it('trains the other runs after a failed one', async () => {
  const arms = ['route-update', 'random_V_matched'];
  // The steps of one run cannot be loaded when the control matched to them begins.
  const { session, until, records } = await lab(undefined, { count: 0 });
  const { steps } = records;
  const load = async (runId: string) => (runId === 'x/route-update/41' ? null : steps.load(runId));
  Object.defineProperty(records, 'steps', { value: { ...steps, load } });
  await session.start('x', spec(arms));
  expect(await until(ended)).toMatchObject({ summary: { status: 'failed', runsDone: 3 } });
  const record = await records.experiment('x');
  expect(record.error?.message).toMatch(/seed 41, needs the steps of vanilla’s run/);
  expect((await records.runs(record)).map(({ id, status }) => [id, status])).toEqual([
    ['x/route-update/41', 'done'],
    ['x/random_V_matched/41', 'failed'],
    ['x/route-update/42', 'done'],
    ['x/random_V_matched/42', 'done'],
  ]);
});
