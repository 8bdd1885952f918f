// Tests data sets as the worker reads them for the page: first rows, paths into columns, converted rows, files of the lab's own; from a
// file, and from the Hub.
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, it } from 'vitest';
import { readCustomFile } from '../../environments/custom/problem-file.ts';
import { HubServer, lfs } from '../../storage/models/testing/hub-server.ts';
import { Stoppables } from '../work/stoppables.ts';
import { createTableHandlers } from './tables.ts';

const rows = Array.from({ length: 8 }, (_, i) => i);
const sums = (padding = ''): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'question', type: 'STRING', data: rows.map((i) => `What is ${i} + 1?`) },
        { name: 'info', type: 'JSON', data: rows.map((i) => ({ truth: i + 1, deep: { list: [i] } })) },
        { name: 'notes', type: 'STRING', data: rows.map((i) => `${i}${padding}`) },
      ],
    }),
  );
const asked = (source: Parameters<ReturnType<typeof createTableHandlers>['readTable']>[0]['source']) => ({
  task: 't',
  source,
});
const CUSTOM = { target: 'custom', map: { prompt: 'question', answer: 'info.truth' } } as const;
const HOW = { check: 'number', flawed: null, dropNull: false } as const;

it('shows a file’s first rows, its paths, and the converted rows', async () => {
  const table = createTableHandlers({ tasks: new Stoppables() });
  const ask = asked({ file: new Blob([sums()]), name: 'sums.parquet' });
  const report = await table.readTable(ask);
  expect(report).toMatchObject({ name: 'sums.parquet', rows: 8, columns: ['question', 'info', 'notes'] });
  expect(report.first).toHaveLength(5);
  expect(report.first[4]).toEqual(['What is 4 + 1?', '{"truth":5,"deep":{"list":[4]}}', '4']);
  expect(report.paths).toEqual('question info info.truth info.deep info.deep.list info.deep.list.0 notes'.split(' '));
  expect(report.targets.custom.fields.filter(({ isNeeded }) => isNeeded).map(({ name }) => name)).toEqual([
    'prompt',
    'answer',
  ]);
  const preview = await table.previewTable(Object.assign({}, ask, CUSTOM));
  expect([preview.rows[0], preview.unused]).toEqual([['What is 0 + 1?', '1'], ['notes']]);
  await expect(table.previewTable(Object.assign({}, ask, CUSTOM, { map: {} }))).rejects.toThrow(SpecError);
  const none = asked({ file: new Blob(['words']), name: 'x' });
  await expect(table.readTable(none)).rejects.toThrow(FormatError);
});

it('makes a file of the lab’s own format', async () => {
  const table = createTableHandlers({ tasks: new Stoppables() });
  const ask = asked({ file: new Blob([sums()]), name: 'sums.parquet' });
  const { file, taken, dropped, isCut } = await table.convertTable(Object.assign({}, ask, CUSTOM, HOW));
  expect([taken, dropped, isCut]).toEqual([8, 0, false]);
  const problems = readCustomFile(await file.text(), 'made');
  expect(problems[7]).toMatchObject({ asked: 'What is 7 + 1?', checks: [{ true: { kind: 'number', value: '8' } }] });
  const few = Object.assign({}, ask, CUSTOM, HOW, { map: { prompt: 'question', answer: 'notes.x' } });
  await expect(table.convertTable(few)).rejects.toThrow('sums.parquet: row 1: answer (column notes.x)');
});

it('reads a split of the Hub', async () => {
  const hub = await new HubServer().start();
  try {
    const large = sums('n'.repeat(200_000));
    hub.commit('owner/sums', { 'data/train-00000-of-00001.parquet': lfs(large) });
    const table = createTableHandlers({ tasks: new Stoppables() }, { endpoint: hub.endpoint });
    const ask = asked({ dataset: 'owner/sums', revision: 'main', split: 'train', config: null });
    expect((await table.previewTable(Object.assign({}, ask, CUSTOM))).rows[2]).toEqual(['What is 2 + 1?', '3']);
    const other = asked({ dataset: 'owner/sums', revision: 'main', split: 'test', config: null });
    hub.commit('owner/sums', { 'data/train-00000-of-00001.parquet': lfs(large), 'data/dev.parquet': lfs(large) });
    await expect(table.readTable(other)).rejects.toThrow('no file of the split "test"');
  } finally {
    await hub.stop();
  }
});
