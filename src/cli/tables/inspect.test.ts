// Logs of Inspect: its own schema accepts each (skipped aloud where ../shared is missing), a zip has what its viewer needs, the same run
// gives the same bytes, ten thousand samples are written.
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectLog } from '../../experiments/analysis/inspect-file.ts';
import { parseExperimentSpec, resolveRun } from '../../experiments/config/spec.ts';
import type { RolloutRecord } from '../../experiments/records/events.ts';
import { recordOf } from '../../experiments/testing/invented-runs.ts';
import { Records } from '../../lab/records/records.ts';
import { logOfRun } from '../../lab/records/run-log.ts';
import { joinParts } from '../../lib/streams.ts';
import { memoryStores } from '../../storage/kv.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { finishedRuns } from '../run/folder.ts';
import { run } from '../run/run.ts';
import { callCommand } from '../testing/call.ts';
import { tables } from './tables.ts';

const SCHEMA = resolve('..', 'shared', 'exchange', 'inspect', 'eval-log.schema.json');
const hasSchema = existsSync(SCHEMA);
if (!hasSchema) console.log(`inspect.test.ts: ${SCHEMA} is missing; no log is checked against it.`);

// biome-ignore lint/suspicious/noExplicitAny: a log's parsed text, whose form the schema and the tests state.
type Log = any;
const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, duration: true } });
const checks = new Map<string, ValidateFunction>();

/** Checks against Inspect's schema; `definition`: one of its parts. */
function expectValid(value: unknown, definition = 'EvalLog'): void {
  if (!hasSchema) return;
  const schema = JSON.parse(readFileSync(SCHEMA, 'utf8'));
  const check = checks.get(definition) ?? ajv.compile({ ...schema, $ref: `#/$defs/${definition}` });
  checks.set(definition, check);
  expect(check({}), 'an empty object is no log').toBe(false);
  expect(check(value) ? null : check.errors).toBeNull();
}

