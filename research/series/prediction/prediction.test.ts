// Tests that the committed formula is fitted to the published pilots, and that the estimates of P1 and P2 are right on made-up rows.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { verdictText } from '../../../src/experiments/judge/rule.ts';
import { unpackRuns } from '../../judge/pack.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { FORMS, JUDGED, PILOTS, SHOWN } from './cells.ts';
import { PARTS, pilotedOf } from './formula.ts';
import { PREDICTION_QUESTIONS } from './index.ts';
import { PILOTED } from './piloted.ts';
import { type PredictionRow, predictionRowSchema } from './rows.ts';

const published = (name: string): PredictionRow[] =>
  gunzipSync(readFileSync(new URL(`../../../public/results/prediction/${name}.jsonl.gz`, import.meta.url)))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => predictionRowSchema.parse(JSON.parse(line)));

it('the formula is fitted to the published pilots, which share no draw with the judged runs', () => {
  const pilots = published('pilots');
  expect(new Set(pilots.map(({ dataSeed }) => dataSeed))).toEqual(new Set(PILOTS.map(({ dataSeed }) => dataSeed)));
  for (const part of PARTS) expect(pilotedOf(pilots, part)).toEqual(PILOTED[part]);
  const judged = published('judged');
  expect(new Set(judged.map(({ dataSeed }) => dataSeed))).toEqual(new Set(JUDGED.map(({ dataSeed }) => dataSeed)));
  for (const rows of [pilots, judged])
    expect(rows.every(({ commit }) => /^[0-9a-f]{40}$/.test(commit ?? ''))).toBe(true);
});

/** `removed`: share of the hack of the shown mode that is removed. */
const rowsOf = (removed: (overlap: number) => number): PredictionRow[] =>
  JUDGED.flatMap(({ dataSeed, seed }, draw) =>
    FORMS.map((form, i) => {
      // The scatter differs from draw to draw.
      const overlap = (0.2 + 0.01 * i + 0.003 * ((7 * i + 3 * draw) % 5)) % 1;
      const before = SHOWN.map(() => ({ cin: overlap, separation: 0.5, share: 0 }));
      const left = SHOWN.map(() => 0.1 + 0.5 * (1 - removed(overlap)));
      return {
        schema: 1 as const,
        dataSeed,
        seed,
        ...form,
        before,
        problems: 24,
        base: { hack: SHOWN.map(() => 0.1), solve: 0.4 },
        whole: { hack: SHOWN.map(() => 0.6), solve: 0.3 },
        deployed: { hack: left.map((hack) => Math.min(1, Math.max(0, hack))), solve: 0.4 },
        createdAt: 0,
        device: 'none',
        appVersion: '0',
      };
    }),
  );

const P1 = PREDICTION_QUESTIONS.find(({ id }) => id === 'P1')!;

it('holds if removal follows the formula, fails if the mode alone predicts it', () => {
  const { constant, cin = 0, separation = 0 } = PILOTED.shown.formula;
  const told = judgeQuestion(
    P1,
    rowsOf((overlap) => constant + cin * overlap + separation * 0.5),
  )!;
  expect(told.verdict.status).toBe('holds');
  const [skill, rank, slope] = told.figures;
  expect(skill.n).toBe(JUDGED.length);
  expect(skill.mean).toBeCloseTo(1, 6);
  expect(rank.mean).toBeCloseTo(1, 6);
  expect(slope.mean).toBeCloseTo(0, 6);
  const byMode = judgeQuestion(
    P1,
    rowsOf((overlap) => 0.56 - 0.2 * overlap),
  )!;
  expect(byMode.verdict.status).toBe('fails');
});

it('is open with fewer draws than were registered', () => {
  const few = rowsOf((overlap) => overlap).filter(({ dataSeed }) => dataSeed < JUDGED[4].dataSeed);
  expect(judgeQuestion(P1, few)?.verdict).toEqual({ status: 'open', because: '4 of 4 draws; 6 are wanted' });
});

it('P3 reads the baselines of the arena’s judged cells, and no pilot’s', () => {
  const P3 = PREDICTION_QUESTIONS[2];
  const runs = unpackRuns(
    readFileSync(new URL('../../../public/results/prediction/baselines.runs.json.gz', import.meta.url)),
    'baselines',
  );
  const cells = new Set(runs.map(({ record: { spec } }) => `${spec.modes} ${spec.dataSeed} ${spec.seed}`));
  expect(cells.size).toBe(30);
  expect(runs).toHaveLength(3 * cells.size);
  expect(runs.every(({ commit, record: { spec } }) => commit && spec.seed >= 51)).toBe(true);
  const records = runs.map(({ record }) => record);
  const { verdict, figures } = judgeQuestion(P3, P3.read({ has: () => true, lines: () => [], runs: () => records }))!;
  // The file also has trusted-only runs, which the question does not use.
  expect(
    judgeQuestion(
      P3,
      records.filter(({ spec }) => spec.arm !== 'trusted-only'),
    )!.figures,
  ).toEqual(figures);
  expect(figures.find(({ name }) => name === P3.names.clean)?.mean).toBe(cells.size);
  // If the clean runs count as hacking ones, the same runs give no estimate.
  expect(
    judgeQuestion(
      P3,
      records.filter(({ spec }) => spec.arm === 'repaired'),
    ),
  ).toBeNull();
  expect(Object.keys(P3.says)).toContain(verdictText(verdict));
});
