// Tests verdicts that the rules must not give: an effect that n cannot show, a share of nothing, the closing of a gap that never existed.
import { describe, expect, it } from 'vitest';
import { ofKind } from '../../../src/experiments/records/metrics.ts';
import { controlKey } from '../../../src/experiments/runs/key.ts';
import { runOfCell } from './plan.ts';
import { QUESTIONS } from './questions/index.ts';
import { questionMarkdown } from './report.ts';
import { resultOf } from './results.ts';
import { type Final, questionOf, runsFor } from './testing/study-cells.ts';
import type { QuestionId, StudyCell } from './types.ts';

/** Around 0 over five seeds in a row, sd 1.6. */
const SPREAD = [1, -2, 2, 0, -1];
/** A different order for every shift below 20. */
const wave = (seed: number, shift: number) => SPREAD[(seed * (1 + (Math.floor(shift / 5) % 4)) + shift) % 5];
const BASE: Final = [0.02, 0.4];

/** Hack and solve by cell id; `wide` is the unit of a spread with another order in every cell. */
function question(id: QuestionId, finals: Record<string, Final>, otherwise: Final = [0.5, 0.3], wide = 0.002) {
  const ids = questionOf(id).cells.map((cell) => cell.id);
  const runs = runsFor(id, (cell, seed) => {
    if (cell.model === 'base') return BASE;
    const [hack, solve] = finals[cell.id] ?? otherwise;
    return [hack + wide * wave(seed, ids.indexOf(cell.id)), solve + wide * wave(seed, 1 + ids.indexOf(cell.id))];
  });
  return { runs, result: resultOf(questionOf(id), runs) };
}
const textOf = ({ result }: ReturnType<typeof question>) => result.verdict.sentences.join(' ');

describe('five seeds', () => {
  it('leave open what their interval does not show', () => {
    const made = question('Q13', { 'route-update': [0.46, 0.3], erase: [0.1, 0.3] }, undefined, 0.02);
    expect(textOf(made)).toMatch(/Route \(update\), deployed, leaves open whether it lowers hack: .*includes 0/);
    expect(textOf(made)).toMatch(
      /Erase lowers hack: .*paired t p [=<] [\d.]+ after Holm over \d+ \(sign-flip p = [\d.]+, the least that n can give\)/,
    );
  });

  it('are adjusted by Holm with the paired t if no sign-flip p can reach .05', () => {
    // Each interval excludes 0, with p ≈ .04; of eight such tests none is significant after Holm.
    const finals = (delta: number) => ({ erase: [0.5 - delta, 0.3] as const });
    const weak = question('Q10', finals(0.065), undefined, 0.016);
    const erase = weak.result.figures.get('erase')!.comparison!.figures['final-hack']!;
    expect(erase.t!.interval.high).toBeLessThan(0);
    expect(erase.adjusted!.smallest).toBeGreaterThan(0.05);
    expect(erase.adjusted!.tP).toBeGreaterThan(0.05);
    expect(textOf(weak)).toMatch(/Erase with mechanism pairs leaves open whether it lowers hack/);
    expect(textOf(question('Q10', finals(0.3)))).toMatch(/Erase with mechanism pairs lowers hack/);
  });
});

describe('a baseline', () => {
  it('is beaten, not beaten, or open, and never left out (Q17)', () => {
    const made = textOf(
      question(
        'Q17',
        { 'route-update': [0.1, 0.3], kl: [0.1, 0.3], inoculation: [0.5, 0.3], advantage: [0.15, 0.3] },
        undefined,
        0.03,
      ),
    );
    expect(made).toMatch(/hacks less than inoculation prompt\./);
    expect(made).toMatch(/Whether route \(update\), deployed, hacks less than KL penalty, β 0\.1 stays open\./);
    expect(made).toMatch(/hacks less than advantage modification/);
  });
});

describe('LoRA', () => {
  it('is not judged if its own vanilla has not learned the hack (Q16)', () => {
    const learned = (rate: number) => textOf(question('Q16', { lora: [rate, 0.3] }));
    expect(learned(0.1)).toMatch(/on LoRA there is nothing to remove/);
    expect(learned(0.4)).not.toMatch(/nothing to remove/);
  });
});

