// Tests `are bench` on sets of scenarios, as Hugging Face stores Gaia2 and as folders; reuse of rows; parallel runs with one server.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateScenario } from '../generate/generate.ts';
import type { Split } from '../generate/template.ts';
import type { Trace } from '../scenario/schema.ts';
import { ALONE } from './alone.ts';
import { areBench } from './bench.ts';
import type { BenchRow } from './bench-rows.ts';
import { traceName } from './bench-runs.ts';
import { areExport } from './export.ts';
import { areRun } from './run.ts';
import { openSet } from './scenario-set.node.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'are-bench-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const sentences: string[] = [];
async function called(command: Command, ...argv: string[]): Promise<[number, string]> {
  const lines: string[] = [];
  sentences.length = 0;
  const progress = {
    update: () => {},
    line: () => {},
    note: (line: string) => void sentences.push(line),
    end: () => {},
  };
  const signal = new AbortController().signal;
  const code = await command.run(argv, { out: (text) => void lines.push(text), progress, signal, root: '.' });
  return [code, lines.join('\n')];
}
async function rowsOf(...argv: string[]): Promise<(BenchRow & { trace?: string })[]> {
  const [code, text] = await called(areBench(ALONE), ...argv, '--json');
  expect(code).toBe(EXIT.ok);
  return JSON.parse(text).rows;
}

const scenario = (split: Split, index: number): Trace =>
  generateScenario({ split, seed: 3, index, part: 'training' }).trace;
const SET: readonly [Split, number][] = [
  ['execution', 0],
  ['execution', 1],
  ['time', 0],
];
const rowOf = ([split, index]: readonly [Split, number]) => {
  const trace = scenario(split, index);
  return { scenario_id: trace.metadata.definition.scenario_id, data: JSON.stringify(trace) };
};
const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Outcomes by scenario, without the set's file. */
const outcomes = (rows: readonly BenchRow[]) =>
  rows.map(({ split, scenario, success }) => `${split} ${scenario} ${success}`);

