import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { KIND_IDS, type KindId } from '../../experiments/records/kind.ts';
import type { SummaryOf } from '../../lab/protocol/kept.ts';
import { fakeLab, lists, state, summary } from '../testing/fake-lab.ts';

const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], device: 'cpu' });
const made: { [K in KindId]: SummaryOf<K> } = {
  run: { ...summary('x', 'done'), spec, name: 'mine' },
  probe: { id: 'x', createdAt: 1, name: 'mine', ask: null, report: null, file: null } as unknown as SummaryOf<'probe'>,
};

/** A worker that stores one entry of every kind, all with the same id. */
function kept() {
  const words: Record<string, object> = {};
  const deleted: string[] = [];
  const fake = fakeLab({
    ...lists,
    'kept.list': ({ kind }: { kind: KindId }) =>
      deleted.includes(kind) ? [] : [{ ...made[kind], ...(words[kind] ?? {}) }],
    'kept.annotate': ({ kind, changes }: { kind: KindId; changes: { name: string } }) => {
      if (changes.name === '') return new SpecError('no', '');
      words[kind] = changes;
      return { ...made[kind], ...changes };
    },
    'kept.delete': ({ kind }: { kind: KindId }) => void deleted.push(kind),
  });
  return { fake, deleted };
}

beforeEach(() => {
  vi.useFakeTimers();
});

describe.each(KIND_IDS)('stored entries: %s', (kind) => {
  const others = KIND_IDS.filter((other) => other !== kind);

  it('can be renamed, or the refusal is reported', async () => {
    const { fake } = kept();
    await fake.lab.boot('', false);
    expect(await fake.lab.annotate(kind, 'x', { name: 'other' })).toBe(true);
    expect(state(fake).kept[kind]).toMatchObject([{ id: 'x', name: 'other' }]);
    for (const other of others) expect(state(fake).kept[other]).toMatchObject([{ name: 'mine' }]);
    expect(await fake.lab.annotate(kind, 'x', { name: '' })).toBe(false);
    expect(state(fake).notices.at(-1)).toMatchObject({ tone: 'bad', message: 'no' });
  });

  it('are deleted separately when removed permanently', async () => {
    const { fake, deleted } = kept();
    await fake.lab.boot('', false);
    fake.lab.remove(kind, state(fake).kept[kind][0]);
    expect(state(fake).notices.at(-1)?.message).toBe(
      'Deleted “mine”. You can restore it until this page closes (Library, Runs).',
    );
    expect(state(fake).kept[kind]).toEqual([]);
    for (const other of others) expect(state(fake).kept[other]).toHaveLength(1);
    // The entry was started again, or imported, in the meantime.
    fake.emit({ type: 'kept', kind, id: 'x' });
    await vi.advanceTimersByTimeAsync(10);
    await fake.lab.deletions.empty();
    expect([deleted, state(fake).kept[kind].length]).toEqual([[], 1]);
    fake.lab.remove(kind, state(fake).kept[kind][0]);
    for (const other of others) fake.emit({ type: 'kept', kind: other, id: 'x' });
    await vi.advanceTimersByTimeAsync(10);
    await fake.lab.deletions.empty();
    expect([deleted, state(fake).kept[kind].length]).toEqual([[kind], 0]);
  });
});

it('resume where they were stopped: a run from its checkpoints, a probe with its request', async () => {
  const ask = { teacher: { kind: 'onnx' }, problems: 2, samples: 4, seed: 41, settings: {} };
  const stopped = {
    run: { ...made.run, status: 'stopped' as const },
    probe: { ...made.probe, ask } as SummaryOf<'probe'>,
  };
  const fake = fakeLab({
    ...lists,
    'kept.load': () => ({ record: { ...stopped.run, runIds: [], result: null }, runs: [] }),
    runProbe: () => stopped.probe,
  });
  await fake.lab.boot('', false);
  await fake.lab.goOn('run', stopped.run);
  expect(fake.asked).toContainEqual({ kind: 'resume', params: { id: 'x' } });
  fake.lab.store.setState({ busy: false });
  await fake.lab.goOn('probe', stopped.probe);
  expect(fake.asked).toContainEqual({ kind: 'runProbe', params: { task: expect.any(String), ask } });
});

it('report how much computing time a stored run represents, by its own timings', async () => {
  const timings = [{ total: 40 }, { total: 41.5 }];
  const fake = fakeLab({ ...lists, 'kept.load': () => ({ record: made.run, runs: [{ timings }, { timings: [] }] }) });
  await fake.lab.boot('', false);
  expect(await fake.lab.workOf('run', 'x')).toBe(81.5);
  expect(await fake.lab.workOf('probe', 'x')).toBe(0);
});