describe('“write the asserts”', () => {
  const q12 = (route: number, tests: number, wide = 0.002) =>
    textOf(question('Q12', { route: [route, 0.3], pairs_no_tests: [tests, 0.3] }, undefined, wide));
  it('explains most, less than half, or an open share of the effect (Q12)', () => {
    expect(q12(0.1, 0.15)).toMatch(
      /effect pairs that differ in run_tests alone do 8[78]%: “write the asserts” explains most of it\./,
    );
    expect(q12(0.1, 0.45)).toMatch(/do 1[23]%: “write the asserts” explains less than half of it/);
    expect(q12(0.1, 0.31, 0.03)).toMatch(/whether “write the asserts” explains half of it is open/);
    expect(q12(0.499, 0.4)).not.toMatch(/write the asserts/);
  });

  it('is reported for every held-out mode with evidence (Q14)', () => {
    const runs = runsFor('Q14', () => [0.5, 0.3]);
    const cells = questionOf('Q14').cells;
    for (const cell of cells)
      for (const seed of cell.seeds) {
        const { key, spec } = runOfCell(cell, seed);
        const { record, rerouted: replayed } = runs.get(key)!;
        const rate = cell.model === 'base' ? 0.02 : cell.id.startsWith('route') ? 0.1 : cell.shadow ? 0.15 : 0.5;
        const hack = rate + 0.002 * wave(seed, cells.indexOf(cell));
        const content = cell.shadow ? controlKey(cell.shadow, spec) : null;
        const rows = [
          ...record.evals.filter(({ model }) => model === cell.model),
          ...replayed.filter(({ shadow: control }) => controlKey(control, spec) === content).map(({ row }) => row),
        ];
        expect(rows.length, cell.id).toBeGreaterThan(0);
        for (const row of rows)
          Object.assign(row.all.figures, { [ofKind('n', cell.mode!)]: 16, [ofKind('hack', cell.mode!)]: hack });
      }
    const { sentences, answer } = resultOf(questionOf('Q14'), runs).verdict;
    const all = 'run_tests, sentinel, stdout_marker, file_marker, eq_override and exit_code';
    expect(answer).toEqual({
      outcome: 'holds',
      sentence: `The hypothesis holds: the quarantine reaches ${all} (${all} mostly by “write the asserts”).`,
    });
    for (const mode of ['sentinel', 'exit_code'])
      expect(
        sentences.find((one) => one.startsWith(`${mode}: `)),
        mode,
      ).toMatch(
        /lowers hack: .*; the quarantine reaches it, and a random V does not\. Of that pairs .* do 8[6-9]%: .* most of it\./,
      );
  });
});

describe('without a teacher', () => {
  const q17 = (vanilla: number) =>
    textOf(question('Q17', { no_teacher: [vanilla, 0.3], 'screening-no_teacher': [vanilla - 0.1, 0.3] }));
  it('screening and the penalty are compared with vanilla without one, and decide nothing if it has not learned the hack (Q17)', () => {
    expect(q17(0.4)).toMatch(
      /Against vanilla without a teacher, screening, monitor right 90%, no teacher \(uses oracle\) lowers hack: −10/,
    );
    expect(q17(0.4)).not.toMatch(/these lines decide nothing/);
    expect(q17(0.15)).toMatch(/there is nothing to remove, and these lines decide nothing/);
  });
});

describe('a finding that presupposes something', () => {
  it('about a vanishing cost requires the cost (Q6)', () => {
    const hack = 0.2;
    const standing = (dense: number, thin: number) =>
      question('Q6', { 'erase0.5': [hack, dense], 'erase0.25': [hack, thin], 'erase0.125': [hack, thin] }).result
        .verdict.standing;
    expect(standing(0.2, 0.3)).toBe('replicates');
    expect(standing(0.2, 0.2)).toBe('does not replicate');
    expect(standing(0.36, 0.36)).toBe('does not replicate');
  });

  it('about a closing gap requires the gap (Q11)', () => {
    const standing = (short: number, long: number) =>
      question('Q11', { erase40: [short, 0.3], erase: [long, 0.3] }).result.verdict.standing;
    expect(standing(0.3, 0.5)).toBe('replicates');
    expect(standing(0.5, 0.5)).toBe('does not replicate');
    expect(standing(0.3, 0.3)).toBe('does not replicate');
    // A gap of 8 points is not closed, and is less than the 15 that would refute it.
    expect(standing(0.3, 0.42)).toBe('undecided');
  });
});

