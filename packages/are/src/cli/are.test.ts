// Tests the agent commands from the command line: printed text and exit code.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { traceText } from '../scenario/export.ts';
import { sampleTrace } from '../testing/sample.ts';
import { ALONE } from './alone.ts';
import { areBench } from './bench.ts';
import { areGenerate } from './generate.ts';
import { areJudge } from './judge.ts';
import { areOracle } from './oracle.ts';
import { areParity } from './parity.ts';
import { areRun } from './run.ts';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'are-'));
  file = join(folder, 'sample.json');
  await writeFile(file, traceText(sampleTrace()));
});
afterAll(() => rm(folder, { recursive: true }));

async function called(command: Command, ...argv: string[]): Promise<[number, string]> {
  const lines: string[] = [];
  const progress = { update: () => {}, line: () => {}, note: () => {}, end: () => {} };
  const code = await command.run(argv, {
    out: (text) => void lines.push(text),
    progress,
    signal: new AbortController().signal,
    root: '.',
  });
  return [code, lines.join('\n')];
}

it('plays, writes the run as a trace, and gives the trace the same verdict', async () => {
  for (const agent of ['oracle', 'oracle-mistake', 'random'] as const) {
    const trace = join(folder, `${agent}.json`);
    const [code, text] = await called(areRun(ALONE), file, '--agent', agent, '--trace', trace, '--json');
    const played = JSON.parse(text);
    const [judgedCode, judgedText] = await called(areJudge(ALONE), trace, '--json');
    expect([agent, code, judgedCode]).toEqual([
      agent,
      ...(agent === 'oracle' ? [EXIT.ok, EXIT.ok] : [EXIT.failed, EXIT.failed]),
    ]);
    expect(JSON.parse(judgedText).rationale).toBe(played.rationale);
    expect(JSON.parse(await readFile(trace, 'utf8')).metadata.annotation.validation_decision).toBe(
      agent === 'oracle' ? 'Valid' : 'Invalid',
    );
  }
});

it('judges a run whose file lacks its oracle by the whole file', async () => {
  const bare = join(folder, 'bare');
  await called(areGenerate(ALONE), '--splits', 'adaptability', '--n', '1', '--out', bare, '--without-oracle');
  await called(areGenerate(ALONE), '--splits', 'adaptability', '--n', '1', '--out', join(folder, 'whole'));
  const [name] = await readdir(bare);
  const whole = join(folder, 'whole', name as string);
  const trace = join(folder, 'examined.json');
  const [silent, text] = await called(areRun(ALONE), join(bare, name as string), '--agent', 'silent');
  expect([silent, text]).toEqual([EXIT.failed, expect.stringContaining('Nothing to judge.')]);
  expect(text).toContain(`0 of ${JSON.parse((await called(areOracle(ALONE), whole, '--json'))[1]).turns} turns`);
  await called(areRun(ALONE), whole, '--agent', 'oracle', '--trace', trace);
  const { events } = JSON.parse(await readFile(join(bare, name as string), 'utf8'));
  const { metadata } = JSON.parse(await readFile(join(bare, name as string), 'utf8'));
  await writeFile(trace, JSON.stringify({ ...JSON.parse(await readFile(trace, 'utf8')), events, metadata }));
  expect(await called(areJudge(ALONE), trace)).toEqual([EXIT.failed, expect.stringContaining('Nothing to judge.')]);
  expect(await called(areJudge(ALONE), trace, '--against', whole)).toEqual([EXIT.ok, 'Passed.']);
  await expect(called(areJudge(ALONE), trace, '--against', file)).rejects.toThrow(
    /is the scenario sample, and the run is of/,
  );
});

it('names the argument that differed', async () => {
  const [, text] = await called(areRun(ALONE), file, '--agent', 'oracle-mistake', '--seed', '1');
  expect(text).toMatch(/The mistake: o\d has another \w+\./);
  expect(text).toMatch(/What differs:\n {2}AGENT-\S+, \w+ \(\w+_checker\): agent .+, oracle .+/);
});