describe('a set', () => {
  const rows = SET.map(rowOf);

  it('is a folder, a file of rows in each format, or lists of scenarios: all give the same outcomes', async () => {
    const set = (name: string) => join(folder, name);
    await mkdir(set('folder/time'), { recursive: true });
    await mkdir(set('folder/execution'), { recursive: true });
    for (const [split, index] of SET)
      await writeFile(set(`folder/${split}/${index}.json`), JSON.stringify(scenario(split, index), null, 1));
    await writeFile(set('folder/dataset_infos.json'), '{"license": "cc-by-4.0"}');
    await writeFile(set('rows.jsonl'), lines(rows));
    await writeFile(set('rows.json'), JSON.stringify(rows));
    await writeFile(set('plain.jsonl'), lines(SET.map(([split, index]) => scenario(split, index))).trimEnd());
    const columnData = [
      { name: 'scenario_id', data: rows.map((row) => row.scenario_id), type: 'STRING' as const },
      { name: 'data', data: rows.map((row) => row.data), type: 'STRING' as const },
    ];
    await writeFile(set('rows.parquet'), Buffer.from(parquetWriteBuffer({ columnData })));
    // Layout of a Hub snapshot: one folder per configuration, the split in the file's name.
    for (const [name, place] of [
      ['execution', [0, 1]],
      ['time', [2]],
    ] as const) {
      await mkdir(set(`hub/${name}`), { recursive: true });
      const own = columnData.map((column) => ({ ...column, data: place.map((at) => column.data[at] as string) }));
      const bytes = Buffer.from(parquetWriteBuffer({ columnData: own }));
      await writeFile(set(`hub/${name}/validation-00000-of-00001.parquet`), bytes);
    }
    const wanted = ['execution', 'execution', 'time'].map((split, at) => `${split} ${rows[at]?.scenario_id} true`);
    for (const name of ['folder', 'rows.jsonl', 'rows.json', 'plain.jsonl', 'rows.parquet', 'hub'])
      expect(outcomes(await rowsOf(set(name), '--agents', 'oracle', '--runs', '1')), name).toEqual(wanted);
    expect((await rowsOf(set('folder'), '--agents', 'oracle', '--runs', '1')).length).toBe(3);
    expect(sentences).toEqual([expect.stringMatching(/^Left out: .*dataset_infos\.json/)]);
    const few = await rowsOf(set('hub'), '--agents', 'silent', '--runs', '2', '--split', 'execution', '--n', '1');
    expect(outcomes(few)).toEqual(Array(2).fill(`execution ${rows[0]?.scenario_id} false`));
    const [, text] = await called(areBench(ALONE), set('hub'), '--agents', 'oracle,silent', '--runs', '1');
    expect(text).toMatch(
      /agent +execution +time +mean +of splits\n.*\noracle +(100\.0 ± 0\.0 *){4}\nsilent +(0\.0 ± 0\.0 *){4}\n/,
    );
  });

  it('has rows that `are run` also plays: the named one, or the only one', async () => {
    const one = join(folder, 'one.json');
    await writeFile(one, JSON.stringify(rows[2]));
    expect((await called(areRun(ALONE), one))[0]).toBe(EXIT.ok);
    const all = join(folder, 'all.jsonl');
    await writeFile(all, lines(rows));
    await expect(called(areRun(ALONE), all)).rejects.toThrow(/has 3 scenarios/);
    await expect(called(areRun(ALONE), all, '--scenario', 'none')).rejects.toThrow(/has no scenario none/);
    const id = rows[1]?.scenario_id as string;
    expect(JSON.parse((await called(areRun(ALONE), all, '--scenario', id, '--json'))[1]).scenario).toBe(id);
    const alone = join(folder, `alone-${id}.json`);
    expect(await called(areExport(ALONE), all, '--scenario', id, '--out', alone)).toEqual([
      EXIT.ok,
      `${id} is in ${alone}.`,
    ]);
    expect(JSON.parse((await called(areRun(ALONE), alone, '--json'))[1]).scenario).toBe(id);
    await writeFile(alone, 'another');
    await expect(called(areExport(ALONE), all, '--scenario', id, '--out', alone)).rejects.toThrow(/is there already/);
    await expect(called(areExport(ALONE), all)).rejects.toThrow(/has 3 scenarios/);
  });

  it('of another format is refused with its place; an unplayable scenario counts as failed', async () => {
    const path = join(folder, 'bad.jsonl');
    for (const [text, why] of [
      ['{"a": 1}\n', /bad\.jsonl:1 is no scenario, and no row with `data`/],
      ['[1]\n', /bad\.jsonl:1 is no scenario/],
      [`${lines(rows).slice(0, -40)}\n`, /bad\.jsonl:3 is not JSON/],
      ['', /has no scenarios/],
    ] as const) {
      await writeFile(path, text);
      await expect(called(areBench(ALONE), path), text).rejects.toThrow(why);
    }
    const parquet = join(folder, 'bad.parquet');
    await writeFile(parquet, 'PAR1 and more');
    await expect(openSet(parquet)).rejects.toThrow(FormatError);
    const other = Buffer.from(parquetWriteBuffer({ columnData: [{ name: 'x', data: [1], type: 'INT32' }] }));
    await writeFile(parquet, other);
    await expect(openSet(parquet)).rejects.toThrow(/no column `data`, but x/);
    await expect(openSet(join(folder, 'none'))).rejects.toThrow(/ENOENT/);
    const bare = { ...scenario('time', 0) };
    const events = bare.events.filter(({ event_type }) => event_type !== 'AGENT');
    await writeFile(path, lines([{ ...bare, events }]));
    const [code] = await called(
      areBench(ALONE),
      path,
      '--agents',
      'silent',
      '--runs',
      '1',
      '--out',
      join(folder, 'bare'),
    );
    expect([code, sentences]).toEqual([EXIT.ok, ['1 runs had nothing to be judged by and count as failed.']]);
    const unjudged = await readFile(join(folder, 'bare', 'output.jsonl'), 'utf8');
    expect(JSON.parse(unjudged)).toMatchObject({ score: null, metadata: { status: 'no_validation' } });
    const old = { ...scenario('time', 0), version: 'v0' };
    await writeFile(path, lines([rows[0] as object, { scenario_id: 'old', data: JSON.stringify(old) }]));
    const out = join(folder, 'broken');
    const [first, second] = await rowsOf(path, '--agents', 'oracle', '--runs', '1', '--out', out);
    expect(first).toMatchObject({ success: true });
    expect(second).toMatchObject({ scenario: 'old', success: false, exception: expect.stringContaining('version') });
    expect(sentences).toContainEqual(expect.stringMatching(/^1 runs ended in an error/));
    const output = (await readFile(join(out, 'output.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(output.map((line) => JSON.parse(line))).toMatchObject([
      { task_id: rows[0]?.scenario_id, score: 1, metadata: { status: 'success', has_exception: false, run_number: 0 } },
      { task_id: 'old', score: 0, metadata: { status: 'exception', has_exception: true } },
    ]);
  });
});

describe('a row', () => {
  it('is reused only for its own scenario, model and options', async () => {
    const file = join(folder, 'keys.jsonl');
    const bench = ['--agents', 'oracle', '--splits', 'adaptability', '--n', '1', '--runs', '1', '--rows', file];
    const count = async () => (await readFile(file, 'utf8')).trimEnd().split('\n').length;
    await rowsOf(...bench);
    // These options do not affect a row.
    await rowsOf(...bench, '--retries', '1', '--temperature', '1', '--concurrency', '2', '--price-read', '1');
    expect(await count()).toBe(1);
    const options = [
      ['--max-steps', '1'],
      ['--size', 'small'],
      ['--soft', 'reject'],
      ['--window', 'paper'],
      ['--seed', '2'],
      ['--generation', 'instant'],
      ['--noise', 'low'],
    ];
    for (const [place, option] of options.entries()) {
      await rowsOf(...bench, ...option);
      expect([option, await count()]).toEqual([option, place + 2]);
      expect(sentences).toContainEqual(expect.stringContaining(`${place + 1} rows are of other options`));
    }
    expect((await rowsOf(...bench, '--max-steps', '1'))[0]?.success).toBe(false);
    expect((await rowsOf(...bench))[0]?.success).toBe(true);
    expect(await count()).toBe(options.length + 1);
  });

  it('of an earlier version is read, and counted on request; a note reports it in both cases', async () => {
    const file = join(folder, 'old.jsonl');
    const { metadata } = generateScenario({ split: 'execution', seed: 1, index: 0, part: 'held out' }).trace;
    const old = { agent: 'oracle', model: null, split: 'execution', scenario: metadata.definition.scenario_id, run: 0 };
    await writeFile(file, JSON.stringify({ ...old, success: false, steps: 3, seconds: 9, calls: null, tokens: null }));
    const bench = ['--agents', 'oracle', '--splits', 'execution', '--n', '1', '--runs', '1', '--rows', file];
    expect((await rowsOf(...bench, '--old-rows'))[0]?.success).toBe(false);
    expect(sentences).toEqual([expect.stringContaining('1 row has no checksum')]);
    expect((await rowsOf(...bench))[0]?.success).toBe(true);
    expect(sentences).toContainEqual(expect.stringContaining('1 rows of an earlier lab do not say'));
    expect((await readFile(file, 'utf8')).trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('a model behind a server', () => {
  let server: Server;
  let base: string;
  let isUp = true;
  const seen = { at: 0, most: 0, count: 0 };
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      for await (const _ of request);
      seen.count++;
      seen.most = Math.max(seen.most, ++seen.at);
      await new Promise((resolve) => setTimeout(resolve, 20));
      seen.at--;
      if (!isUp) return response.writeHead(503).end();
      const content =
        'Action:\n{"action": "AgentUserInterface__send_message_to_user", "action_input": {"content": "No."}}';
      response.end(
        JSON.stringify({ choices: [{ message: { content } }], usage: { prompt_tokens: 1000, completion_tokens: 100 } }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => void server.close());

  it('serves several runs of `are run` at once, with the same output as one after another', async () => {
    const run = ['execution', '--seed', '3', '--n', '4', '--endpoint', base, '--model-name', 'm', '--json'];
    seen.most = 0;
    const alone = JSON.parse((await called(areRun(ALONE), ...run))[1]);
    expect([alone.length, seen.most]).toEqual([4, 1]);
    expect(JSON.parse((await called(areRun(ALONE), ...run, '--concurrency', '3'))[1])).toEqual(alone);
    expect(seen.most).toBeGreaterThan(1);
    seen.most = 0;
  });

  it('serves several runs at once, with the same rows in the same order; no run is lost with the server', async () => {
    const set = join(folder, 'asked.jsonl');
    await writeFile(set, lines(SET.map(rowOf)));
    const bench = [set, '--endpoint', base, '--model-name', 'm', '--runs', '2', '--retries', '0'];
    const alone = await rowsOf(...bench);
    expect(seen.most).toBe(1);
    const out = join(folder, 'several');
    const together = await rowsOf(...bench, '--concurrency', '4', '--out', out, '--traces');
    expect(seen.most).toBeGreaterThan(1);
    expect(together.map(({ trace: _, ...row }) => row)).toEqual(alone);
    expect(outcomes(together)).toEqual(
      SET.flatMap((one) => Array(2).fill(`${one[0]} ${rowOf(one).scenario_id} false`)),
    );
    for (const { trace } of together)
      expect(JSON.parse(await readFile(join(out, trace as string), 'utf8')).metadata.simulation.model_id).toBe('m');
    // All but three rows are removed and the server is gone: stored answers are not requested again.
    const again = join(folder, 'again');
    await cp(out, again, { recursive: true });
    const rows = (await readFile(join(out, 'rows.jsonl'), 'utf8')).trimEnd().split('\n');
    await writeFile(join(again, 'rows.jsonl'), `${rows.slice(0, 3).join('\n')}\n`);
    isUp = false;
    await expect(rowsOf(...bench, '--out', again, '--traces', '--concurrency', '2')).rejects.toThrow(/status 503/);
    expect(sentences.at(-1)).toMatch(/^3 of 6 runs are kept in .*rows\.jsonl\.$/);
    isUp = true;
    seen.count = 0;
    expect(await rowsOf(...bench, '--out', again, '--traces')).toEqual(together);
    expect(seen.count).toBe(3);
    expect((await readdir(join(again, 'traces'))).every((name) => name.endsWith('.json'))).toBe(true);
  });

  it('has a cost in dollars if token prices are given', async () => {
    const set = join(folder, 'one-more.jsonl');
    await writeFile(set, lines([rowOf(['execution', 0])]));
    const bench = [set, '--endpoint', base, '--model-name', 'm', '--runs', '1', '--soft', 'accept'];
    const { table } = JSON.parse(
      (await called(areBench(ALONE), ...bench, '--json', '--price-read', '3', '--price-written', '15'))[1],
    );
    expect([table[0].budget.dollars.n, table[0].budget.tokens.n]).toEqual([1, 1]);
    const [, text] = await called(areBench(ALONE), ...bench, '--price-read', '3', '--price-written', '15');
    // 1000 · 3 / 1e6 + 100 · 15 / 1e6 = .0045 dollars: within .005.
    expect(text).toMatch(/Runs passed within so many dollars, in %\.\nagent +runs .*≤ 0\.005\n/);
    expect((await called(areBench(ALONE), ...bench))[1]).not.toContain('dollars');
  });

  it('is named in the output', async () => {
    await expect(rowsOf('--agents', 'oracle', '--endpoint', base)).rejects.toThrow(SpecError);
  });
});

it('stores the trace of every run under its own name, however long the scenario’s name is', () => {
  const name = (run: number) => traceName({ split: 'test', id: 'x'.repeat(200) }, 'react', run, 'a'.repeat(64));
  expect(name(1)).not.toBe(name(2));
  expect(traceName({ split: 'test', id: 'a b' }, 'react', 1, 'a'.repeat(64))).toBe('test-a_b-react-1-aaaaaaaa.json');
});
