// A run's tables, read back by published readers: TensorBoard's records by npm's tfrecord and protobufjs, Parquet by hyparquet, the CSV by
// pandas where a Python with it is there.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import protobuf from 'protobufjs';
import { RecordReader } from 'tfrecord';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseExperimentSpec, resolveRun } from '../../experiments/config/spec.ts';
import { planSweep } from '../../experiments/sweep/plan.ts';
import { recordOf } from '../../experiments/testing/invented-runs.ts';
import { SweepFolder } from '../sweep/folder.ts';
import { readSweepFile } from '../sweep/run.ts';
import { tables } from './tables.ts';

const PYTHON = '/usr/bin/python3';
const hasPandas = spawnSync(PYTHON, ['-c', 'import pandas']).status === 0;
if (!hasPandas)
  console.warn('No /usr/bin/python3 with pandas (Debian: python3-pandas): examples/load-runs.py is not tried.');

/** The parts of TensorFlow's event.proto and summary.proto that are read here. */
const EVENT = protobuf
  .parse(`syntax = "proto3";
message Value { string tag = 1; float simple_value = 2; }
message Summary { repeated Value value = 1; }
message Event { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5; }`)
  .root.lookupType('Event');

interface ReadEvent {
  wallTime: number;
  step: number;
  fileVersion: string;
  summary: { value: { tag: string; simpleValue: number }[] };
}

const record = recordOf(
  resolveRun(
    parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], overrides: { steps: 6 } }),
    'none',
    41,
  ),
);
let root: string;
const at = (...parts: string[]) => join(root, ...parts);
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'tables-'));
  writeFileSync(join(root, 'run.json'), JSON.stringify({ schema: 1, runs: [record] }));
  const sentences: string[] = [];
  const code = await tables.run([join(root, 'run.json'), '--out', join(root, 'out')], {
    out: (line: string) => sentences.push(line),
  } as never);
  expect([code, sentences.join()]).toEqual([0, expect.stringMatching(/^1 runs: /)]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a run’s tables', () => {
  it('are TensorBoard’s events, each record whole', async () => {
    const [name] = readdirSync(join(root, 'out', 'tensorboard'));
    const [file] = readdirSync(join(root, 'out', 'tensorboard', name));
    expect(file).toMatch(/tfevents/);
    const reader = await RecordReader.create(join(root, 'out', 'tensorboard', name, file));
    const events: ReadEvent[] = [];
    // readRecord throws where a checksum is wrong.
    for (let bytes = await reader.readRecord(); bytes !== null; bytes = await reader.readRecord())
      events.push(EVENT.toObject(EVENT.decode(bytes), { longs: Number, defaults: true }) as ReadEvent);
    await reader.close();
    expect(events[0]).toMatchObject({ fileVersion: 'brain.Event:2', step: 0 });
    const rewards = events.flatMap(({ step, summary }) =>
      (summary?.value ?? []).filter(({ tag }) => tag === 'reward').map(({ simpleValue }) => [step, simpleValue]),
    );
    expect(rewards).toEqual(record.rows.map(({ step, reward }) => [step, Math.fround(reward as number)]));
    expect(events[1].wallTime).toBeGreaterThanOrEqual(events[0].wallTime);
    expect(events.flatMap(({ summary }) => summary?.value ?? []).some(({ tag }) => tag.startsWith('eval/total/'))).toBe(
      true,
    );
  });

  it('are one table as Parquet and as CSV', async () => {
    const bytes = readFileSync(join(root, 'out', 'steps.parquet'));
    const rows = await parquetReadObjects({
      file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    });
    expect(rows.map(({ step, reward, run }) => [step, reward, run])).toEqual(
      record.rows.map(({ step, reward }) => [step, reward, `${record.spec.arm}/${record.spec.seed}`]),
    );
    const [header, ...lines] = readFileSync(join(root, 'out', 'steps.csv'), 'utf8')
      .trimEnd()
      .split('\n');
    const names = header.split(',');
    expect(names).toEqual(Object.keys(rows[0]));
    expect(lines.map((line) => Number(line.split(',')[names.indexOf('reward')]))).toEqual(
      record.rows.map(({ reward }) => reward),
    );
  });

  it('are not made of a folder of `run --out`, which says what they are made of', async () => {
    mkdirSync(at('kept'));
    writeFileSync(at('kept', 'none-41.run.json'), '{}');
    const made = tables.run([at('kept'), '--out', at('none')], { out: () => {} } as never);
    await expect(made).rejects.toThrow(
      /kept is a folder of `run --out`, and tables of steps are made of what `run --json`/,
    );
  });

  it('are one folder of events a run, also where names are alike for longer than a folder’s may be, and say how many', async () => {
    const spec = at('sweep.json');
    const overrides = { environment: 'arithmetic', beta1: 0.85, evalEvery: 0, finalEvalProblems: 4, lr: 0.02 };
    const axes = [
      { option: 'klBeta', values: [0.01, 0.02] },
      { option: 'steps', values: [2, 3] },
    ];
    writeFileSync(spec, JSON.stringify({ preset: 'smoke', arm: 'none', overrides, axes, seeds: [41, 42] }));
    const plan = planSweep(await readSweepFile(spec));
    const folder = await SweepFolder.create(at('sweep'), plan.spec, { root, isOtherAllowed: false, note: () => {} });
    const planned = plan.configurations.flatMap(({ rungs }) => rungs.flat());
    const cut = new Set(planned.map(({ key }) => key.slice(0, 120)));
    expect([planned.length, cut.size < planned.length]).toEqual([8, true]);
    for (const { key, spec: run } of planned) await folder.keep({ key, record: recordOf(run), rerouted: [] });
    const sentences: string[] = [];
    await tables.run([at('sweep'), '--out', at('all')], { out: (line: string) => sentences.push(line) } as never);
    expect(readdirSync(at('all', 'tensorboard'))).toHaveLength(planned.length);
    expect(sentences.join()).toMatch(/^8 runs: /);
  });

  it.skipIf(!hasPandas)('are read by the example', () => {
    const { status, stdout, stderr } = spawnSync(PYTHON, ['examples/load-runs.py', join(root, 'out')], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`1 runs, ${record.rows.length} steps; options: option/arm`);
    expect(stdout).toContain('reward');
  });

  it.each([
    ['nothing there', 'none.json', /there is no such file/],
    ['no JSON', 'bad.json', /is no result of a run/],
    ['no runs', 'empty.json', /it has no runs/],
    ['what is no run', 'odd.json', /a run of it cannot be read/],
    ['one run twice', 'twice.json', /it has two runs none\/41/],
  ])('say what is wrong with %s', async (_, name, words) => {
    writeFileSync(join(root, 'bad.json'), '{');
    writeFileSync(join(root, 'twice.json'), JSON.stringify({ runs: [record, record] }));
    writeFileSync(join(root, 'empty.json'), '{"runs":[]}');
    writeFileSync(join(root, 'odd.json'), '{"runs":[{"id":1}]}');
    await expect(tables.run([join(root, name), '--out', join(root, 'x')], {} as never)).rejects.toThrow(words);
  });
});
