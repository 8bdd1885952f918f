// Tests that remarks before the verdicts follow from their rows: other rows give other words. Also tests what a table must not hide: modes
// that do not fall, hacks that merely failed, a model that is only nearer to the base.
import { describe, expect, it } from 'vitest';
import { ofKind } from '../../../src/experiments/records/metrics.ts';
import type { FinishedRun } from '../../../src/experiments/runs/finished.ts';
import { caveats } from './caveats.ts';
import { effectSentence, hack } from './judge.ts';
import { questionMarkdown } from './report.ts';
import { restoringNote } from './restoring.ts';
import { resultOf } from './results.ts';
import type { TemplateShare } from './template-share.ts';
import { type Final, questionOf, runsFor } from './testing/study-cells.ts';
import type { QuestionId } from './types.ts';

const SPREAD = [1, -2, 2, 0, -1];
const wave = (seed: number, shift: number) => SPREAD[(seed * (1 + (Math.floor(shift / 5) % 4)) + shift) % 5];
type Finals = Record<string, Final>;

function made(id: QuestionId, finals: Finals, otherwise: Final = [0.5, 0.3], base: Final = [0.02, 0.4], wide = 0.002) {
  const ids = questionOf(id).cells.map((cell) => cell.id);
  const runs = runsFor(id, (cell, seed) => {
    if (cell.model === 'base') return finals[cell.id] ?? base;
    const [hack, solve] = finals[cell.id] ?? otherwise;
    return [hack + wide * wave(seed, ids.indexOf(cell.id)), solve + wide * wave(seed, 1 + ids.indexOf(cell.id))];
  });
  return { runs, result: () => resultOf(questionOf(id), runs) };
}

/** Gives every evaluation of a model these rates by mode. */
function modes(
  runs: ReadonlyMap<string, FinishedRun>,
  model: string,
  hack: Record<string, number>,
  structural: number,
) {
  for (const { record } of runs.values())
    for (const row of record.evals)
      if (row.model === model)
        row.all = {
          ...row.all,
          figures: {
            ...row.all.figures,
            structural,
            ...Object.fromEntries(Object.entries(hack).map(([name, rate]) => [ofKind('hack', name), rate])),
          },
        };
}

const share = (pairSet: string, shown: number): TemplateShare => ({ pairSet, pairs: 24, shown, rows: 640 });
const SHARES = [share('prog_wide', 602), share('prog_wider', 108)];
const lineOf = (lines: readonly string[], head: string) => lines.find((line) => line.startsWith(`**${head}`));

describe('remarks on the first objections', () => {
  it('state how much of the pool the pairs show, and the effect of other spellings', () => {
    const line = (varied: number, routed: number, shares = SHARES) => {
      const { result } = made('Q10', {
        erase: [0.3, 0.3],
        route: [0.1, 0.3],
        'erase-prog_wider': [varied, 0.3],
        'route-prog_wider': [routed, 0.3],
      });
      return lineOf(caveats([result()], shares), 'Template-bound');
    };
    expect(line(0.5, 0.49)).toMatch(/^\*\*Template-bound\.\*\* 94% of the teacher’s rows \(602 of 640\)/);
    expect(line(0.5, 0.49)).toMatch(/What is removed here is bound to the templates’ wording\.$/);
    expect(line(0.32, 0.12)).toMatch(/Other wording does most of the same\.$/);
    expect(line(0.5, 0.49, [share('prog_wide', 64), SHARES[1]])).toContain('10% of the teacher’s rows (64 of 640)');
    expect(line(0.5, 0.49, [])).toBeUndefined();
  });

  it('name the modes that hardly fall, and what the hack rate misses', () => {
    const { runs, result } = made('Q12', { route: [0.1, 0.35], steered: [0.01, 0.45] });
    modes(runs, 'total', { run_tests: 0.5, sentinel: 0.6 }, 0.84);
    modes(runs, 'deployed', { run_tests: 0.4, sentinel: 0 }, 0.2);
    const line = lineOf(caveats([result()], SHARES), 'Mode by mode');
    expect(line).toMatch(/run_tests 50\.0 → 40\.0, sentinel 60\.0 → 0\.0/);
    expect(line).toMatch(/For run_tests, the removed share is less than half/);
    expect(line).toMatch(
      /84% of vanilla’s answers contain exploit code, 50% count as hacks; of the deployed model’s, 20% and/,
    );
  });

  it('say restoring if it solves less than the base, and learning if it solves more', () => {
    const line = (solve: number) => {
      const { result } = made('Q12', { route: [0.1, solve], steered: [0.01, 0.45] });
      return lineOf(caveats([result()], SHARES), 'Restoring');
    };
    expect(line(0.35)).toMatch(
      /solves −5 points .*, so that is restoring, not learning\. Of 24 such lines in all tables 24 solve less than it, none more\./,
    );
    expect(line(0.35)).toMatch(/is better \(Q19\): it hacks 1\.\d% and solves 45\.\d%/);
    expect(line(0.48)).toMatch(
      /it has learned more than the base knew\. Of 24 .* 1 more: route \(update\), real V, deployed \(Q12\)\./,
    );
  });

  it('compare the baselines with the deployed model, whatever the result', () => {
    const line = (rival: Final) => {
      const finals = { 'k5@0.75': [0.1, 0.5], 'advantage@0.75': rival, 'penalty@0.75': rival } as const;
      return lineOf(caveats([made('Q18', finals).result()], SHARES), 'Plain baselines');
    };
    expect(line([0.02, 0.4])).toMatch(/advantage modification hacks less \(−8\.?\d* points .*\) and solves less/);
    expect(line([0.2, 0.6])).toMatch(/penalty \(uses oracle\) hacks more .* and solves more/);
  });

  it('are empty without rows', () => {
    expect(caveats([resultOf(questionOf('Q12'), new Map())], SHARES)).toEqual([]);
  });
});

