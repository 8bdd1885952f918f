// Tests that the forms' bases are those that a run of the lab would extract, and checks counts, fits and predictions by hand.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Preparation } from '../../../src/experiments/environments/preparation.ts';
import { openTinyLab, type TinyLab } from '../../../src/experiments/testing/tiny.node.ts';
import { areaUnderRoc } from '../../../src/stats/index.ts';
import { FORMS, type Form, formId, JUDGED, PILOTS, quarantines, runOf, SHOWN } from './cells.ts';
import { formBases } from './form-bases.ts';
import { cellsOf, leastSquares, meansByMode, prediction } from './formula.ts';
import { poolsByMode, predictorsOf } from './predictors.ts';
import type { PredictionRow } from './rows.ts';

describe('on a small model', () => {
  let lab: TinyLab;
  beforeAll(async () => {
    lab = await openTinyLab();
  });
  afterAll(() => lab?.close());

  it('the bases equal a run’s own, and their predictors lie within their bounds', async () => {
    const { engine: policy, device, codec } = lab;
    const spec = runOf(PILOTS[0]);
    const forms: Form[] = [
      { set: 'prog_wide', pairs: 24, shows: 'sentinel' },
      { set: 'prog_wide_untested', pairs: 24, shows: 'sentinel' },
      { set: 'prog_wider', pairs: 24, shows: 'exit_code' },
    ];
    const shadows = quarantines(spec).filter(({ id }) => forms.some((form) => formId(form) === id));
    const routed = { ...spec, projection: 'route', projectTarget: 'update', shadows } as const;
    const making = formBases(routed, { policy, codec }, forms);
    let made = await making.next();
    while (!made.done) made = await making.next();
    const preparation = new Preparation({ ...lab, policy, artifacts: null, modelSha256: 'random' });
    const asked = preparation.bases(routed);
    let own = await asked.next();
    while (!own.done) own = await asked.next();
    for (const { form, basis } of made.value) {
      const known = own.value.shadows.find(({ spec: control }) => control.id === formId(form))!;
      expect(basis.axes).toBeGreaterThan(0);
      expect(basis.V).toEqual(known.basis.V);
    }
    const pools = await poolsByMode({ ...spec, problems: 20 }, { policy, codec });
    expect(pools.map(({ mode }) => mode)).toEqual(SHOWN);
    const [shown, , wider] = await Promise.all(
      made.value.map(({ basis, pairs }) => predictorsOf(basis, pairs, pools, { policy, device })),
    );
    for (const { cin, separation, share } of [...shown, ...wider]) {
      expect(cin).toBeGreaterThanOrEqual(0);
      expect(cin).toBeLessThanOrEqual(1);
      expect(separation).toBeGreaterThanOrEqual(0);
      expect(separation).toBeLessThanOrEqual(1);
      expect(share).toBeLessThanOrEqual(1);
    }
    // The pairs show the spellings of their own mode and of no other; pairs with varied spellings share hardly any
    // with the pool.
    expect(shown.map(({ share }) => share > 0.5)).toEqual(SHOWN.map((mode) => mode === 'sentinel'));
    expect(wider[SHOWN.indexOf('exit_code')].share).toBeLessThan(0.5);
  });
});

it('the pilots share no data seed and no training seed with the judged draws', () => {
  const of = (draws: typeof JUDGED) => draws.flatMap(({ dataSeed, seed }) => [dataSeed, seed]);
  expect(of(PILOTS).filter((seed) => of(JUDGED).includes(seed))).toEqual([]);
  expect(new Set([...PILOTS, ...JUDGED].map((draw) => JSON.stringify(runOf(draw)))).size).toBe(9);
});

/** `left`: share of the hack that is left in each mode; vanilla hacks all modes but the last. */
const rowsOf = (left: (form: Form) => number, dataSeed: number): PredictionRow[] =>
  FORMS.map((form, i) => ({
    schema: 1,
    dataSeed,
    seed: dataSeed,
    ...form,
    before: SHOWN.map((mode) => ({ cin: i / 100, separation: 0.5, share: mode === form.shows ? 1 : 0 })),
    base: { hack: SHOWN.map(() => 0.1), solve: 0.4 },
    whole: { hack: [0.5, 0.5, 0.5, 0.5, 0.2], solve: 0.3 },
    deployed: { hack: SHOWN.map((mode) => (mode === form.shows ? 0.1 + 0.4 * left(form) : 0.5)), solve: 0.4 },
    problems: 24,
    createdAt: 0,
    device: 'none',
    appVersion: '0',
  }));

it('a cell is a ratio of means over draws, of the modes that vanilla hacks', () => {
  const rows = [...rowsOf(() => 0, 1), ...rowsOf(() => 0.5, 2)];
  const shown = cellsOf(rows, 'shown');
  expect(shown).toHaveLength(48);
  expect(shown.some(({ mode }) => mode === 'exit_code')).toBe(false);
  for (const { removed, before } of shown) {
    expect(removed).toBeCloseTo(0.75, 12);
    expect(before.share).toBe(1);
  }
  const unseen = cellsOf(rows, 'unseen');
  expect(unseen).toHaveLength(4 * 48);
  for (const { removed } of unseen) expect(removed).toBeCloseTo(0, 12);
  expect(meansByMode(shown).sentinel).toBeCloseTo(0.75, 12);
  expect(meansByMode(shown).exit_code).toBeUndefined();
});

it('least squares find the line that the cells lie on, and refuse a predictor that does not vary', () => {
  const cells = cellsOf(
    rowsOf(({ shows, pairs }) => (shows === 'sentinel' ? 1 : pairs / 400), 1),
    'shown',
  ).map((cell, i) => {
    const before = { cin: i / 48, separation: (i % 7) / 7, share: 1 };
    return { ...cell, before, removed: 0.2 + 0.5 * before.cin - 0.3 * before.separation };
  });
  const found = leastSquares(cells, ['cin', 'separation']);
  expect(found.constant).toBeCloseTo(0.2, 10);
  expect(found.cin).toBeCloseTo(0.5, 10);
  expect(found.separation).toBeCloseTo(-0.3, 10);
  for (const cell of cells) expect(prediction(found, cell)).toBeCloseTo(cell.removed, 10);
  expect(() => leastSquares(cells, ['share'])).toThrow(RangeError);
});

it('the area under the ROC curve counts ties half', () => {
  expect(areaUnderRoc([3, 4], [1, 2])).toBe(1);
  expect(areaUnderRoc([1, 2], [3, 4])).toBe(0);
  expect(areaUnderRoc([1, 3], [1, 3])).toBe(0.5);
  expect(areaUnderRoc([2], [1, 2, 3, 0])).toBe(0.625);
  expect(() => areaUnderRoc([], [1])).toThrow(RangeError);
});
