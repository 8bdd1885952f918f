// Tests pair sets and bases through the worker's own handlers: stored by content, extracted as in a run, stopped by an experiment,
// compared.

import { FormatError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { pairsFromJson, pairsOf, pairsToJson } from '../../environments/pair-sets.ts';
import { PRESETS } from '../../experiments/config/presets.ts';
import { type ExperimentSpec, parseExperimentSpec } from '../../experiments/config/spec.ts';
import { pairSetId } from '../../experiments/records/artifacts.ts';
import { EXTRACTION_SETTINGS, type ExtractionRequest } from '../protocol/bases.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { closeTestWorkers, openTestWorker } from '../testing/worker.ts';

afterEach(closeTestWorkers);

const worker = () => openTestWorker();

const settings = (changes: Partial<ExtractionRequest> = {}): ExtractionRequest => {
  const all = { ...PRESETS.smoke.settings, pairs: 8, k: 3, ...changes };
  return Object.fromEntries(EXTRACTION_SETTINGS.map((name) => [name, all[name]])) as unknown as ExtractionRequest;
};
const small = { steps: 1, maxNew: 8, problems: 8, evalProblems: 2, finalEvalProblems: 2 };
const spec = (overrides: ExperimentSpec['overrides']) =>
  parseExperimentSpec({ preset: 'smoke', arms: ['erase'], device: 'cpu', overrides: { ...small, ...overrides } });
const done = (id: string) => (event: WorkerEvent) =>
  event.type === 'experiment' && event.summary.id === id && !['waiting', 'running'].includes(event.summary.status);

describe('pair sets', () => {
  it('are stored by their pairs: an edit is another set, another name is not', async () => {
    const { ask } = await worker();
    const pairs = await pairsOf({ pairSet: 'prog_wide', count: 4 });
    const file = new Blob([pairsToJson(pairs)]);
    const first = await ask('importPairs', { file, name: 'mine.json' });
    expect(first).toMatchObject({ id: await pairSetId(pairs), name: 'mine', pairs: 4 });
    expect(first.mechanisms).toEqual({ run_tests: 1, sentinel: 1, stdout_marker: 1, file_marker: 1 });
    expect(await ask('loadPairs', settings({ pairSet: first.id }))).toEqual(pairs);
    expect(await ask('loadPairs', settings({ pairSet: first.id, pairModes: ['sentinel'] }))).toEqual([pairs[1]]);

    expect(await ask('savePairs', { name: ' other ', pairs, replaces: null })).toEqual({ ...first, name: 'other' });
    const edited = [{ ...pairs[0], hack: 'pass' }, ...pairs.slice(1)];
    const second = await ask('savePairs', { name: 'other', pairs: edited, replaces: first.id });
    expect(second.id).not.toBe(first.id);
    expect((await ask('listPairSets')).map(({ id }) => id)).toEqual([second.id]);
    await ask('deletePairs', { id: second.id });
    await expect(ask('loadPairs', settings({ pairSet: second.id }))).rejects.toBeInstanceOf(SpecError);
  });

  it('are refused if invalid, with the file and the pair named', async () => {
    const { ask } = await worker();
    const pairs = await pairsOf({ pairSet: 'prog_wide', count: 3 });
    const bad = (text: string) => ask('importPairs', { file: new Blob([text]), name: 'bad.json' });
    await expect(bad('{')).rejects.toThrow(/bad\.json.*not JSON/);
    await expect(bad(JSON.stringify([pairs[0], { ...pairs[1], clean: 7 }]))).rejects.toThrow(
      /bad\.json: pair 1: clean/,
    );
    const same = pairs.map((pair) => ({ ...pair, hack: pair.clean }));
    await expect(ask('savePairs', { name: 'same', pairs: same, replaces: null })).rejects.toBeInstanceOf(FormatError);
    await expect(ask('savePairs', { name: '  ', pairs, replaces: null })).rejects.toThrow(/name/);
    expect(await ask('listPairSets')).toEqual([]);
    expect(pairsFromJson(pairsToJson(pairs))).toEqual(pairs);
  });
});

describe('a run with the user’s own pairs', () => {
  it('extracts from them, and includes them in its archive', async () => {
    const here = await worker();
    const pairs = await pairsOf({ pairSet: 'prog_wide', count: 6 });
    const mine = [{ ...pairs[0], hack: pairs[1].hack }, ...pairs.slice(1)];
    const set = await here.ask('savePairs', { name: 'mine', pairs: mine, replaces: null });
    await here.ask('start', { id: 'own', spec: spec({ pairSet: set.id, pairs: 6, k: 2 }) });
    expect(await here.until(done('own'))).toMatchObject({ summary: { status: 'done' } });
    const [kept] = await here.records.bases.list();
    const asked = { task: 't', settings: settings({ pairSet: set.id, pairs: 6, k: 2 }), name: 'x' };
    expect((await here.ask('extractBasis', asked)).id).toBe(kept.id);

    // A set that a stored run names is kept beside its edited copy.
    const edit = await here.ask('savePairs', { name: 'mine', pairs, replaces: set.id });
    expect((await here.ask('listPairSets')).map(({ id }) => id).sort()).toEqual([set.id, edit.id].sort());

    const zip = await here.ask('kept.export', { kind: 'run', id: 'own' });
    const there = await worker();
    await there.ask('importArchive', { file: zip, name: 'own.zip' });
    expect((await there.ask('listPairSets')).map(({ id }) => id)).toEqual([set.id]);
    expect(await there.ask('loadPairs', settings({ pairSet: set.id }))).toEqual(mine);
    const again = await there.ask('kept.export', { kind: 'run', id: 'own' });
    expect(new Uint8Array(await again.arrayBuffer())).toEqual(new Uint8Array(await zip.arrayBuffer()));

    await here.ask('deletePairs', { id: set.id });
    await here.ask('start', { id: 'lost', spec: spec({ pairSet: set.id, pairs: 6, k: 2 }) });
    expect(await here.until(done('lost'))).toMatchObject({ summary: { status: 'failed' } });
    expect((await here.records.experiment('lost')).error?.message).toMatch(/no pair set/);
  });
});

describe('extraction', () => {
  it('equals a run’s own extraction, and reports the pairs’ votes for each axis', async () => {
    const { ask, events, records, until } = await worker();
    const asked = { task: 't', settings: settings({ pairs: 8, nHeldout: 2, k: 3 }), name: 'by hand' };
    const report = await ask('extractBasis', asked);
    expect(report).toMatchObject({ name: 'by hand', origin: 'extracted', k: 3, nPairs: 6, nHeldout: 2, modules: 14 });
    expect(report.origins).toMatchObject({ pairSet: 'prog_wide', pairSetName: 'mechanism', pairs: 8 });
    const seen = events.filter((event) => event.type === 'extraction');
    expect(seen.map(({ done }) => done)).toEqual([0, 4, 8]);

    const { modules } = await ask('basisAxes', { id: report.id });
    expect(modules).toHaveLength(14);
    for (const { S, zero, votes } of modules) {
      expect([...S].sort((a, b) => b - a)).toEqual(S);
      expect(zero).toEqual(S.map((s) => s === 0));
      // Each axis points to the majority side of its own pairs.
      for (const count of votes?.used ?? []) expect(count === null || (count >= 3 && count <= 6)).toBe(true);
      for (const count of votes?.heldout ?? []) expect(count === null || (count >= 0 && count <= 2)).toBe(true);
    }

    await ask('start', { id: 'e', spec: spec({ pairs: 8, nHeldout: 2, k: 3 }) });
    await until(done('e'));
    // The run's own basis is the same file: nothing new is stored, and the user's name for it is kept.
    expect(await records.bases.list()).toEqual([report]);
  });

  it('depends on loss, kind, tau and removed axes', async () => {
    const { ask } = await worker();
    const extract = async (changes: Partial<ExtractionRequest>) => {
      const { id } = await ask('extractBasis', { task: 't', settings: settings(changes), name: 'x' });
      return { id, modules: (await ask('basisAxes', { id })).modules };
    };
    // The extraction uses the requested adapter, whichever is loaded.
    const low = await extract({ adapter: 'lora', loraRank: 2 });
    expect(low.modules[0].r).toBe(2 * (64 + 64));
    const plain = await extract({});
    await expect(ask('compareBases', { a: plain.id, b: low.id, k: 1 })).rejects.toThrow(/no angle between them/);
    const others = [
      await extract({ basisLoss: 'grpo' }),
      await extract({ basisKind: 'mean_diff' }),
      await extract({ solveOrth: 2 }),
      await extract({ tauAxis: 0.9 }),
      await extract({ pairModes: ['sentinel'] }),
    ];
    expect(new Set([plain, ...others].map(({ id }) => id)).size).toBe(6);
    expect(others[1].modules[0].S).toHaveLength(1);
    expect(others[3].modules.some(({ zero }) => zero.includes(true))).toBe(true);
    expect(plain.modules.some(({ zero }) => zero.includes(true))).toBe(false);

    const same = await ask('compareBases', { a: plain.id, b: plain.id, k: 3 });
    expect(same.mean?.first).toBeCloseTo(1, 5);
    expect(same.mean?.overlap).toBeCloseTo(1, 5);
    const grpo = await ask('compareBases', { a: plain.id, b: others[0].id, k: 1 });
    expect(grpo.modules).toHaveLength(14);
    expect(grpo.mean!.first).toBeGreaterThan(2 * grpo.null!.first!);
  });

  it('is refused beside a run, can be cancelled, and is ended by a starting experiment', async () => {
    const { ask, events, until, records } = await worker();
    const asked = { task: 'a', settings: settings({ pairs: 24 }), name: 'x' };
    const cancelled = ask('extractBasis', asked);
    await expect(ask('extractBasis', { ...asked, task: 'b' })).rejects.toThrow(/busy with another/);
    expect(await ask('stopTask', { task: 'b' })).toEqual({ stopped: false });
    expect(await ask('stopTask', { task: 'a' })).toEqual({ stopped: true });
    await expect(cancelled).rejects.toBeInstanceOf(StoppedError);

    const ended = ask('extractBasis', asked);
    const refusal = ended.catch((error: unknown) => error);
    const begun = events.length;
    while (events.length === begun) await new Promise((resolve) => setTimeout(resolve, 0));
    await ask('start', { id: 'e', spec: spec({ pairs: 8, k: 2 }) });
    expect(await refusal).toMatchObject({
      name: 'StoppedError',
      remedy: expect.stringMatching(/experiment has ended/),
    });
    await expect(ask('extractBasis', asked)).rejects.toThrow(/training/);
    expect(await until(done('e'))).toMatchObject({ summary: { status: 'done' } });
    expect(await records.bases.list()).toHaveLength(1);
    await expect(ask('extractBasis', { ...asked, settings: settings({ pairs: 4, nHeldout: 3 }) })).rejects.toThrow(
      /at least two pairs|leave 1/,
    );
  });
});