let folder: string;
const at = (...parts: string[]) => join(folder, ...parts);
const write = async (to: string, ...argv: string[]) => {
  const { text } = await callCommand(tables, [at('run'), '--format', 'inspect', '--out', at(to), '--json', ...argv]);
  return (JSON.parse(text) as { logs: { file: string; samples: number; run: string }[] }).logs;
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspect-'));
  const small = ['--preset', 'smoke', '--arms', 'route', '--steps', '2', '--set', 'problems=8', '--set', 'evalEvery=0'];
  const more = ['--set', 'finalEvalProblems=4', '--set', 'pairs=8', '--set', 'k=2'];
  await callCommand(run, [...small, ...more, '--out', at('run'), '--device', 'cpu']);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a run as a log', () => {
  it('is one that Inspect’s schema accepts, under a name that Inspect lists', async () => {
    const [{ file, run: name, samples }] = await write('json', '--file', 'json', '--logprobs');
    expect(file).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-00-00_[\w-]+_route-41\.json$/);
    const text = await readFile(at('json', file), 'utf8');
    const log: Log = JSON.parse(text);
    expectValid(log);
    expect([name, log.version, log.status, log.eval.task_id]).toEqual(['route-41', 2, 'success', 'route-41']);
    expect(Object.keys(log)).toEqual(
      'version status eval plan results stats invalidated tags metadata samples reductions'.split(' '),
    );
    expect(log.samples).toHaveLength(samples);
    const [sample] = log.samples;
    expect(sample.id).toMatch(/^step-00001\.prompt-\d\d$/);
    expect(sample.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant']);
    expect(sample.messages[0].content).not.toContain('<|im_start|>');
    expect(sample.output.completion).toBe(sample.messages[1].content);
    // The loader of docent lays these over the run's own keys.
    const taken = ['sample_id', 'epoch', 'target', 'scores', 'scoring_metadata', 'task', 'model'];
    for (const one of log.samples) for (const key of taken) expect(one.metadata).not.toHaveProperty(key);
    const scored = log.samples.filter((one: Log) => one.output.choices[0].logprobs);
    expect(scored.length).toBeGreaterThan(samples / 2);
    for (const { output } of scored) {
      const { content } = output.choices[0].logprobs;
      expect(content.map(({ token }: { token: string }) => token).join('')).toBe(output.completion);
    }
  });

  it('has the kept rollouts’ rewards and verdicts, and their means over prompts', async () => {
    const [{ file }] = await write('means', '--file', 'json');
    const log: Log = JSON.parse(await readFile(at('means', file), 'utf8'));
    const rows: RolloutRecord[] = [];
    for (const step of (await readdir(at('run', 'route-41.rollouts'))).sort())
      for (const line of (await readFile(at('run', 'route-41.rollouts', step), 'utf8')).trim().split('\n'))
        rows.push(JSON.parse(line));
    expect(log.samples).toHaveLength(rows.length);
    const groups = new Map<string, RolloutRecord[]>();
    for (const row of rows) {
      const id = `step-0000${row.step}.prompt-0${row.promptIndex}`;
      groups.set(id, [...(groups.get(id) ?? []), row]);
    }
    const mean = (values: number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
    const means = [...groups.values()].map((group) => mean(group.map(({ reward }) => reward)));
    const score = (name: string) => log.results.scores.find((one: Log) => one.name === name).metrics;
    expect(score('reward').mean.value).toBeCloseTo(mean(means), 12);
    const spread = Math.sqrt(means.reduce((sum, x) => sum + (x - mean(means)) ** 2, 0) / (means.length - 1));
    expect(score('reward').stderr.value).toBeCloseTo(spread / Math.sqrt(means.length), 12);
    const solved = [...groups.values()].map((group) =>
      mean(group.map(({ verdict }) => Number(verdict.gt_correct === true))),
    );
    expect(score('solved').mean.value).toBeCloseTo(mean(solved), 12);
    expect(log.eval.config.epochs).toBe(Math.max(...[...groups.values()].map(({ length }) => length)));
    const teachers = log.samples.filter((one: Log) => one.metadata.source === 'teacher');
    expect(teachers.length).toBe(rows.filter(({ source }) => source === 'teacher').length);
    for (const one of teachers) expect(one.output.model).toBe('lab/teacher');
  });

  it('is the same bytes again, also as a zip, which has what the viewer needs', async () => {
    for (const kind of ['json', 'eval']) {
      const [first] = await write(`one-${kind}`, '--file', kind);
      const [second] = await write(`two-${kind}`, '--file', kind);
      const bytes = (to: string, file: string) => readFile(at(`${to}-${kind}`, file));
      expect((await bytes('one', first.file)).equals(await bytes('two', second.file)), kind).toBe(true);
    }
    const [name] = await readdir(at('one-eval'));
    const entries = unzipSync(await readFile(at('one-eval', name)));
    const read = (entry: string): Log => JSON.parse(strFromU8(entries[entry]));
    const names = Object.keys(entries).filter((entry) => entry.startsWith('samples/'));
    const header = read('header.json');
    const samples = names.map(read);
    expectValid({ ...header, samples, reductions: read('reductions.json') });
    const summaries = read('summaries.json');
    expect(summaries).toHaveLength(samples.length);
    for (const summary of summaries) expectValid(summary, 'EvalSampleSummary');
    for (const reduction of read('reductions.json')) expectValid(reduction, 'EvalSampleReductions');
    expect(read('_journal/start.json')).toEqual({ version: 2, eval: header.eval, plan: header.plan });
    expect(new Set(names)).toEqual(new Set(samples.map(({ id, epoch }) => `samples/${id}_epoch_${epoch}.json`)));
    const [json] = await readdir(at('one-json'));
    expect(JSON.parse(await readFile(at('one-json', json), 'utf8')).samples).toEqual(samples);
  });

  it('is the same bytes from the page’s library', async () => {
    for (const file of ['eval', 'json'] as const) {
      const [written] = await write(`page-${file}`, '--file', file);
      const [run] = await finishedRuns(at('run'));
      const records = new Records(await memoryStores(), () => 0);
      await records.saveRun(run);
      for (const name of await readdir(at('run', 'route-41.rollouts'))) {
        const lines = (await readFile(at('run', 'route-41.rollouts', name), 'utf8')).trim().split('\n');
        const rollouts = lines.map((line) => JSON.parse(line) as RolloutRecord);
        await records.rollouts.save(run.id, rollouts[0].step, rollouts);
      }
      const embedded = (id: string) => diskSource(resolve('public', 'models', id));
      const log = await logOfRun(run.id, file, { records, embedded, loadedCodec: async () => null });
      expect([log.name, log.samples]).toEqual([written.file, written.samples]);
      const bytes = new Uint8Array(await log.blob.arrayBuffer());
      expect((await readFile(at(`page-${file}`, written.file))).equals(bytes)).toBe(true);
      const gone = logOfRun('gone/route/41', file, { records, loadedCodec: async () => null });
      await expect(gone).rejects.toThrow('is not stored yet');
    }
  });

  it('is read again as the run’s rollouts', async () => {
    const [{ file, samples }] = await write('again');
    const read = (...more: string[]) =>
      callCommand(tables, [at('again', file), '--format', 'inspect', '--out', at('read'), ...more]);
    const { text } = await read('--json');
    expect(JSON.parse(text).log).toMatchObject({ samples, hasSteps: true, steps: [1, 2] });
    const lines = (await readFile(at('read', 'rollouts.jsonl'), 'utf8')).trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as RolloutRecord);
    const kept = (await readFile(at('run', 'route-41.rollouts', '00001.jsonl'), 'utf8')).trim().split('\n');
    const first = JSON.parse(kept[0]) as RolloutRecord;
    const same = rows.find(
      ({ step, promptIndex, turns }) =>
        step === 1 && promptIndex === first.promptIndex && turns[0].completion === first.turns[0].completion,
    );
    expect(same).toMatchObject({ taskId: first.taskId, reward: first.reward, advantage: first.advantage });
    expect(same?.turns[0].prompt).toBe(first.turns[0].prompt);
    await expect(read('--step', '1')).rejects.toThrow('--step: of a folder of `run --out` alone');
  });

  it('may have some of the steps, as a log of its own', async () => {
    const all = (await write('all'))[0];
    const [one] = await write('second', '--step', '2');
    const [every] = await write('every', '--every', '2');
    expect([one.samples, every.samples]).toEqual([all.samples / 2, all.samples / 2]);
    expect(one.file).toMatch(/_route-41-step-2\.eval$/);
    await expect(write('none', '--step', '9')).rejects.toThrow('no rollouts');
    await expect(write('both', '--step', '1', '--every', '2')).rejects.toThrow(SpecError);
    const steps = callCommand(tables, ['x.json', '--out', at('x'), '--logprobs']);
    await expect(steps).rejects.toThrow('--logprobs: of --format inspect or verifiers');
    await rm(at('empty'), { recursive: true, force: true });
    await cp(at('run', 'route-41.rollouts'), at('empty', 'route-41.rollouts'), { recursive: true });
    const empty = callCommand(tables, [at('empty'), '--format', 'inspect', '--out', at('x')]);
    await expect(empty).rejects.toThrow('no finished run');
  });
});

