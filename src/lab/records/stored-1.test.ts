// Tests records of layout 1 (testing/stored-1: IndexedDB records and archives of the test model): they still open with the same figures,
// and a stopped run resumes to the bytes that it would have had then.
import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { buildTable } from '../../experiments/analysis/table.ts';
import type { TableRow } from '../../experiments/records/events.ts';
import {
  fromEvalRow,
  fromRollout,
  fromStepRow,
  fromTableRow,
  toEvalRow,
  toStepRow,
} from '../../experiments/records/layout-1.ts';
import { memoryStores, type StoreName, type Stores } from '../../storage/kv.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { importArchive } from '../testing/import.ts';
import { closeTestLabs, openedLab as lab } from '../testing/lab.ts';
import { readRolloutStep } from './schema.ts';

const at = (name: string) => readFileSync(new URL(`./testing/stored-1/${name}`, import.meta.url));
const json = (name: string) => JSON.parse(at(name).toString());
const ended = (id: string) => (event: WorkerEvent) =>
  event.type === 'experiment' && event.summary.id === id && !['waiting', 'running'].includes(event.summary.status);

async function storesOfThen(): Promise<Stores> {
  const stores = await memoryStores();
  const dump = deserialize(gunzipSync(at('stores.v8.gz'))) as Record<StoreName, [string, unknown][]>;
  for (const [name, entries] of Object.entries(dump)) await stores[name as StoreName].setMany(entries);
  return stores;
}

/** An old row had empty columns for parts that its model lacks. */
const withoutEmptyParts = (row: TableRow): object =>
  Object.fromEntries(
    Object.entries(row).filter(
      ([, part]) => typeof part !== 'object' || part === null || Object.values(part).some((cell) => cell !== null),
    ),
  );

afterEach(closeTestLabs);

describe('records of layout 1', () => {
  it('are listed and read, with their table', async () => {
    const { records } = await lab(await storesOfThen());
    expect((await records.experiments()).map(({ id, status, name }) => [id, status, name])).toEqual(
      expect.arrayContaining([
        ['done', 'done', 'first try'],
        ['half', 'stopped', undefined],
      ]),
    );
    const runs = await records.runs(await records.experiment('done'));
    expect(runs.map(({ rows, evals }) => [rows.length, evals.length > 0])).toEqual([
      [3, true],
      [3, true],
      [3, true],
    ]);
    // Compares figures and verdicts; since then row labels have changed (analysis/names.ts), and `unchanged` was added.
    const unnamed = (row: object) => ({ ...row, label: undefined, unchanged: undefined });
    const then = json('table.json').map(fromTableRow);
    expect(buildTable(runs).map(withoutEmptyParts).map(unnamed)).toEqual(then.map(withoutEmptyParts).map(unnamed));
    const { rollouts, steps } = await records.rollouts.at('done/none/41', 3);
    expect(steps).toEqual([1, 2, 3]);
    expect(rollouts).toHaveLength(8);
    for (const { verdict } of rollouts) {
      expect(verdict.gt_correct).toBeTypeOf('boolean');
      expect(Object.keys(verdict)).not.toContain('gtCorrect');
    }
    expect((await records.checkpoints.load('done/route/41'))?.refreshed?.own?.step).toBe(2);
  });

  it('resume a stopped run to the same bytes', async () => {
    const { session, records, until } = await lab(await storesOfThen());
    await session.resume('half');
    expect(await until(ended('half'))).toMatchObject({ summary: { status: 'done' } });
    const [{ rows, evals }] = await records.runs(await records.experiment('half'));
    const { rows: then, evals: evalsThen } = json('half-resumed.json');
    expect(JSON.parse(JSON.stringify({ rows, evals }))).toEqual({
      rows: then.map(fromStepRow),
      evals: evalsThen.map(fromEvalRow),
    });
    // Written in the old layout, the rows equal the old bytes.
    expect(JSON.parse(JSON.stringify(rows.map(toStepRow)))).toEqual(then);
    expect(JSON.parse(JSON.stringify(evals.map(toEvalRow)))).toEqual(evalsThen);
    // An evaluation by other splits cannot be written in the old layout.
    const [later] = evals.map((row) => ({ ...row, splits: { shown: row.all } }));
    expect(toEvalRow(later)).toBe(later);
  });

  it('with a verdict stored as gtCorrect, in today’s layout too, are read as gt_correct in the same place', async () => {
    const verdict = { formatOk: true, passed: true, gtCorrect: null, exploited: false };
    const of = {
      step: 1,
      promptIndex: 0,
      sampleIndex: 0,
      taskId: 'a',
      kind: 'honest',
      source: 'student',
      advantage: 0,
    };
    const kept = { ...of, turns: [{ prompt: '', completion: '', logprobs: null }], reward: 1.25, verdict };
    const read = { formatOk: true, passed: true, gt_correct: null, exploited: false };
    expect(JSON.stringify(fromRollout(kept).verdict)).toBe(JSON.stringify(read));
    expect(readRolloutStep({ step: 1, rollouts: [kept] }, 'here').rollouts[0].verdict).toEqual(read);
  });

  it.each(['done', 'half'])('the archive of %s is taken in', async (id) => {
    const { records, equipment } = await lab();
    await equipment.open('cpu');
    const { policy, model } = equipment.current! as Extract<typeof equipment.current, { policy: unknown }>;
    const target = { layout: policy!.adapterLayout, modelSha256: model.sha256 };
    const imported = await importArchive(records, new Blob([at(`${id}.zip`)]), `${id}.zip`, target);
    expect(imported).toMatchObject({ kind: 'run', summary: { id } });
    const kept = await lab(await storesOfThen());
    const [here, then] = [records, kept.records];
    expect(await here.runs(await here.experiment(id))).toEqual(await then.runs(await then.experiment(id)));
  });
});