it('report once what could not be read, and show the rest', async () => {
  const fake = fakeLab({
    ...lists,
    'kept.list': ({ kind }: { kind: KindId }) => (kind === 'run' ? [made.run] : new SpecError('damaged', '')),
  });
  await fake.lab.boot('', false);
  expect(state(fake).kept.run).toHaveLength(1);
  expect(state(fake).notices.map(({ message }) => message)).toEqual(['damaged']);
});

it('send a dropped file to the reader that its first bytes indicate, whatever its name, and identify foreign files', async () => {
  const fake = fakeLab({
    ...lists,
    importArchive: () => new SpecError('cut', ''),
    importPool: () => ({ id: 'p', rows: 2, problems: 1 }),
    readTable: () => new SpecError('no table', ''),
    importPairs: () => new SpecError('no pairs', ''),
    importProblems: () => new SpecError('no problems', ''),
    openLog: () => new SpecError('no log', ''),
    saveBasis: () => new SpecError('no basis', 'Take another.'),
  });
  await fake.lab.boot('', false);
  const dropped = (content: string, name: string) => fake.lab.dropFiles([new File([content], name)]);
  const header = '\x02\0\0\0\0\0\0\0{}';
  for (const [content, name, asked] of [
    ['PK\x03\x04', 'no-name', 'importArchive'],
    ['{"completion": "x", "passed": true}\n{"a": 2}', 'no-name', 'importPool'],
    ['{"completion": "x", "passed": true}', 'pool.jsonl', 'importPool'],
    ['{"a": 1}\n{"a": 2}', 'no-name', 'readTable'],
    ['[{"a": 1}]', 'pairs.json', 'readTable'],
    ['[{"prompt": "x", "hack": "y"}]', 'no-name', 'importPairs'],
    ['{"id": "x", "checks": []}', 'mine.jsonl', 'importProblems'],
    ['{"eval": {}, "status": "success"}', 'pairs.json', 'openLog'],
    [header, 'no-name', 'saveBasis'],
    ['\0\0', 'cut.safetensors', 'saveBasis'],
  ]) {
    fake.asked.length = 0;
    await dropped(content, name);
    expect(fake.asked[0]?.kind, name).toBe(asked);
  }
  expect(state(fake).notices.at(-1)).toMatchObject({
    tone: 'bad',
    message: 'cut.safetensors was not accepted as a basis. no basis',
    remedy: 'Take another.',
  });
  fake.asked.length = 0;
  await dropped('%PDF-1.7', 'basis.safetensors');
  expect(fake.asked).toEqual([]);
  expect(state(fake).notices.at(-1)).toMatchObject({
    tone: 'bad',
    message: 'basis.safetensors was not imported: this is a PDF.',
    remedy: expect.stringMatching(/a basis \(\.safetensors\)/),
  });
  await dropped('{"model_type": "qwen3"}', 'pairs.json');
  expect(fake.asked).toEqual([]);
  expect(state(fake).notices.at(-1)).toMatchObject({
    message: 'pairs.json was not imported: this is a model’s config.',
    remedy: expect.stringMatching(/the whole folder/),
  });
});

it('show an imported run, with the rollouts of its last step', async () => {
  const runs = [{ id: 'x/none/1', spec, status: 'done', rows: [{ step: 1 }], timings: [], evals: [] }];
  const rollouts = [{ step: 1, promptIndex: 0, sampleIndex: 0 }];
  const fake = fakeLab({
    ...lists,
    importArchive: () => ({ kind: 'run', summary: made.run }),
    'kept.load': () => ({ record: { ...made.run, runIds: ['x/none/1'], result: null }, runs }),
    rollouts: () => ({ steps: [1], rollouts }),
  });
  await fake.lab.boot('', false);
  await fake.lab.dropFiles([new File(['PK\x03\x04'], 'x.zip')]);
  const notice = state(fake).notices.at(-1)!;
  expect(notice.message).toBe('“mine” was imported.');
  notice.action!.run();
  await vi.advanceTimersByTimeAsync(10);
  expect(state(fake)).toMatchObject({ opened: { id: 'x' }, rollouts: { runId: 'x/none/1', step: 1 } });
  expect(state(fake).notices.filter(({ tone }) => tone === 'bad')).toEqual([]);
});
