// A scenario without apps against a server on this machine that speaks the Hub's HTTP, with its CDN on another port: the apps are fetched
// on request, once, from the Hub and its CDN alone; missing files are named.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { areBench } from '@projected-grpo-lab/are/cli/bench.ts';
import { areJudge } from '@projected-grpo-lab/are/cli/judge.ts';
import { areOracle } from '@projected-grpo-lab/are/cli/oracle.ts';
import { areRun } from '@projected-grpo-lab/are/cli/run.ts';
import { generateScenario } from '@projected-grpo-lab/are/generate/generate.ts';
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { DamagedError } from '@projected-grpo-lab/base/files/sealed.ts';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HubError } from '../../storage/errors.ts';
import { HubServer, lfs, plain } from '../../storage/models/testing/hub-server.ts';
import { type Command, EXIT } from '../command.ts';
import { callCommand } from '../testing/call.ts';
import { HOST } from './host.ts';

const SET = 'agents/gaia2';
const whole = (index: number): Trace =>
  generateScenario({ split: 'execution', seed: 3, index, part: 'training' }).trace;
const bare = (trace: Trace, patch: { revision?: string; split?: string; dataset?: string } = {}): Trace => {
  const hf_metadata = { dataset: SET, split: 'validation', ...patch };
  return {
    ...trace,
    apps: [],
    metadata: { ...trace.metadata, definition: { ...trace.metadata.definition, hf_metadata } },
  };
};
/** Rows in groups of two, so that a scenario lies outside the first part. */
const parquet = (traces: readonly Trace[], patch: object = {}) =>
  lfs(
    new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'scenario_id', data: traces.map((one) => one.metadata.definition.scenario_id), type: 'STRING' },
          { name: 'data', data: traces.map((one) => JSON.stringify({ ...one, ...patch })), type: 'STRING' },
        ],
        rowGroupSize: 2,
      }),
    ),
  );
const FILES = {
  'README.md': plain('# A set'),
  'search/validation-00000-of-00001.parquet': parquet([whole(10), whole(11)]),
  'execution/test-00000-of-00001.parquet': parquet([whole(0)], { apps: [] }),
  'execution/validation-00000-of-00001.parquet': parquet([whole(0), whole(1), whole(2), whole(3)]),
};

let root: string;
let server: HubServer;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fetched-apps-'));
  server = await new HubServer().start();
  server.commit(SET, FILES);
  process.env.HF_ENDPOINT = server.endpoint;
});
afterEach(async () => {
  await server.stop();
  await rm(root, { recursive: true, force: true });
});
afterAll(() => {
  delete process.env.HF_ENDPOINT;
  delete process.env.HF_TOKEN;
});

async function called(command: Command, argv: readonly string[], ask?: (question: string) => Promise<boolean>) {
  const { code, text, notes } = await callCommand(command, argv, { root, ...(ask && { ask }) });
  return { code, text, notes: notes.join('\n') };
}
async function written(trace: Trace, name = 'bare.json'): Promise<string> {
  const path = join(root, name);
  await writeFile(path, JSON.stringify(trace));
  return path;
}

