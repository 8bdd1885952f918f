// Other people's data sets as files of the lab's own: from Parquet, JSON lines and the Hub (of which only parts are fetched), shown before
// anything is written; what cannot be read as it stands is refused with the row, the column and what there is.

import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCustomFile } from '../../environments/custom/problem-file.ts';
import { rawFrame } from '../../lib/testing/zstd-frames.ts';
import { HubServer, lfs, plain } from '../../storage/models/testing/hub-server.ts';
import { callCommand } from '../testing/call.ts';
import { problems } from './problems.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'problems-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);
const called = async (...argv: string[]) => {
  const { code, text, notes } = await callCommand(problems, argv, { root: folder });
  return { code, text, notes: notes.join('\n') };
};
const refused = (...argv: string[]) =>
  called(...argv).then(
    () => 'nothing was refused',
    (error: { message: string; remedy: string }) => `${error.message} | ${error.remedy}`,
  );

/** GSM8K's form, with a null answer, a nested column and integers that a double would round. */
function sums(count: number, { padding = '', nullAt = -1, codec = 'SNAPPY' as 'SNAPPY' | 'ZSTD' } = {}): Uint8Array {
  const rows = Array.from({ length: count }, (_, i) => i);
  return new Uint8Array(
    parquetWriteBuffer({
      rowGroupSize: 5,
      codec,
      compressors: { ZSTD: (page) => rawFrame(page) },
      columnData: [
        { name: 'question', type: 'STRING', data: rows.map((i) => `What is ${i} + 2?`) },
        {
          name: 'answer',
          type: 'STRING',
          nullable: true,
          data: rows.map((i) => (i === nullAt ? null : `It is.\n#### ${i + 2}`)),
        },
        { name: 'info', type: 'JSON', data: rows.map((i) => ({ reward: { truth: i } })) },
        { name: 'key', type: 'INT64', data: rows.map((i) => BigInt(i) + 9007199254740993n) },
        { name: 'notes', type: 'STRING', data: rows.map((i) => `${i} ${padding}`) },
      ],
    }),
  );
}
const MAP = ['--map', 'prompt=question'];

