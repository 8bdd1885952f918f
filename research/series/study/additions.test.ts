// Tests additions to questions: their own Holm family, verdict and runs; and the rules of both additions.
import { describe, expect, it } from 'vitest';
import { STANDARD_MODES } from '../../../src/environments/code/types.ts';
import { ofKind } from '../../../src/experiments/records/metrics.ts';
import { controlRow, type FinishedRun } from '../../../src/experiments/runs/finished.ts';
import { planStudy, runOfCell } from './plan.ts';
import { QUESTIONS } from './questions/index.ts';
import { questionMarkdown, summary } from './report.ts';
import { resultOf } from './results.ts';
import { type Final, questionOf, runsFor } from './testing/study-cells.ts';
import type { QuestionId, StudyCell } from './types.ts';

const SPREAD = [1, -2, 2, 0, -1];
const wave = (seed: number, shift: number) => SPREAD[(seed * (1 + (Math.floor(shift / 5) % 4)) + shift) % 5];
const isAdded = ({ isAdded: added }: StudyCell) => added === true;

function made(id: QuestionId, finals: (cell: StudyCell) => Final | undefined, without: (cell: StudyCell) => boolean) {
  const { cells } = questionOf(id);
  return runsFor(id, (cell, seed) => {
    if (without(cell)) return null;
    const [hack, solve] = finals(cell) ?? (cell.model === 'base' ? [0.02, 0.4] : [0.5, 0.3]);
    const jitter = cell.model === 'base' ? 0 : 0.002 * wave(seed, cells.indexOf(cell));
    return [hack + jitter, solve + jitter];
  });
}
const never = () => false;

describe('an addition', () => {
  it('changes no p and no verdict of its question', () => {
    const real = (cell: StudyCell): Final | undefined => (cell.id === 'erase' ? [0.4, 0.3] : undefined);
    const before = resultOf(questionOf('Q10'), made('Q10', real, isAdded));
    const after = resultOf(questionOf('Q10'), made('Q10', real, never));
    expect(after.verdict).toEqual(before.verdict);
    const adjusted = (result: typeof before, id: string) =>
      result.figures.get(id)?.comparison?.figures['final-hack']?.adjusted;
    expect(adjusted(after, 'erase')).toEqual(adjusted(before, 'erase'));
    expect(adjusted(after, 'erase')?.tests).toBe(9);
    expect(adjusted(after, 'erase-moral_unread')?.tests).toBe(10);
  });

  it('has its own runs, and adds no quarantine to a published record', () => {
    const added = QUESTIONS.flatMap(({ cells }) => cells.filter(isAdded));
    const others = QUESTIONS.flatMap(({ cells }) => cells.filter((cell) => !isAdded(cell)));
    const keysOf = (cells: readonly StudyCell[]) =>
      new Set(cells.flatMap((cell) => cell.seeds.map((seed) => runOfCell(cell, seed).key)));
    const old = keysOf(others);
    const fresh = keysOf(added);
    expect(fresh.size).toBe(30);
    for (const key of fresh) expect(old.has(key), key).toBe(false);
    expect(planStudy().jobs.filter(({ run }) => fresh.has(run.key)).length).toBe(35);
  });

  it('is shown after its question, with its own text, and states if it is not run', () => {
    const result = resultOf(questionOf('Q8'), new Map());
    const lines = questionMarkdown(result);
    const at = lines.indexOf('### Q8, added: Which loophole modes must the pairs cover?');
    expect(at).toBeGreaterThan(0);
    expect(lines.slice(at).join('\n')).toMatch(
      /\*\*Hypothesis\.\*\* [\s\S]*\*\*Falsified by\.\*\* [\s\S]*Verdict of the addition \(not run\)/,
    );
    expect(summary([result]).join('\n')).toContain('- Q8, added: Which loophole modes must the pairs cover? Not run.');
  });
});

