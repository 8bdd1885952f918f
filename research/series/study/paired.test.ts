// Tests paired comparisons of invented runs against figures computed by hand, and METHOD's rules for them.
import { describe, expect, it } from 'vitest';
import {
  confoundNote,
  differencesBetween,
  differencesWithin,
  differenceText,
} from '../../../src/experiments/analysis/differences.ts';
import type { ArmSet } from '../../../src/experiments/analysis/statistics.ts';
import { FINAL_HACK, FINAL_SOLVE } from '../../../src/experiments/analysis/statistics.ts';
import type { ArmName } from '../../../src/experiments/config/arms.ts';
import type { Settings } from '../../../src/experiments/config/settings.ts';
import { type MadeRun, runMade, setMade } from '../../../src/experiments/testing/statistics-runs.ts';
import { compareSets, holmWithin } from './paired.ts';

const hacks = (label: string, values: readonly number[], made: MadeRun & { model?: string } = {}) =>
  setMade(
    label,
    values.map((hack) => [hack, 0.4] as const),
    made,
  );
const vanilla = hacks('vanilla', [0.5, 0.6, 0.4, 0.55, 0.45]);
const erase = hacks('erase', [0.3, 0.3, 0.3, 0.25, 0.35], { arm: 'erase' });

describe('a paired comparison', () => {
  it('has Δ, its tests and the smallest detectable effect', () => {
    const { n, seeds, differences, figures, notes } = compareSets(vanilla, erase);
    expect([n, seeds]).toEqual([5, [41, 42, 43, 44, 45]]);
    expect(differences.map(differenceText)).toEqual(['projection (none → erase)']);
    expect(notes).toEqual([]);
    // Differences −.2, −.3, −.1, −.3, −.1: mean −.2, sd .1, sem .0447; t = −4.4721.
    const hack = figures[FINAL_HACK.id]!;
    expect(hack.delta.mean).toBeCloseTo(-0.2, 12);
    expect(hack.delta.sd).toBeCloseTo(0.1, 12);
    expect(hack.sem).toBeCloseTo(0.1 / Math.sqrt(5), 12);
    expect(hack.t!.t).toBeCloseTo(-2 * Math.sqrt(5), 10);
    // The t quantile 2.776 is from a printed table.
    expect(hack.t!.interval.low).toBeCloseTo(-0.2 - (2.776445 * 0.1) / Math.sqrt(5), 6);
    expect(hack.bootstrap!.low).toBeGreaterThanOrEqual(-0.3 - 1e-12);
    expect(hack.bootstrap!.high).toBeLessThan(-0.1);
    expect(hack.signFlip).toMatchObject({ p: 0.0625, smallest: 0.0625, exact: true });
    expect(hack.smallestEffect).toBeCloseTo(0.1681997, 6);
    expect(hack.pairs[1]).toEqual({ seed: 42, reference: 0.6, other: 0.3 });
    expect(figures[FINAL_SOLVE.id]!.delta.mean).toBe(0);
  });

  it('cuts unequal seeds to the common ones, and says so', () => {
    const late = hacks('erase', [0.3, 0.3, 0.3], { arm: 'erase', seed: 44 });
    const { seeds, figures, notes } = compareSets(vanilla, late);
    expect(seeds).toEqual([44, 45]);
    expect(figures[FINAL_HACK.id]!.reference.mean).toBeCloseTo(0.5, 12);
    expect(notes).toContain('vanilla has the seeds 41–45, erase 44–46: cut to those that both have (44, 45).');
  });

  it('never uses an incomplete run', () => {
    const stopped = { ...erase, runs: [...erase.runs.slice(0, 4), runMade({ arm: 'erase', seed: 45, logged: 3 })] };
    const { n, notes } = compareSets(vanilla, stopped);
    expect(n).toBe(4);
    expect(notes[0]).toContain('erase, seed 45, is left out: 3 of 6 steps');
    expect(notes[1]).toContain('cut to those that both have (41–44)');
  });

  it('of one seed has no sd, no interval, and p = 1', () => {
    const { figures, notes } = compareSets(hacks('v', [0.5]), hacks('e', [0.2], { arm: 'erase' }));
    const hack = figures[FINAL_HACK.id]!;
    expect([hack.delta.sd, hack.sem, hack.t, hack.bootstrap, hack.smallestEffect]).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(hack.signFlip.p).toBe(1);
    expect(notes.join()).toContain('One seed');
  });

  it('has no figure without a common seed', () => {
    const { n, figures, notes } = compareSets(vanilla, hacks('erase', [0.3], { arm: 'erase', seed: 60 }));
    expect([n, figures[FINAL_HACK.id]]).toEqual([0, null]);
    expect(notes[0]).toContain('(none)');
  });

  it('has no mean of a figure that one seed lacks', () => {
    const holes = setMade(
      'e',
      [
        [0.3, 0.4],
        [null, 0.4],
      ],
      { arm: 'erase' },
    );
    const { figures } = compareSets(hacks('v', [0.5, 0.5]), holes);
    expect(figures[FINAL_HACK.id]).toBeNull();
    expect(figures[FINAL_SOLVE.id]!.n).toBe(2);
  });

  it('reports different devices and versions', () => {
    const elsewhere = hacks('e', [0.3], { arm: 'erase', change: { device: 'GPU', appVersion: '2' } });
    const { notes } = compareSets(hacks('v', [0.5]), elsewhere);
    expect(notes.join(' ')).toMatch(/different devices \(CPU; GPU\).*different versions of the lab \(1, 2\)/);
  });
});