describe('a data set in a file', () => {
  it('shows its first rows and the unused columns, and writes nothing', async () => {
    await writeFile(at('sums.parquet'), sums(12));
    const { text, notes } = await called(at('sums.parquet'), ...MAP, '--head', '2');
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^prompt ← question\s+answer$/),
      expect.stringMatching(/^─+ {2}─+$/),
      expect.stringMatching(/^What is 0 \+ 2\?\s+It is\. #### 2$/),
      expect.stringMatching(/^What is 1 \+ 2\?\s+It is\. #### 3$/),
    ]);
    await writeFile(at('packed.parquet'), sums(12, { codec: 'ZSTD' }));
    expect((await called(at('packed.parquet'), ...MAP, '--head', '2')).text).toBe(text);
    expect(notes).toMatch(/12 rows, 5 columns\.[\s\S]*Nothing takes info, key, notes\.[\s\S]*Nothing was written/);
  });

  it('becomes problems with checks, every row of every group; the same file gives the same bytes', async () => {
    const flawed = '{"kind": "regex", "pattern": "[0-9]"}';
    for (const out of ['one.jsonl', 'two.jsonl'])
      await called(at('sums.parquet'), ...MAP, '--map', 'id=key', '--flawed', flawed, '--out', at(out));
    const written = await readFile(at('one.jsonl'), 'utf8');
    expect(await readFile(at('two.jsonl'), 'utf8')).toBe(written);
    const read = readCustomFile(written, 'one');
    expect(read).toHaveLength(12);
    expect(read[11]).toMatchObject({ id: '9007199254741004', asked: 'What is 11 + 2?', kind: 'flawed' });
    expect(read[11].checks).toEqual([
      {
        true: expect.objectContaining({ kind: 'number', value: '13' }),
        flawed: expect.objectContaining({ kind: 'regex' }),
      },
    ]);
  });

  it('is read from JSON lines, packed or not, and from a list, with nested fields and every digit', async () => {
    const rows = Array.from({ length: 5 }, (_, i) => `{"q": {"text": "x${i}"}, "a": [{"n": 1234567890123456789${i}}]}`);
    await writeFile(at('rows.jsonl'), rows.join('\n'));
    await writeFile(at('rows.jsonl.gz'), gzipSync(rows.join('\n')));
    await writeFile(at('rows.json'), `[${rows.join(',')}]`);
    const texts = await Promise.all(
      ['rows.jsonl', 'rows.jsonl.gz', 'rows.json'].map(async (name) => {
        await called(at(name), '--map', 'prompt=q.text', '--map', 'answer=a.0.n', '--out', at(`${name}.out`));
        return readFile(at(`${name}.out`), 'utf8');
      }),
    );
    expect(new Set(texts).size).toBe(1);
    expect(JSON.parse(texts[0].split('\n')[4]).checks[0].true.value).toBe('12345678901234567894');
  });

  it('becomes prompts of instructions, whose empty arguments Parquet has as nulls', async () => {
    const row = (key: number) => ({
      key,
      prompt: 'Say no commas.',
      instruction_id_list: ['punctuation:no_comma'],
      kwargs: [{ num_words: null, relation: null }],
    });
    await writeFile(at('ifeval.jsonl'), [1, 2].map((key) => JSON.stringify(row(key))).join('\n'));
    await called(at('ifeval.jsonl'), '--for', 'instructions', '--out', at('ifeval.out'));
    const [first] = (await readFile(at('ifeval.out'), 'utf8')).split('\n');
    expect(JSON.parse(first)).toEqual({ ...row(1), key: '1', kwargs: [{}] });
  });

  it('becomes a teacher pool, whose labels are checked', async () => {
    const row = { problem_id: 'a@exit_code', prompt: 'p', text: 'c', reward: 1.25, passed: true, gt_correct: false };
    const write = (exploited: boolean) =>
      writeFile(at('pool.jsonl'), JSON.stringify({ ...row, exploited, mechanism: null }));
    const pool = [at('pool.jsonl'), '--for', 'pool', '--map', 'completion=text', '--out', at('pool.out')];
    await write(false);
    expect(await refused(...pool)).toMatch(/contradicts itself/);
    await write(true);
    expect((await called(...pool)).code).toBe(0);
  });
});