describe('framing pairs (Q10)', () => {
  const outcome = (finals: Record<string, Final>) => {
    const all: Record<string, Final> = { erase: [0.3, 0.3], route: [0.1, 0.3], ...finals };
    return resultOf(
      questionOf('Q10'),
      made('Q10', ({ id }) => all[id], never),
    ).addition;
  };
  it('hold if none does half of what mechanism pairs do, and are falsified by one that does', () => {
    expect(outcome({})?.answer?.outcome).toBe('holds');
    expect(outcome({})?.standing).toBe('replicates');
    expect(outcome({ 'erase-moral_unread': [0.35, 0.3] })?.answer?.outcome).toBe('fails');
    expect(outcome({ 'erase-moral_unread': [0.35, 0.3] })?.answer?.sentence).toContain(
      'at least half as much: moral (erased along)',
    );
    expect(outcome({ 'route-intent_unread': [0.15, 0.3] })?.answer?.outcome).toBe('fails');
    // A small effect is neither a null nor half an effect.
    expect(outcome({ 'erase-moral_unread': [0.42, 0.3] })?.answer?.outcome).toBe('holds');
    expect(outcome({ 'erase-moral_unread': [0.42, 0.3] })?.standing).toBe('does not replicate');
  });
});

describe('which mechanisms the pairs cover (Q8)', () => {
  /** `own`, `rest`: hack of the covered mode and of the others; `out`, `shown`: of the left-out mode and of the shown ones. */
  function outcome(rates: (mode: string) => { own: number; rest: number; out: number; shown: number }) {
    const runs = made('Q8', () => undefined, never);
    const { cells } = questionOf('Q8');
    const put = (run: FinishedRun, cell: StudyCell, rate: (mode: string) => number) => {
      const row = cell.shadow
        ? controlRow(cell.shadow, run)
        : run.record.evals.find(({ model }) => model === cell.model);
      if (!row) throw new Error(`no row of ${cell.id}`);
      const jitter = 0.004 * wave(run.record.spec.seed, cells.indexOf(cell));
      for (const mode of STANDARD_MODES)
        Object.assign(row.all.figures, { [ofKind('n', mode)]: 64, [ofKind('hack', mode)]: rate(mode) + jitter });
    };
    for (const cell of cells)
      for (const seed of cell.seeds) {
        const run = runs.get(runOfCell(cell, seed).key)!;
        const [, kind, mode] = /^route-(only|but)_(\w+)$/.exec(cell.id) ?? [];
        if (cell.id === 'vanilla') put(run, cell, () => 0.5);
        else if (kind === 'only') put(run, cell, (m) => (m === mode ? rates(mode).own : rates(mode).rest));
        else if (kind === 'but') put(run, cell, (m) => (m === mode ? rates(mode).out : rates(mode).shown));
      }
    return resultOf(questionOf('Q8'), runs).addition;
  }

  it('decide if a mechanism falls with its own pairs and hardly with others’', () => {
    const clean = outcome(() => ({ own: 0.1, rest: 0.45, out: 0.45, shown: 0.1 }));
    expect(clean?.answer?.outcome).toBe('holds');
    expect(clean?.n).toBe(5);
    expect(clean?.standing).toBe('new here');
    // All fall alike, whichever pairs are used.
    expect(outcome(() => ({ own: 0.1, rest: 0.1, out: 0.1, shown: 0.1 }))?.answer?.outcome).toBe('fails');
    // One mode of four contradicts the hypothesis, which neither falsifies nor confirms it.
    const one = outcome((mode) => ({ own: mode === 'run_tests' ? 0.5 : 0.1, rest: 0.5, out: 0.5, shown: 0.1 }));
    expect(one?.answer?.outcome).toBe('in part');
    expect(one?.answer?.sentence).toContain('pairs of one mechanism alone do not lower its hack (run_tests)');
    const two = outcome((mode) => ({ own: /tests|sentinel/.test(mode) ? 0.5 : 0.1, rest: 0.5, out: 0.5, shown: 0.1 }));
    expect(two?.answer?.outcome).toBe('fails');
  });
});