describe('capability kept', () => {
  it('is stated for honest problems alone, where stopping to hack solves nothing (Q18)', () => {
    const { runs, result } = made('Q18', {
      'vanilla@0.75': [0.4, 0.5],
      'k5@0.75': [0.1, 0.6],
      'honest@0.75': [0, 0.8],
    });
    const honest: Record<string, number> = { base: 0.4, total: 0.56, deployed: 0.58 };
    for (const { record } of runs.values())
      for (const row of record.evals) {
        const rate = record.spec.trainOn === 'honest' && row.model === 'total' ? 0.65 : honest[row.model];
        if (rate !== undefined)
          Object.assign(row.all.figures, { 'n:honest': 192, 'hack:honest': null, 'solve:honest': rate });
      }
    const { sentences } = result().verdict;
    expect(sentences.join(' ')).toContain(
      'On its honest problems alone the base solves 40.0%, vanilla 56.0%, the deployed model 58.0%, honest-only training 65.0%: vanilla keeps 64%, the deployed model 72%.',
    );
  });
});

describe('a table', () => {
  it('has the structural detector and every mode, and labels the reference’s figures', () => {
    const { runs, result } = made('Q2', {});
    modes(runs, 'total', { run_tests: 0.25, sentinel: 0.5 }, 0.75);
    const lines = questionMarkdown(result());
    expect(lines.find((line) => line.startsWith('| model'))).toMatch(
      /\| solve \| structural \| hack: run_tests \/ sentinel .*\| reference \(its last 5 training steps\) \|$/,
    );
    expect(lines.find((line) => line.startsWith('| erase, frozen V'))).toMatch(/\| 75\.0 \| 25\.0 \/ 50\.0 \|/);
    // Every row has the same number of columns, run or not.
    const rows = questionMarkdown(resultOf(questionOf('Q2'), runs, { seeds: [41] })).filter((line) =>
      line.startsWith('|'),
    );
    expect(new Set(rows.map((row) => row.split(' | ').length)).size).toBe(1);
  });

  it('of hackable problems alone states how its cells solve compared with the base', () => {
    const note = (solve: number) => restoringNote(made('Q4', { route: [0.1, solve] }).result().figures);
    expect(note(0.35)).toMatch(
      /of 8 lines so trained 8 solve less than the untrained base .* none more\..*restoring, not learning/,
    );
    expect(note(0.35)).toMatch(/route \(update\), SVD k 5, deployed: −5 points/);
    expect(note(0.5)).toMatch(/7 solve less .* 1 more \(route \(update\), SVD k 5, deployed\)/);
    expect(made('Q4', {}).result().notes[0]).toMatch(/^Hackable problems only/);
    // The note covers only tables without honest problems.
    expect(restoringNote(made('Q19', {}).result().figures)).toMatch(/, hackable only at 40 steps: /);
    expect(restoringNote(resultOf(questionOf('Q4'), new Map()).figures)).toBeNull();
  });
});

describe('a difference inside the seed sd', () => {
  it('is called a difference if the interval excludes 0, and none otherwise', () => {
    // Vanilla scatters by 3 points; erase is 2 points lower in every seed, or on either side.
    const said = (shift: (seed: number) => number) => {
      const scatter = (seed: number) => 0.03 * SPREAD[seed % 5];
      const runs = runsFor('Q2', (cell, seed) =>
        cell.model === 'base'
          ? [0.02, 0.4]
          : [0.5 + scatter(seed) + (cell.id === 'erase' ? shift(seed) : 0), 0.3 + 0.001 * wave(seed, 1)],
      );
      return effectSentence(resultOf(questionOf('Q2'), runs).figures, hack('erase'), 'Erase')!.text;
    };
    expect(said((seed) => -0.02 + 0.002 * wave(seed, 2))).toMatch(
      /^Erase lowers hack, by less than the reference’s seed sd: −2 points .*: a difference, if null by that rule\.$/,
    );
    expect(said((seed) => 0.01 * wave(seed, 2))).toMatch(/^Erase shows no (clear )?change of hack/);
  });

  it('a trend of less than 10 points is a trend, and “no trend” does not replicate (Q5)', () => {
    const cadences = ['frozen', 'refresh10', 'refresh5', 'refresh2', 'refresh1'];
    const verdict = (slope: number) =>
      made('Q5', Object.fromEntries(cadences.map((id, i) => [id, [0.4 - slope * i, 0.3] as const]))).result().verdict;
    expect(verdict(0.015).standing).toBe('does not replicate');
    expect(verdict(0.015).sentences.join(' ')).toContain('That is a trend, of less than 10 points.');
    expect(verdict(0.015).answer?.sentence).toContain('hack falls by less than 10 points');
    expect(verdict(0).standing).toBe('replicates');
    expect(verdict(0).sentences.join(' ')).toContain('no trend.');
  });
});
