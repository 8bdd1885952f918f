// Tests the Probe view's form and charts as data, with hand-made rows.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { CHECK_WORDS } from '../../../experiments/kinds/probe/rules.ts';
import { CHECKS, type ProbeReport, type SampleRow, type StepSummary } from '../../../experiments/kinds/probe/types.ts';
import type { LoadedProbe, ProbeAsk, ProbeRecord, ProbeTraining } from '../../../lab/protocol/probe.ts';
import { CounterRng, STREAMS } from '../../../rng/index.ts';
import { packJson, unpackJson } from '../../../share/pack.ts';
import { decodeProbe, encodeProbe, probeDigest } from '../../../share/shared-probe.ts';
import { isProbeHash } from '../../../share/view-hash.ts';
import { fakeLab, lists } from '../../testing/fake-lab.ts';
import { bucketOf, moduleMap, modulesCsv, samplesCsv, scatter, sharedScatter, stepLines, stepsCsv } from './chart.ts';
import { commandOf } from './command.ts';
import { askOf, checkProbe, costOf, DEFAULT_FORM, DEFAULT_TRAINING } from './form.ts';
import { probeInAddress, withProbe } from './link.ts';
import { linesCsv, overlapLines, rateLines, ratiosCsv, ratioTable, sharedRates } from './trainings.ts';

const row = (changes: Partial<SampleRow>): SampleRow => ({
  step: 1,
  sample: 0,
  problem: 'sum#1@sentinel',
  completion: 'x',
  exploited: true,
  gt_pass: false,
  structural: true,
  n_tokens: 30,
  nll: 0.5,
  cos_S_contrib: 1,
  cos_normalised: 0.2,
  cos_grpo: 1,
  cos_random: [0.1],
  ...changes,
});
const step = (changes: Partial<StepSummary>): StepSummary => ({
  step: 1,
  problem: 'p',
  samples: 2,
  tokens: 60,
  lr: 0.03,
  nll: 0.5,
  cos: 0.25,
  cosIn: 0.4,
  cosOut: 0,
  cosOutUpdate: 0.1,
  fired: 1,
  gradNorm: 2,
  ...changes,
});

describe('the form', () => {
  it('requests the default probe if nothing was changed, and otherwise the changes', () => {
    expect(askOf(DEFAULT_FORM)).toEqual({
      teacher: { kind: 'onnx' },
      problems: 20,
      samples: 8,
      seed: 41,
      settings: {},
    });
    const fields = { ...DEFAULT_FORM.fields, k: '3', gate: 'no_gate', adapter: 'lora', lr: '0.003' };
    const form = { ...DEFAULT_FORM, teacher: 'abc', basis: 'file f00', fields };
    expect(askOf(form)).toMatchObject({
      teacher: { kind: 'pool', sha256: 'abc' },
      settings: { k: 3, gate: 'no_gate', adapter: 'lora', lr: 0.003, basisSource: 'file', basisFile: 'f00' },
    });
    expect(askOf({ ...DEFAULT_FORM, basis: 'set pairs:ab' }).settings).toEqual({ pairSet: 'pairs:ab' });
  });

  it('reports errors and costs', () => {
    expect(checkProbe(DEFAULT_FORM)).toEqual({});
    const wrong = checkProbe({
      ...DEFAULT_FORM,
      teacher: 'templates',
      correct: 9,
      fields: { ...DEFAULT_FORM.fields, k: 'many' },
    });
    expect(Object.keys(wrong).sort()).toEqual(['correct', 'k']);
    // The rows of a stored pool are fixed, so `correct` has no effect.
    expect(checkProbe({ ...DEFAULT_FORM, correct: 9, teacher: 'abc' })).toEqual({});
    expect(costOf(DEFAULT_FORM, null)).toMatchObject({ gradients: 2 * 160 + 6 * 24, seconds: null });
    expect(costOf(DEFAULT_FORM, 0.5).seconds).toBe(232);
  });

  it('has an equivalent command line, with its trainings', () => {
    const fields = { ...DEFAULT_FORM.fields, k: '3', adapter: 'lora', lr: '0.003' };
    const ask = askOf({ ...DEFAULT_FORM, teacher: 'templates', fields });
    const command = (of: ProbeAsk | null, check: 'T5' | 'T6', changes: Partial<ProbeTraining> = {}) =>
      commandOf(of, { check, ...DEFAULT_TRAINING, ...changes }, DEFAULT_TRAINING);
    const defaults = '--problems 20 --samples 8 --seed 41 --pool templates --correct 3 --set k=3';
    expect(command(ask, 'T5')).toBe(
      `npm run lab -- probe ${defaults} --set adapter=lora --set lr=0.003 --trajectory 20`,
    );
    expect(command(ask, 'T6')).toBe(`npm run lab -- probe ${defaults} --lora --trajectory 20`);
    const file = askOf({ ...DEFAULT_FORM, teacher: 'abc', basis: 'file f00' });
    expect(command(file, 'T5')).toContain('--pool POOL.jsonl.gz --basis BASIS.safetensors --trajectory');
    expect(command(askOf(DEFAULT_FORM), 'T5')).not.toContain('--pool');
    expect(command(null, 'T6')).toBe('npm run lab -- probe --lora --trajectory 20');
    expect(command(null, 'T6', { steps: 15, ratio: 0.25, innerEpochs: 1, loraLr: 0.001 })).toBe(
      'npm run lab -- probe --set innerEpochs=1 --lora --lora-lr 0.001 --ratio 0.25 --trajectory 15',
    );
  });
});