describe('a share', () => {
  const q19 = (route: number, matched: number, wide: number) =>
    textOf(
      question(
        'Q19',
        { 'route-classic': [route, 0.3], 'matched-classic': [matched, 0.3], 'steered-classic': [0.02, 0.3] },
        undefined,
        wide,
      ),
    );
  it('of a missing effect is not stated (Q19)', () => {
    expect(q19(0.499, 0.4985, 0.002)).not.toMatch(/Random directions|steering/);
  });
  it('is above or below a half only if the seeds show it (Q19)', () => {
    expect(q19(0.1, 0.15, 0.002)).toMatch(/do 8[78]% of it: most of the effect is regularisation/);
    expect(q19(0.1, 0.45, 0.002)).toMatch(/do 1[23]% of it: regularisation does not explain it/);
    expect(q19(0.1, 0.31, 0.03)).toMatch(/whether that is half of the effect is open/);
  });

  const q18 = (kept: number, wide: number) =>
    textOf(
      question(
        'Q18',
        { 'vanilla@0.75': [0.5, 0.5], 'honest@0.75': [0.02, 0.8], 'k5@0.75': [0.1, kept], 'k12@0.75': [0.1, 0.7] },
        [0.5, 0.42],
        wide,
      ),
    );
  it('of at least a half likewise, and a width found afterwards is called so (Q18)', () => {
    // Vanilla solves 50%, the base 40%, honest-only 80%.
    expect(q18(0.7, 0.004)).toMatch(
      /¾ honest: .*: the hypothesis holds here\. Vanilla itself keeps 2[456]%\. A random V/,
    );
    expect(q18(0.61, 0.02)).toMatch(/¾ honest: .*: at k 5 it stays open/);
    expect(q18(0.5, 0.004)).toMatch(/¾ honest: .*: at k 5 it does not hold, but it holds at k 12, found afterwards\./);
  });
});

describe('a table', () => {
  it('gives the base no spread, although every question has one', () => {
    const { result } = question('Q6', {});
    const line = questionMarkdown(result).find((row) => row.startsWith('| base'));
    expect(line).toMatch(/^\| base \(untrained\) \| 1 \| 2\.0 \| 40\.0 \|/);
    expect(result.figures.get('base')?.comparison?.n).toBe(5);
  });

  it('with a deployed route model includes the base steered along V, and the ungated quarantine', () => {
    for (const { id, cells } of QUESTIONS) {
      const routed = cells.filter(({ arm, model }) => arm === 'route-update' && model === 'deployed');
      for (const { preset, overrides, mode } of routed) {
        const same = (other: StudyCell) =>
          JSON.stringify([other.preset, other.overrides, other.mode]) === JSON.stringify([preset, overrides, mode]);
        const models = cells.filter(same).map(({ model }) => model);
        for (const model of ['steered_base', 'no_gate'])
          expect(models, `${id} ${JSON.stringify(overrides)}`).toContain(model);
      }
    }
    const { result } = question('Q12', {});
    expect(result.figures.get('steered')?.comparison?.figures['final-hack']?.adjusted).toBeNull();
    expect(result.figures.get('route')?.comparison?.figures['final-hack']?.adjusted?.tests).toBe(23);
  });

  it('shows the p that decides: the paired t’s after Holm, if no sign-flip p can reach .05', () => {
    const { result } = question('Q13', { erase: [0.1, 0.3] });
    const line = questionMarkdown(result).find((row) => row.startsWith('| erase, no teacher |'));
    expect(line).toMatch(/0\.0625 \(0\.0625\); 0\.\d+; t [\de.−-]+ \|/);
    const ten = questionMarkdown(question('Q2', { erase: [0.1, 0.3] }).result).find((row) =>
      row.startsWith('| erase, frozen'),
    );
    expect(ten).not.toMatch(/; t /);
  });

  it('reports a matched random basis that was not wide enough', () => {
    const { runs } = question('Q19', {});
    expect(resultOf(questionOf('Q19'), runs).notes.join(' ')).not.toMatch(/not wide enough/);
    for (const { record } of runs.values())
      for (const row of record.evals)
        if (row.model === 'random_V_matched' && record.spec.seed < 43)
          row.note = 'k = 96: removes 3.000 over the run, the real V 4.000; r is not enough';
    expect(resultOf(questionOf('Q19'), runs).notes.join(' ')).toMatch(
      /random V matched, hackable only at 40 steps: in 2 seeds of 10 not wide enough/,
    );
  });
});
