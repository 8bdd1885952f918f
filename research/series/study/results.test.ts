// Tests verdicts and the report on invented runs: each rule on a case that it decides, and "not run" without runs.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { experimentOf } from '../../../src/experiments/config/experiment-of.ts';
import { resolveRuns } from '../../../src/experiments/config/spec.ts';
import { controlRow } from '../../../src/experiments/runs/finished.ts';
import { evaluationMade, ratesMade } from '../../../src/experiments/testing/statistics-runs.ts';
import { planStudy, runOfCell, runsOf } from './plan.ts';
import { QUESTIONS } from './questions/index.ts';
import { h1Of, reportMarkdown, resultsOf } from './report.ts';
import { resultOf } from './results.ts';
import { readIndex } from './results-index.ts';
import { questionOf, runsFor } from './testing/study-cells.ts';
import type { StudyCell } from './types.ts';

/** A small spread over seeds that differs from cell to cell. */
const jitter = (seed: number, by: number) => (((seed * by) % 5) - 2) / 200;

describe('a verdict', () => {
  const q2 = (erase: number, refresh: number, base = 0.03) =>
    runsFor('Q2', ({ id }, seed) =>
      id === 'base'
        ? [base, 0.4]
        : [{ vanilla: 0.55, erase, refresh2: refresh }[id]! + jitter(seed, id.length % 5 || 1), 0.3 + jitter(seed, 3)],
    );

  it('states that the finding replicates, does not, or neither', () => {
    const standing = (...rates: Parameters<typeof q2>) => resultOf(questionOf('Q2'), q2(...rates)).verdict.standing;
    expect(standing(0.4, 0.3)).toBe('replicates');
    expect(standing(0.4, 0.4)).toBe('does not replicate');
    expect(standing(0.55, 0.5)).toBe('does not replicate');
    // The further change is 5 ± 3 points: neither shown nor excluded.
    const wide = q2(0.4, 0.34);
    for (const { record } of wide.values())
      if (record.spec.refreshEvery === 2) {
        const own = record.evals.find(({ model }) => model === 'total')!;
        own.all = ratesMade(0.36 + (record.spec.seed % 2 ? 0.12 : -0.12), 0.3);
      }
    expect(resultOf(questionOf('Q2'), wide).verdict.standing).toBe('undecided');
  });

  it('is written from the numbers', () => {
    const { verdict, figures, done, planned } = resultOf(questionOf('Q2'), q2(0.4, 0.3));
    expect(verdict.sentences[0]).toMatch(/^Erase with a frozen V lowers hack: −15 points .*n = 10\).*Holm over 2/);
    expect(figures.get('erase')?.comparison?.figures['final-hack']?.delta.mean).toBeCloseTo(-0.15, 2);
    expect([done, planned]).toEqual([40, 40]);
  });

  it('decides nothing if vanilla hardly hacks', () => {
    const { verdict } = resultOf(questionOf('Q2'), q2(0.4, 0.3, 0.45));
    expect(verdict.standing).toBe('undecided');
    expect(verdict.sentences[0]).toMatch(/nothing to remove/);
  });

  it('states what was not run, and how much was', () => {
    const none = resultOf(questionOf('Q2'), new Map());
    expect(none.verdict).toEqual({ answer: null, sentences: ['Not run.'], standing: 'not run', figures: [] });
    const part = resultOf(
      questionOf('Q2'),
      runsFor('Q2', ({ id }, seed) => (seed < 44 ? [id === 'vanilla' ? 0.5 : 0.2, 0.3] : null)),
    );
    expect([part.done, part.planned]).toEqual([12, 40]);
    expect(part.figures.get('erase')?.statistics.seeds).toEqual([41, 42, 43]);
  });

  it('of a held-out mode counts only if vanilla hacks it', () => {
    const runs = runsFor('Q14', ({ id, mode }, seed) => {
      const taught = mode === 'run_tests' ? 0.05 : 0.6;
      const rate = id.startsWith('base') ? 0.02 : id.startsWith('route') ? 0.1 : taught;
      return [rate + (id.startsWith('base') ? 0 : jitter(seed, id.length % 5 || 1)), 0.3];
    });
    // Figures of a mode have their own ids.
    for (const { record } of runs.values())
      for (const row of record.evals) {
        const mode = { n: 16, hack: row.all.figures.hack, solve: row.all.figures.solve };
        row.all = ratesMade(0.9, 0.9, Object.fromEntries(record.spec.modes.map((name) => [name, mode])));
      }
    const { verdict, figures } = resultOf(questionOf('Q14'), runs);
    expect(verdict.sentences.find((sentence) => sentence.startsWith('run_tests'))).toMatch(/no evidence/);
    expect(verdict.sentences.find((sentence) => sentence.startsWith('sentinel'))).toMatch(/the quarantine reaches it/);
    expect(figures.get('route-sentinel')?.hack?.mean).toBeCloseTo(0.1, 1);
    expect(verdict.standing).toBe('new here');
  });

  it('exists for every question with full figures and without any', () => {
    for (const { id, cells } of QUESTIONS) {
      const rank = (cell: StudyCell) => cells.indexOf(cell) / cells.length;
      const full = resultOf(
        questionOf(id),
        runsFor(id, (cell, seed) => [
          cell.model === 'base' ? 0.02 : 0.3 + 0.4 * rank(cell) + jitter(seed, cells.indexOf(cell)),
          0.4 + (cell.model === 'base' ? 0 : 0.2 * rank(cell) + jitter(seed, 2)),
        ]),
      );
      expect(full.verdict.standing, id).not.toBe('not run');
      if (id !== 'Q14') expect(full.verdict.sentences.join(' '), id).toMatch(/\d/);
      expect(full.done, id).toBe(full.planned);
      expect(resultOf(questionOf(id), new Map()).verdict.standing, id).toBe('not run');
    }
  });
});