describe('a scenario without apps', () => {
  it('is played with those of the data set, which are fetched once: the run is that of the whole file', async () => {
    const file = await written(bare(whole(3)));
    await expect(called(areRun(HOST), [file])).rejects.toThrow(
      new RegExp(`the file has none: they are those of .* in the data set ${SET}, split validation`),
    );
    expect(server.asked).toEqual([]);
    const { code, text, notes } = await called(areRun(HOST), [file, '--fetch-apps', '--json']);
    expect(code).toBe(EXIT.ok);
    expect(JSON.parse(text)).toEqual(
      JSON.parse((await called(areRun(HOST), [await written(whole(3), 'whole.json'), '--json'])).text),
    );
    expect(notes).toMatch(/Looking through execution\/validation.*\n.*apps of .*fetched, commit [0-9a-f]{40}\./s);
    server.forget();
    const again = await called(areOracle(HOST), [file]);
    expect([again.code, server.asked]).toEqual([EXIT.ok, []]);
    expect(again.notes).toMatch(/as they were fetched before \(commit/);
    expect((await called(areBench(HOST), [file, '--agents', 'oracle', '--runs', '1'])).text).toMatch(/oracle +100\.0/);
  });

  it('is fetched if the person agrees, and not otherwise', async () => {
    const file = await written(bare(whole(1)));
    const questions: string[] = [];
    const says = (answer: boolean) => async (question: string) => {
      questions.push(question);
      return answer;
    };
    await expect(called(areRun(HOST), [file], says(false))).rejects.toThrow(/the file has none/);
    expect(server.asked).toEqual([]);
    expect((await called(areRun(HOST), [file], says(true))).code).toBe(EXIT.ok);
    expect(questions).toHaveLength(2);
    expect(questions[0]).toMatch(
      /^The file has no apps; they are those of .* Fetch them from 127\.0\.0\.1:\d+\? \[y\/N\] $/,
    );
  });

  it('a trace without apps is judged', async () => {
    const trace = join(root, 'trace.json');
    await called(areRun(HOST), [await written(whole(2), 'whole.json'), '--trace', trace]);
    const kept = bare(JSON.parse(await readFile(trace, 'utf8')));
    await writeFile(trace, JSON.stringify(kept));
    await expect(called(areJudge(HOST), [trace])).rejects.toThrow(/the file has none/);
    expect((await called(areJudge(HOST), [trace, '--fetch-apps'])).code).toBe(EXIT.ok);
  });
});

describe('what cannot be had is named, and nothing is kept of it', () => {
  const fetched = async (trace: Trace) => called(areRun(HOST), [await written(trace), '--fetch-apps']);

  it('no such scenario, split, set, revision; a scenario that has no apps there either', async () => {
    for (const [trace, why] of [
      [bare(whole(20)), /has no scenario .* \(2 files looked through\)/],
      [bare(whole(0), { split: 'train' }), /has no Parquet file of the split "train"/],
      [bare(whole(0), { split: 'test' }), /the scenario of that name in the data set has none either/],
      [bare(whole(0), { dataset: 'agents/none' }), /there is no such public repository/],
      [bare(whole(0), { dataset: '../x' }), /is not the name of a repository/],
      [bare(whole(0), { revision: 'other' }), /has no such revision/],
    ] as const)
      await expect(fetched(trace), String(why)).rejects.toThrow(why);
    expect(await readdir(root)).toEqual(['bare.json']);
  });

  it('no connection: the error has a remedy', async () => {
    await server.stop();
    const failed = fetched(bare(whole(0)));
    await expect(failed).rejects.toThrow(/127\.0\.0\.1:\d+ cannot be reached/);
    await expect(failed).rejects.toHaveProperty(
      'remedy',
      'Check the connection, or fetch them later. Copy the list `apps` of that scenario into the file by hand.',
    );
    server = await new HubServer().start();
  });

  it('a server that sends requests on to another host is not followed, and no token goes there', async () => {
    process.env.HF_TOKEN = 'hf_secret';
    const other = await new HubServer().start();
    try {
      server.sentTo = other.endpoint.replace('127.0.0.1', 'localhost');
      const failed = fetched(bare(whole(0)));
      await expect(failed).rejects.toThrow(/sends requests on to http:\/\/localhost:\d+\/.*; that is not followed/);
      await expect(failed).rejects.toThrow(HubError);
      expect(other.asked).toEqual([]);
      server.sentTo = null;
      server.forget();
      expect((await fetched(bare(whole(0)))).code).toBe(EXIT.ok);
      const onCdn = server.asked.filter(({ isCdn }) => isCdn);
      expect(onCdn.length).toBeGreaterThan(0);
      expect(onCdn.map(({ authorization }) => authorization)).toEqual(onCdn.map(() => null));
    } finally {
      delete process.env.HF_TOKEN;
      await other.stop();
    }
  });

  it('a file that is no Parquet, lacks columns, or promises pages without end', async () => {
    const noColumns = lfs(
      new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'x', data: [1], type: 'INT32' }] })),
    );
    const cut = FILES['execution/validation-00000-of-00001.parquet'].bytes.slice();
    cut.fill(0xff, 4, 400);
    const footer = cut.slice();
    new DataView(footer.buffer).setUint32(footer.length - 8, 0x7fffffff, true);
    for (const [file, why] of [
      [plain('no Parquet at all'), /its footer is none|cannot be read as Parquet/],
      [plain('x'), /its footer is none/],
      [noColumns, /it has the columns x, and not scenario_id and data/],
      [lfs(cut), /cannot be read as Parquet/],
      [lfs(footer), /its footer is none, or has more than 67\.1 MB/],
    ] as const) {
      server.commit(SET, { 'data/validation.parquet': file });
      const failed = fetched(bare(whole(0)));
      await expect(failed, String(why)).rejects.toThrow(why);
      await expect(failed, String(why)).rejects.toThrow(FormatError);
    }
  });

  it('what was kept is sealed: a changed byte is met as an error', async () => {
    const file = bare(whole(0));
    await fetched(file);
    const folder = join(root, '.cache/scenarios/agents--gaia2');
    const [name] = await readdir(folder);
    const path = join(folder, name as string);
    await writeFile(path, (await readFile(path, 'utf8')).replace('"commit":"', '"commit":"0'));
    await expect(fetched(file)).rejects.toThrow(DamagedError);
  });
});