describe('what cannot be read as it stands', () => {
  it.each<[string, string[], RegExp]>([
    [
      'no column for a field',
      [],
      /need a prompt.*has no column.*--map prompt=COLUMN.*question, answer, info, key, notes/,
    ],
    ['a column that is not there', ['--map', 'prompt=questoin'], /no column "questoin".*question, answer, info/],
    ['a field that is not there', ['--map', 'promt=question'], /no field of that name; did you mean prompt\?/],
    [
      'an object where a text is wanted',
      ['--map', 'prompt=info'],
      /row 1: prompt \(column info\) is an object.*info\.reward/,
    ],
    ['a nested field that is not there', ['--map', 'prompt=info.x'], /row 1: prompt \(column info\.x\) is missing/],
    ['a null answer', MAP, /row 8: answer is null.*--drop-null/],
    [
      'text where a number is wanted',
      [...MAP, '--map', 'answer=notes'],
      /row 1: answer "0 pad" is not one number.*--check equals/,
    ],
    [
      'flags of another kind',
      [...MAP, '--for', 'pool', '--check', 'equals'],
      /--check and --flawed are of --for custom/,
    ],
    ['a file with a split', [...MAP, '--split', 'test'], /is a file.*of the Hub/],
  ])('%s is refused', async (_, argv, says) => {
    await writeFile(at('null.parquet'), sums(12, { nullAt: 7, padding: 'pad' }));
    expect(await refused(at('null.parquet'), ...argv, '--out', at('never.jsonl'))).toMatch(says);
    expect(existsSync(at('never.jsonl'))).toBe(false);
  });

  it('is left out on request, and counted; surplus rows are reported', async () => {
    await writeFile(at('null.parquet'), sums(12, { nullAt: 7 }));
    const drop = await called(at('null.parquet'), ...MAP, '--drop-null', '--out', at('dropped.jsonl'));
    expect(drop.notes).toMatch(/null: 1 of 12\./);
    const some = await called(at('null.parquet'), ...MAP, '--first', '6', '--out', at('some.jsonl'));
    expect(some.notes).toMatch(/has more rows than were read/);
    expect((await readFile(at('some.jsonl'), 'utf8')).trim().split('\n')).toHaveLength(6);
  });

  it('names what a file is that is no table, and a Parquet file that lies', async () => {
    await writeFile(at('a.pdf'), '%PDF-1.4 …');
    expect(await refused(at('a.pdf'))).toMatch(/is a PDF, and no table of rows/);
    const cut = sums(12);
    await writeFile(at('cut.parquet'), cut.slice(0, cut.length - 40));
    expect(await refused(at('cut.parquet'), ...MAP)).toMatch(/cannot be read as Parquet/);
    await writeFile(at('half.jsonl'), '{"prompt": "a", "answer": "1"}\n{"prompt": ');
    expect(await refused(at('half.jsonl'))).toMatch(/row 2 is not JSON/);
    await writeFile(at('list.jsonl'), '{"prompt": "a", "answer": "1"}\n[1]');
    expect(await refused(at('list.jsonl'))).toMatch(/row 2 is no object with named columns/);
    expect(await refused(at('none.jsonl'))).toMatch(/there is no such file/);
  });
});

describe('a data set on the Hub', () => {
  const SET = 'somebody/sums';
  let hub: HubServer;
  beforeAll(async () => {
    hub = await new HubServer().start();
    process.env.HF_ENDPOINT = hub.endpoint;
    // No field uses this column of a megabyte.
    const large = sums(12, { padding: Array.from({ length: 90_000 }, (_, i) => i).join(' ') });
    hub.commit(SET, {
      'README.md': plain('# Sums'),
      'main/train-00000-of-00002.parquet': lfs(large),
      'main/train-00001-of-00002.parquet': lfs(sums(4)),
      'main/test-00000-of-00001.parquet': lfs(sums(6)),
      'other/test-00000-of-00001.parquet': lfs(sums(7)),
    });
  });
  afterAll(async () => {
    delete process.env.HF_ENDPOINT;
    await hub.stop();
  });

  it('is read in shards, of which only the wanted columns are fetched', async () => {
    const { text } = await called(SET, ...MAP, '--out', at('hub.jsonl'), '--json');
    expect(JSON.parse(text)).toMatchObject({ taken: 16, rows: null });
    const lines = (await readFile(at('hub.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(Array.from({ length: 16 }, (_, i) => `row-${i + 1}`));
    const { notes } = await called(SET, ...MAP, '--first', '4', '--out', at('few.jsonl'));
    const [, kilobytes] = /([\d.]+) kB were fetched/.exec(notes)!;
    expect(Number(kilobytes)).toBeLessThan(600);
  });

  it('asks for the part where a split is in several, and names what there is', async () => {
    expect(await refused(SET, ...MAP, '--split', 'test')).toMatch(/split test in 2 parts: main, other\. \| .*--config/);
    const { text } = await called(SET, ...MAP, '--split', 'test', '--config', 'other', '--json');
    expect(JSON.parse(text)).toMatchObject({ rows: 7 });
    expect(await refused(SET, ...MAP, '--split', 'dev')).toMatch(/no file of the split "dev"; it has .*--split/);
    expect(await refused('somebody/none', ...MAP)).toMatch(/somebody\/none/);
  });
});