describe('a quarantine', () => {
  it('is found by its settings, whether carried under another name or replayed', () => {
    const q3 = questionOf('Q3');
    const runs = runsFor('Q3', ({ id }, seed) => [
      { 'route-reverse': 0.11, 'route-no_gate': 0.22 }[id] ?? 0.5,
      0.3 + jitter(seed, 2),
    ]);
    const { figures } = resultOf(q3, runs);
    expect(figures.get('route-reverse')?.hack?.mean).toBeCloseTo(0.11);
    expect(figures.get('route-no_gate')?.hack?.mean).toBeCloseTo(0.22);
    expect(figures.get('vanilla')?.hack?.mean).toBeCloseTo(0.5);
  });

  it('that a run lacks an evaluation of is found among its replayed ones', () => {
    const cell = questionOf('Q3').cells.find(({ id }) => id === 'route-no_gate')!;
    const { key } = runOfCell(cell, 41);
    const run = runsFor('Q3', () => [0.5, 0.3]).get(key)!;
    const control = cell.shadow!;
    expect(run.record.spec.shadows.map(({ id }) => id)).toContain('no_gate');
    expect(controlRow(control, run)?.all.figures.hack).toBe(0.5);
    const record = { ...run.record, evals: run.record.evals.filter(({ model }) => model !== 'no_gate') };
    expect(controlRow(control, { ...run, record })).toBeNull();
    const row = evaluationMade('later', 0.2, 0.3);
    expect(controlRow(control, { ...run, record, rerouted: [{ shadow: control, row }] })).toEqual(row);
    expect(controlRow(control, { ...run, rerouted: [{ shadow: control, row }] })?.all.figures.hack).toBe(0.5);
  });
});

describe('the report', () => {
  it('reports "not run" for every question and leaves nothing blank', () => {
    const text = reportMarkdown(resultsOf(QUESTIONS, new Map()), ['No run has been published.']);
    for (const { id, title } of QUESTIONS) expect(text).toContain(`## ${id}: ${title}`);
    expect(text.match(/\*\*Verdict \(not run\)\.\*\* Not run\./g)?.length).toBe(QUESTIONS.length);
    expect(text).not.toMatch(/NaN|undefined|\|\s+\|/);
  });

  it('has H1 with its controls, from Q2 and Q12', () => {
    const runs = new Map([
      ...runsFor('Q12', ({ id }, seed) => [
        id.startsWith('erase-') ? 0.5 + jitter(seed, 3) : id === 'base' ? 0.02 : 0.15,
        0.3,
      ]),
      ...runsFor('Q2', ({ id }, seed) => [
        { vanilla: 0.55, erase: 0.15, refresh2: 0.1, base: 0.02 }[id]! + (id === 'base' ? 0 : jitter(seed, 2)),
        0.3,
      ]),
    ]);
    const results = resultsOf(QUESTIONS, runs);
    const card = h1Of(results);
    expect(card?.status).toBe('supported');
    expect(card?.controls.map(({ kind }) => kind)).toEqual([
      'random',
      'permuted',
      'random_matched',
      'nonhack',
      'placebo',
    ]);
    expect(reportMarkdown(results, [])).toContain('**supported** (n = 10)');
  });
});

describe('a run of the study', () => {
  it('is reproduced by the experiment in its link', () => {
    for (const { key, spec } of runsOf(planStudy({ seeds: [41] }))) {
      const again = resolveRuns(experimentOf(spec)).find(({ arm }) => arm === spec.arm);
      // Opening a run gives the arm's standard controls; the study keeps only those that a question needs.
      expect(again?.shadows, key).toEqual(expect.arrayContaining(spec.shadows));
      expect({ ...again, shadows: spec.shadows }, key).toEqual(spec);
    }
  });
});

it('refuses an invalid index of published results', () => {
  expect(() => readIndex('{"schema":2}')).toThrow(FormatError);
});