describe('rollouts of other kinds', () => {
  const record = recordOf(
    resolveRun(
      parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], overrides: { steps: 2 } }),
      'none',
      41,
    ),
  );
  const rollout = (change: Partial<RolloutRecord> = {}): RolloutRecord => ({
    step: 1,
    promptIndex: 0,
    sampleIndex: 0,
    taskId: 'a/b',
    kind: 'plain',
    source: 'student',
    turns: [{ prompt: 'Say it.', completion: 'It.', logprobs: [-0.5, -0.25], ended: true }],
    advantage: 0,
    reward: 1,
    verdict: {},
    ...change,
  });
  const OPTIONS = { codec: null, logprobs: false, part: '' };
  async function logOf(steps: readonly RolloutRecord[][]): Promise<Log> {
    const { parts } = await inspectLog(record, each(steps), 'json', OPTIONS);
    return JSON.parse(strFromU8(joinParts(parts)));
  }
  async function* each(steps: readonly RolloutRecord[][]) {
    yield* steps;
  }

  it('several turns, numbers that are not finite, verdicts without a program, an oracle that ran out', async () => {
    const turns = [
      {
        prompt: '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n',
        completion: 'Hello',
        logprobs: null,
      },
      {
        prompt: '\n<|im_start|>user\nMore<|im_end|>\n<|im_start|>assistant\n',
        completion: 'No',
        logprobs: null,
        ended: false,
      },
    ];
    const unjudged = { gt_correct: null, exploited: false, passed: true, note: 'oracle ran out of time' };
    const log = await logOf([
      [
        rollout({ turns, advantage: Number.NaN, verdict: { correct: true, length: 3, word: 'x', bad: Number.NaN } }),
        rollout({ sampleIndex: 1, verdict: unjudged }),
        rollout({ promptIndex: 1, verdict: { gt_correct: true, exploited: false } }),
      ],
    ]);
    expectValid(log);
    const [first, second, third] = log.samples;
    expect(first.messages.map(({ role, content }: Log) => [role, content])).toEqual([
      ['system', 'Be brief.'],
      ['user', 'Hi'],
      ['assistant', 'Hello'],
      ['user', 'More'],
      ['assistant', 'No'],
    ]);
    expect(first.input).toEqual(first.messages.slice(0, 2));
    expect([first.output.choices[0].stop_reason, first.metadata.truncated]).toEqual(['max_tokens', true]);
    expect(Object.entries(first.scores).map(([name, score]) => [name, (score as Log).value])).toEqual([
      ['reward', 1],
      ['correct', 1],
      ['length', 3],
    ]);
    expect(first.metadata).not.toHaveProperty('advantage');
    expect([Object.keys(second.scores), second.epoch, second.scores.reward.explanation]).toEqual([
      ['reward'],
      2,
      'oracle ran out of time',
    ]);
    expect([third.scores.solved.value, third.scores.hack.value]).toEqual([1, 0]);
    expect(log.results.scores.find((one: Log) => one.name === 'hack')).toMatchObject({
      scored_samples: 1,
      unscored_samples: 1,
    });
  });

  it('ten thousand samples, as a zip and as a text', async () => {
    const steps = Array.from({ length: 100 }, (_, step) =>
      Array.from({ length: 100 }, (_, i) =>
        rollout({ step: step + 1, promptIndex: Math.floor(i / 10), sampleIndex: i % 10 }),
      ),
    );
    const zip = await inspectLog(record, each(steps), 'eval', OPTIONS);
    expect(zip.samples).toBe(10_000);
    const entries = unzipSync(joinParts(zip.parts), {
      filter: ({ name }) => !name.startsWith('samples/') || name.includes('step-00050'),
    });
    expect(Object.keys(entries).filter((name) => name.startsWith('samples/'))).toHaveLength(100);
    expect(JSON.parse(strFromU8(entries['header.json'])).eval.dataset.sample_ids).toHaveLength(1000);
    expect((await logOf(steps)).samples).toHaveLength(10_000);
  }, 60_000);
});