it('lists the oracle’s actions', async () => {
  const [code, text] = await called(areOracle(ALONE), file, '--json');
  expect(code).toBe(EXIT.ok);
  expect(JSON.parse(text).events.map(({ id, turn }: { id: string; turn: number }) => `${id} ${turn}`)).toEqual([
    'u1 0',
    'o1 0',
    'o2 0',
    'e1 1',
    'o3 1',
    'o4 1',
  ]);
});

it('writes scenarios that can be played, and tabulates who solves them', async () => {
  const out = join(folder, 'made');
  await called(areGenerate(ALONE), '--splits', 'time', '--n', '2', '--out', out);
  const names = await readdir(out);
  expect(names).toHaveLength(2);
  expect((await called(areRun(ALONE), join(out, names[0] as string)))[0]).toBe(EXIT.ok);
  // A repeated command overwrites its own file; another file of that name stays unchanged.
  const again = ['--splits', 'time', '--n', '2', '--out', out];
  expect((await called(areGenerate(ALONE), ...again))[0]).toBe(EXIT.ok);
  const foreign = join(out, names[1] as string);
  const whole = await readFile(foreign, 'utf8');
  await writeFile(foreign, 'my notes');
  await expect(called(areGenerate(ALONE), ...again)).rejects.toThrow(/is there already \(8 bytes\)/);
  expect(await readFile(foreign, 'utf8')).toBe('my notes');
  await writeFile(foreign, whole);
  const bench = [
    '--splits',
    'all',
    '--n',
    '1',
    '--runs',
    '2',
    '--agents',
    'oracle,silent',
    '--rows',
    join(folder, 'rows'),
  ];
  const [, first] = await called(areBench(ALONE), ...bench);
  expect(first).toMatch(/oracle(?: +100\.0 ± 0\.0){6}\nsilent +0\.0 ± 0\.0/);
  // Budgets are in actions and simulated seconds; without a model there are no tokens.
  expect(first).toMatch(/Runs passed within so many questions.*\noracle +10 .*100\.0\nsilent +10 .*0\.0\n/s);
  expect(first).not.toContain('tokens read');
  const { table } = JSON.parse((await called(areBench(ALONE), ...bench, '--json'))[1]);
  expect(table[0].budget.seconds.rises.at(-1).share).toBe(1);
  expect(table[1].budget.calls).toEqual({ n: 10, rises: [] });
  // Finished runs are not repeated: the changed row stays.
  const rows = (await readFile(join(folder, 'rows'), 'utf8')).trim().split('\n');
  expect(rows).toHaveLength(20);
  const changed = (seal: RegExp) =>
    writeFile(
      join(folder, 'rows'),
      rows.map((row) => row.replace('"success":false', '"success":true').replace(seal, '')).join('\n'),
    );
  await changed(/^$/);
  await expect(called(areBench(ALONE), ...bench)).rejects.toThrow(/rows:3 is damaged/);
  await changed(/,"sha256":"\w{64}"/);
  expect((await called(areBench(ALONE), ...bench))[1]).toMatch(/silent +100\.0/);
});

it('finds a difference from a recorded run, and none if there is none', async () => {
  await rm(join(folder, 'made'), { recursive: true });
  const recorded = [{ value: '3', type: 'int', out: 3 }];
  await writeFile(join(folder, 'parse_parameter_value.json'), JSON.stringify(recorded));
  await rm(file);
  for (const name of ['oracle', 'oracle-mistake', 'random']) await rm(join(folder, `${name}.json`));
  expect((await called(areParity(ALONE), folder))[0]).toBe(EXIT.ok);
  await writeFile(join(folder, 'parse_parameter_value.json'), JSON.stringify([{ ...recorded[0], out: 4 }]));
  const [code, text] = await called(areParity(ALONE), folder);
  expect([code, text.includes('.out: expected 4, got 3')]).toEqual([EXIT.failed, true]);
});