describe('the address', () => {
  it('round-trips the whole form', async () => {
    const fields = { ...DEFAULT_FORM.fields, k: '3', gate: 'no_gate', adapter: 'lora', lr: '0.003' };
    for (const form of [
      DEFAULT_FORM,
      { ...DEFAULT_FORM, fields, teacher: 'templates', problems: 4, correct: 2, basis: 'set nonhack' },
      { ...DEFAULT_FORM, teacher: 'a'.repeat(64), basis: 'file f00' },
    ]) {
      const href = await withProbe('https://lab.test/?x=1#v1.abc', askOf(form));
      expect(href).toMatch(/\?x=1&view=probe&probe=[\w-]+#v1\.abc$/);
      expect(await probeInAddress(new URL(href).search)).toEqual(form);
    }
    expect(await probeInAddress('?view=probe')).toBeNull();
  });

  it('is refused if it does not contain a probe', async () => {
    const ask = askOf(DEFAULT_FORM);
    const refused = async (packed: string) =>
      expect(probeInAddress(`?probe=${packed}`)).rejects.toBeInstanceOf(FormatError);
    await refused('%3Cscript%3E');
    await refused((await packJson(ask)).slice(0, -4));
    const changed = async (changes: object) => refused(await packJson({ ...ask, ...changes }));
    await changed({ problems: 0 });
    await changed({ teacher: { kind: 'templates', correct: 9 } });
    await changed({ settings: { k: 'many' } });
    await changed({ settings: { steps: 4 } });
    await changed({ teacher: { kind: 'pool', sha256: '../x' } } satisfies Partial<ProbeAsk>);
  });
});

const report = {
  adapter: 'svd',
  pool: { source: 'the teacher', problems: 2, samples: 3 },
  modulesWithBasis: 27,
  bound: 5.2,
  vanilla: [step({}), step({ step: 2, cos: null })],
  projected: [step({ cos: 0.5 }), step({ step: 2, cos: -0.1234567 })],
  discrimination: { t: 1 },
  verdicts: CHECKS.map((id, i) => ({
    id,
    ...CHECK_WORDS[id],
    outcome: i === 4 ? 'not run' : 'pass',
    value: `value ${i}`,
    note: '≥ 3 °',
    figures: { a: i },
  })),
  trajectories: { svd: { vanilla: [0, 0.5], projected: [0, null] }, lora: null },
} as unknown as ProbeReport;

describe('results in the address', () => {
  const rows = [
    row({}),
    row({ cos_S_contrib: -0.25, gt_pass: true, n_tokens: 44 }),
    row({ cos_S_contrib: null, structural: false }),
  ];
  const made = { device: 'CPU', appVersion: '1.2' };

  it('are restored in thousandths, with a digest of every figure', async () => {
    const link = await encodeProbe(report, rows, made);
    expect(link?.carries).toBe('all');
    const shared = await decodeProbe(`#${link?.hash}`);
    expect(shared).toMatchObject({
      source: 'the teacher',
      adapter: 'svd',
      ...made,
      problems: 2,
      samples: 3,
      modulesWithBasis: 27,
    });
    expect(shared?.verdicts).toEqual(report.verdicts.map((verdict) => ({ ...verdict, figures: {} })));
    expect(shared?.cos).toEqual({ vanilla: [0.25, null], projected: [0.5, expect.closeTo(-0.123, 12)] });
    expect(shared?.rows.map(({ bucket, tokens, cos }) => [bucket, tokens, cos])).toEqual([
      ['pure', 30, 1],
      ['solves', 44, -0.25],
      ['none', 30, null],
    ]);
    expect(sharedRates(shared!).map(({ id, points }) => [id, points.length])).toEqual([
      ['svd-vanilla', 2],
      ['svd-projected', 1],
    ]);
    expect(sharedScatter(shared!).points).toHaveLength(2);
    expect(shared?.digest).toBe(await probeDigest(structuredClone(report)));
    expect(shared?.digest).not.toBe(await probeDigest({ ...report, projected: [step({ cos: 0.5000001 })] }));
    // A probe's results do not belong to an experiment.
    expect(isProbeHash(`#${link?.hash}`) && !isProbeHash('#2.abc')).toBe(true);
    expect(await decodeProbe('#2.abc')).toBeNull();
  });

  it('omit whole parts that do not fit', async () => {
    const rng = CounterRng.of(1, STREAMS.test);
    const many = Array.from({ length: 2001 }, () => row({ cos_S_contrib: rng.normal(), n_tokens: rng.int(400) }));
    const link = await encodeProbe(report, many, made);
    expect(link?.carries).toBe('steps');
    expect(link!.hash.length).toBeLessThanOrEqual(8192);
    expect((await decodeProbe(link!.hash))?.rows).toEqual([]);
  });

  it('are refused if they are damaged', async () => {
    const { hash } = (await encodeProbe(report, rows, made))!;
    await expect(decodeProbe(hash.slice(0, -6))).rejects.toBeInstanceOf(FormatError);
    await expect(decodeProbe(`probe1.${await packJson({ s: 'x' })}`)).rejects.toBeInstanceOf(FormatError);
    await expect(decodeProbe('probe1.<script>')).rejects.toBeInstanceOf(FormatError);
    const content = (await unpackJson(hash.slice('probe1.'.length))) as Record<string, unknown>;
    const changed = async (changes: object) =>
      expect(decodeProbe(`probe1.${await packJson({ ...content, ...changes })}`)).rejects.toBeInstanceOf(FormatError);
    await changed({ o: [] });
    await changed({ r: ['01', [1], [1]] });
    await changed({ s: 'a\u0007b' });
    await changed({ more: 1 });
  });
});

describe('the view’s store', () => {
  const ask = askOf(DEFAULT_FORM);
  const done = (changes: Partial<StepSummary> = {}) =>
    ({
      schema: 1,
      id: 'p',
      createdAt: 1,
      ask,
      file: null,
      device: 'CPU',
      done: 2,
      total: 2,
      report: { ...report, vanilla: [step(changes)] },
    }) as unknown as ProbeRecord;
  const opened = async (record: ProbeRecord) => {
    const loaded: LoadedProbe = { record, rows: { vanilla: [row({})], projected: [] }, lora: null };
    const answers = { runProbe: () => record, trainProbe: () => record, 'kept.load': () => loaded };
    const fake = fakeLab({
      ...lists,
      ...answers,
      'kept.list': ({ kind }: { kind: string }) => (kind === 'probe' ? [record] : []),
    });
    return { ...fake, probe: await fake.lab.openProbe() };
  };

  it('compares a probe that is run here with the results of the link: equal to the last bit, or not', async () => {
    const link = await encodeProbe(done().report!, [row({})], { device: 'CPU', appVersion: '1' });
    for (const [changes, same] of [
      [{}, true],
      [{ gradNorm: 2.0000001 }, false],
    ] as const) {
      const { probe } = await opened(done(changes));
      probe.setShared(await decodeProbe(link!.hash));
      expect(probe.store.getState().sharedIsSame).toBeNull();
      await probe.start();
      expect(probe.store.getState().sharedIsSame).toBe(same);
    }
    // A probe with a different request is not compared with it.
    const { probe } = await opened({ ...done(), ask: { ...ask, seed: 42 } });
    probe.setShared(await decodeProbe(link!.hash));
    await probe.start();
    expect(probe.store.getState().sharedIsSame).toBeNull();
  });

  it('trains the probe on show, resumes with its request, and tells the lab that the model is in use', async () => {
    const training: ProbeTraining = { check: 'T6', ...DEFAULT_TRAINING, steps: 15 };
    const record = { ...done(), training };
    const { probe, lab, asked, emit } = await opened(record);
    await probe.show('p');
    const busy: boolean[] = [];
    const which: (string | null)[] = [];
    lab.store.subscribe(({ probing, probingId }) => {
      busy.push(probing);
      which.push(probingId);
    });
    await probe.train('T5');
    expect(new Set(busy)).toEqual(new Set([true, false]));
    expect(lab.store.getState()).toMatchObject({ probing: false, kept: { probe: [record] } });
    // The worker reports a stored record in this way.
    const unsubscribe = probe.store.subscribe(({ work }) => {
      if (!work) return;
      unsubscribe();
      emit({ type: 'kept', kind: 'probe', id: 'p' });
    });
    await probe.goOn(record);
    expect(which).toContain('p');
    expect(lab.store.getState().probingId).toBeNull();
    const trained = asked.filter(({ kind }) => kind === 'trainProbe').map(({ params }) => params);
    expect(trained).toEqual([
      { task: expect.any(String), id: 'p', training: { check: 'T5', ...DEFAULT_TRAINING } },
      { task: expect.any(String), id: 'p', training },
    ]);
    const href = await probe.linkOf(record, 'https://lab.test/?x=1#1.abc');
    expect(href).toMatchObject({ carries: 'all', needs: false });
    expect(href?.href).toMatch(/\?x=1&view=probe&probe=[\w-]+#probe1\.[\w-]+$/);
  });
});

describe('the charts of the trainings', () => {
  const histogram = [0, 0, 5, 0, 90, 0, 0, 5, 0];
  const trajectory = { vanilla: [0, 0.5], projected: [0, null], ratios: [null, histogram], clipped: [null, 0.05] };

  it('draw both adapters, and no two lines look alike', () => {
    const lines = rateLines({ svd: trajectory, lora: trajectory });
    expect(lines.map(({ id, points }) => [id, points.length])).toEqual([
      ['svd-vanilla', 2],
      ['svd-projected', 1],
      ['lora-vanilla', 2],
      ['lora-projected', 1],
    ]);
    expect(new Set(lines.map(({ style }) => style.marker)).size).toBe(4);
    expect(linesCsv(lines.slice(0, 2)).split('\r\n')).toEqual(['step,vanilla,projected', '1,0,0', '2,0.5,', '']);
    const overlaps = overlapLines({ projected: [step({}), step({ step: 2, cosOut: null })] });
    expect(overlaps.map(({ id, points }) => [id, points.map(({ y }) => y)])).toEqual([
      ['cosIn', [0.4, 0.4]],
      ['cosOut', [0]],
      ['cosOutUpdate', [0.1, 0.1]],
    ]);
  });

  it('have one histogram of ratios per step with the share of clipped ratios, and none if all ratios are 1', () => {
    const table = ratioTable(trajectory)!;
    expect(table.bins.map(({ label, inside, shares }) => [label, inside, shares[1]]).slice(0, 5)).toEqual([
      ['2 and above', false, 0],
      ['1.2 … 2', false, 0.05],
      ['1.1 … 1.2', true, 0],
      ['1.02 … 1.1', true, 0],
      ['0.98 … 1.02', true, 0.9],
    ]);
    expect(table.bins.at(-1)?.label).toBe('below 0.5');
    expect([table.bins[table.centre].label, table.most]).toEqual(['0.98 … 1.02', 0.05]);
    expect(table.bins[0].shares[0]).toBeNull();
    expect(ratiosCsv(table).split('\r\n')[2]).toBe('2,0,0.05,0,0,0.9,0,0.05,0,0,0.05');
    expect(ratioTable({ ratios: [null, null], clipped: [null, null] })).toBeNull();
    expect(ratioTable({ ratios: [], clipped: [] })).toBeNull();
  });
});

describe('the charts', () => {
  const rows = [
    row({ cos_S_contrib: 1, modules: { 'layers.0.q_proj': 0.4, 'layers.1.q_proj': null } }),
    row({
      cos_S_contrib: 0.5,
      gt_pass: true,
      n_tokens: 40,
      modules: { 'layers.0.q_proj': -0.2, 'layers.1.q_proj': null },
    }),
    row({ cos_S_contrib: null, structural: false, modules: { 'layers.0.q_proj': null, 'layers.1.q_proj': null } }),
  ];

  it('put each sample into its bucket, and omit samples without a figure', () => {
    expect(rows.map(bucketOf)).toEqual(['pure', 'solves', 'none']);
    const { points, legend } = scatter(rows);
    expect(points.map(({ x, y, bucket }) => [x, y, bucket])).toEqual([
      [30, 1, 'pure'],
      [40, 0.5, 'solves'],
    ]);
    expect(legend.map(({ id, n }) => [id, n])).toEqual([
      ['pure', 1],
      ['solves', 1],
    ]);
    // Colour is never the only distinction.
    expect(new Set(legend.map(({ style }) => style.marker)).size).toBe(2);
    expect(
      samplesCsv(rows)
        .trim()
        .split('\r\n')
        .map((line) => line.split(',').at(-1)),
    ).toEqual(['bucket', 'pure', 'solves', 'none']);
  });

  it('average each module over the samples that have it', () => {
    const map = moduleMap(rows, 'all');
    expect(map?.columns).toEqual(['q_proj']);
    expect(map?.rows.map(({ label, cells }) => [label, cells[0]?.mean ?? null, cells[0]?.n])).toEqual([
      ['0', expect.closeTo(0.1, 12), 2],
      ['1', null, 0],
    ]);
    expect(moduleMap(rows, 'solves')?.most).toBe(0.2);
    expect(modulesCsv(map!).split('\r\n')[2]).toBe('layers.1.q_proj,,0');
    expect(moduleMap([row({})], 'all')).toBeNull();
  });

  it('draw both replays, and no point if a step has no cosine', () => {
    const report = { vanilla: [step({}), step({ step: 2, cos: null })], projected: [step({ cos: 0.5 })] };
    const lines = stepLines(report as Pick<ProbeReport, 'vanilla' | 'projected'>);
    expect(lines.map(({ id, n, points }) => [id, n, points])).toEqual([
      ['vanilla', 4, [{ x: 1, y: 0.25 }]],
      ['projected', 2, [{ x: 1, y: 0.5 }]],
    ]);
    expect(stepsCsv(report).split('\r\n')[2]).toBe('2,p,2,60,,0.4,0,0.1,1,0.5,2,,,,,,,');
  });
});