describe('Holm within a question', () => {
  it('adjusts the sign-flip p of all comparisons, and the least possible p', () => {
    // Six seeds: all on one side p = 2/64; one small difference on the other side p = 4/64.
    const reference = hacks('v', [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
    const strong = compareSets(reference, hacks('a', [0.3, 0.31, 0.32, 0.33, 0.34, 0.35], { arm: 'erase' }));
    const weak = compareSets(reference, hacks('b', [0.3, 0.31, 0.32, 0.33, 0.34, 0.55], { arm: 'erase' }));
    const gone = compareSets(reference, hacks('c', []));
    const [a, b, c] = holmWithin([strong, weak, gone], FINAL_HACK.id).map(({ figures }) => figures[FINAL_HACK.id]);
    expect([strong, weak].map(({ figures }) => figures[FINAL_HACK.id]!.signFlip.p)).toEqual([2 / 64, 4 / 64]);
    expect(a!.adjusted).toMatchObject({ p: 4 / 64, tests: 2, smallest: 4 / 64 });
    expect(b!.adjusted).toMatchObject({ p: 4 / 64, tests: 2, smallest: 4 / 64 });
    const [own, other] = [strong, weak].map(({ figures }) => figures[FINAL_HACK.id]!.t!.p as number);
    expect(a!.adjusted!.tP).toBeCloseTo(2 * own, 12);
    expect(b!.adjusted!.tP).toBeCloseTo(other, 12);
    expect(c).toBeNull();
    expect(strong.figures[FINAL_HACK.id]!.adjusted).toBeNull();
  });
});

describe('differences', () => {
  const set = (arm: ArmName, overrides: Partial<Settings> = {}, model = 'total'): ArmSet => ({
    id: arm,
    label: arm,
    model,
    runs: [runMade({ arm, overrides })],
  });
  const between = (a: ArmSet, b: ArmSet) => differencesBetween(a, b).map(differenceText);

  it('count an arm as one difference', () => {
    expect(between(set('none'), set('erase'))).toEqual(['projection (none → erase)']);
    expect(between(set('none'), set('route-update', {}, 'deployed'))).toEqual(['projection (none → route, deployed)']);
    expect(between(set('none'), set('route-update'))).toEqual([]);
    expect(between(set('none'), set('penalty'))).toEqual(['baseline (none → reward penalty 2, monitor accuracy 0.9)']);
    expect(between(set('none'), set('kl'))).toHaveLength(1);
    expect(between(set('none'), set('no_teacher'))).toHaveLength(1);
    expect(between(set('erase'), set('random_V'))).toEqual(['Basis from (pairs → random)']);
    expect(between(set('erase'), set('erase-update'))).toEqual(['projected (gradient → update)']);
    expect(between(set('erase'), set('nonhack_V'))).toHaveLength(1);
  });

  it('describe a control by its own spec', () => {
    const control = (model: string) => set('route-update', {}, model);
    const real = control('deployed');
    expect(between(real, control('no_gate'))).toHaveLength(1);
    expect(between(real, control('random_V'))).toEqual(['Basis from (pairs → random)']);
    expect(between(real, control('random_V_matched'))).toEqual(['Basis from (pairs → random_matched)']);
    expect(between(real, control('k16'))).toHaveLength(1);
    expect(between(real, control('k16'))[0]).toContain('(5 → 16)');
    expect(between(real, control('without_sentinel'))).toHaveLength(1);
    expect(between(real, control('placebo_V'))[0]).toContain('prog_wide → placebo');
    // For a control that was replayed later, the set has the description.
    const later = {
      ...real,
      model: 'later',
      shadow: { id: 'later', kind: 'permuted', gate: 'no_gate', k: 5, mode: null },
    } as const;
    expect(between(real, later)).toHaveLength(2);
    // The k of a matched control is measured, not configured.
    const matched = {
      ...real,
      model: 'm',
      shadow: { ...later.shadow, kind: 'random_matched', gate: 'one_sided', k: 9 },
    } as const;
    expect(between(real, matched)).toEqual(['Basis from (pairs → random_matched)']);
  });

  it('report two simultaneous ones as a confound, in the comparison itself', () => {
    // The reference's Q8 changes pairs, k and tau together.
    const wide = set('erase', { pairs: 16, k: 12, tauAxis: 0.1 });
    const { notes } = compareSets(set('erase', { pairs: 10 }), wide);
    expect(notes[0]).toMatch(/^Confound: 3 things differ at once: /);
    expect(notes[0]).toContain('(5 → 12)');
    expect(notes[0]).toContain('(10 → 16)');
    expect(compareSets(set('none'), set('erase', { lr: 0.01 })).notes[0]).toContain('Confound: 2 things differ');
    expect(compareSets(set('none'), set('no_teacher-erase')).notes[0]).toContain('Confound: 2 things differ');
    expect(confoundNote([])).toBeNull();
  });

  it('ignore settings that the other side does not use', () => {
    expect(between(set('none', { k: 3, evalEvery: 1 }), set('erase', { k: 5 }))).toEqual(['projection (none → erase)']);
    expect(between(set('none', { mix: 0 }), set('none', { mix: 0, teacherPool: 'x' }))).toEqual([]);
    expect(between(set('none'), set('none', { clipEpsHigh: 0.2 }))).toEqual([]);
    // Equivalent values count as one: by_lesson equals none beside RL, and documents beside documents.
    const rl = { environment: 'characters' } as const;
    const documents = { ...rl, objective: 'nll', lesson: 'documents' } as const;
    expect(between(set('none', rl), set('none', { ...rl, replay: 'none' }))).toEqual([]);
    expect(between(set('none', rl), set('none', { ...rl, replay: 'documents' }))).toHaveLength(1);
    expect(between(set('none', documents), set('none', { ...documents, replay: 'documents' }))).toEqual([]);
    expect(between(set('none', documents), set('none', { ...documents, replay: 'none' }))).toHaveLength(1);
    // A run older than a setting was made with the setting's default.
    const old = set('none');
    const { lossType: _, adapter: __, ...spec } = old.runs[0].spec;
    const aged = { ...old, runs: [{ ...old.runs[0], spec: spec as (typeof old.runs)[0]['spec'] }] };
    expect(between(aged, set('none'))).toEqual([]);
    expect(between(aged, set('none', { adapter: 'lora' }))).toHaveLength(1);
  });

  it('include other weights, another grader, and differing runs within one set', () => {
    const other = { ...set('none'), runs: [runMade({ change: { modelSha256: 'x', graderVersion: 'h' } })] };
    expect(between(set('none'), other)).toEqual(['model weights (m → x)', 'grader (g → h)']);
    const mixed = { ...set('none'), runs: [runMade({}), runMade({ seed: 42, overrides: { lr: 0.01 } })] };
    expect(differencesWithin(mixed)).toHaveLength(1);
    expect(compareSets(mixed, mixed).notes.join()).toContain('differ among themselves');
  });

  it('distinguish the base from a trained model', () => {
    expect(between(set('none', {}, 'base'), set('none'))).toEqual(['training (none → GRPO)']);
  });
});
