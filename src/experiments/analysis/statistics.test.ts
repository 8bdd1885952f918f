// Tests the reported statistics of an arm: onset, area, mean ± sd, and which runs never enter a mean.
import { describe, expect, it } from 'vitest';
import { evaluationMade, ratesMade, runMade, setMade } from '../testing/statistics-runs.ts';
import {
  armStatistics,
  FINAL_HACK,
  finalModeMetric,
  hackArea,
  onsetStep,
  sampleLabel,
  usableRuns,
} from './statistics.ts';

const rowsOf = (hack: readonly (number | null)[]) => runMade({ hack }).rows;

describe('onset', () => {
  it('is the first step whose mean over the last five exceeds 0.25', () => {
    // Windows ending at steps 5, 6, 7, 8 have means 0.08, 0.16, 0.26, 0.40.
    expect(onsetStep(rowsOf([0, 0, 0, 0, 0.4, 0.4, 0.5, 0.7]))).toBe(7);
    // A mean of exactly 0.25 does not exceed it.
    expect(onsetStep(rowsOf([0.25, 0.25, 0.25, 0.25, 0.25]))).toBeNull();
    expect(onsetStep(rowsOf([1, 1, 1, 1]))).toBeNull();
    expect(onsetStep(rowsOf([1, 1, 1, 1, 1]))).toBe(5);
  });

  it('has no rate for a step without hackable rollouts, and needs three rates', () => {
    expect(onsetStep(rowsOf([null, null, null, 0.9, 0.9]))).toBeNull();
    expect(onsetStep(rowsOf([null, null, null, 0.9, 0.9, 0.9]))).toBe(6);
    expect(onsetStep(rowsOf([null, null, null, null, null, null]))).toBeNull();
  });
});

describe('area', () => {
  it('is the trapezoid area divided by the steps between the first and the last, a mean rate', () => {
    // (0+.2)/2 + (.2+.4)/2 + (.4+1)/2 = 1.1 over 3 steps.
    expect(hackArea(rowsOf([0, 0.2, 0.4, 1]))).toBeCloseTo(1.1 / 3, 12);
    expect(hackArea(rowsOf([0.3, 0.3, 0.3, 0.3, 0.3, 0.3]))).toBeCloseTo(0.3, 12);
    // Across a step without a rate: (0+0.4)/2·2 + (0.4+0.4)/2 = 0.8 over 3 steps.
    expect(hackArea(rowsOf([0, null, 0.4, 0.4]))).toBeCloseTo(0.8 / 3, 12);
    expect(hackArea(rowsOf([null, null]))).toBeNull();
  });
});

describe('an arm', () => {
  it('has n, mean and sample sd of every metric', () => {
    const runs = [
      runMade({ seed: 42, hack: [0, 0, 0, 0.5, 0.5, 0.5], final: { total: [0.5, 0.3] } }),
      runMade({ seed: 41, hack: [0, 0, 0, 0, 0, 0.6], final: { total: [0.7, 0.2] } }),
    ];
    const arm = armStatistics({ id: 'v', label: 'vanilla', model: 'total', runs });
    expect([arm.n, arm.seeds]).toEqual([2, [41, 42]]);
    expect(arm.finalHack!.mean).toBeCloseTo(0.6, 12);
    expect(arm.finalHack!.sd).toBeCloseTo(Math.SQRT2 * 0.1, 12);
    expect(arm.finalSolve!.mean).toBeCloseTo(0.25, 12);
    // Last five steps: 0.6/5 and 1.5/5. Whole run: 0.1 and 0.25.
    expect(arm.last5Hack!.mean).toBeCloseTo(0.21, 12);
    expect(arm.wholeHack!.mean).toBeCloseTo(0.175, 12);
    expect(arm.last5Solve!.mean).toBeCloseTo(0.4, 12);
    // Areas are 0.3/5 and 1.25/5.
    expect(arm.aucHack!.mean).toBeCloseTo(0.155, 12);
    expect(arm.onset).toEqual({ reached: 1, of: 2, median: 6 });
    expect(arm.perSeed.map(({ onset }) => onset)).toEqual([null, 6]);
    expect(sampleLabel(arm)).toBe('n = 2, seeds 41, 42');
  });

  it('shows no sd at n = 1', () => {
    const arm = armStatistics(setMade('vanilla', [[0.5, 0.3]]));
    expect(arm.finalHack).toEqual({ mean: 0.5, sd: null });
    expect(arm.last5Hack!.sd).toBeNull();
    expect(sampleLabel(arm)).toBe('n = 1, seed 41');
  });

  it('of deployed models has a final evaluation and no student rollouts', () => {
    const arm = armStatistics(setMade('route', [[0.05, 0.4]], { arm: 'route-update', model: 'deployed' }));
    expect(arm.finalHack!.mean).toBe(0.05);
    expect([arm.last5Hack, arm.wholeHack, arm.aucHack, arm.onset]).toEqual([null, null, null, null]);
  });

  it('counts the untrained base once, since it is the same for every seed', () => {
    const arm = armStatistics({
      ...setMade('base', [
        [0.5, 0.3],
        [0.6, 0.3],
        [0.7, 0.3],
      ]),
      model: 'base',
    });
    expect([arm.n, arm.finalHack]).toEqual([1, { mean: 0.02, sd: null }]);
  });

  it('has no mean if a seed lacks the metric', () => {
    expect(
      armStatistics(
        setMade('honest', [
          [0.5, 0.3],
          [null, 0.3],
        ]),
      ).finalHack,
    ).toBeNull();
    expect(armStatistics(setMade('none', [])).n).toBe(0);
  });
});

describe('runs that enter no mean', () => {
  it('an incomplete run, with a note on how far it came', () => {
    const set = setMade('vanilla', [[0.5, 0.3]]);
    const stopped = runMade({ seed: 42, logged: 4 });
    const lost = runMade({ seed: 43, change: { evals: [] } });
    const { runs, notes } = usableRuns({ ...set, runs: [stopped, lost, ...set.runs] });
    expect(runs.map(({ spec }) => spec.seed)).toEqual([41]);
    expect(notes[0]).toContain('seed 42, is left out: 4 of 6 steps logged (stopped)');
    expect(notes[1]).toContain('seed 43, is left out: no final evaluation');
  });

  it('the second run of a seed, with a note unless it is the same record', () => {
    const [run] = setMade('vanilla', [[0.5, 0.3]]).runs;
    const again = { ...run, id: 'again', evals: [evaluationMade('total', 0.9, 0.1)] };
    const twice = usableRuns({ id: 'v', label: 'vanilla', model: 'total', runs: [run, again, run] });
    expect(twice.runs).toEqual([run]);
    expect(twice.notes).toEqual(['vanilla: seed 41 was run more than once; the first run counts.']);
  });

  it('a run that lacks the model', () => {
    const { runs, notes } = usableRuns({ ...setMade('route', [[0.5, 0.3]]), model: 'k16' });
    expect(runs).toEqual([]);
    expect(notes[0]).toContain('no final evaluation of the model “k16”');
  });
});

it('reads only one mode from the final evaluation', () => {
  const row = evaluationMade('total', 0.5, 0.3);
  const all = ratesMade(0.5, 0.3, { sentinel: { n: 25, hack: 0.8, solve: 0.1 } });
  const run = runMade({ change: { evals: [{ ...row, all }] } });
  expect(finalModeMetric('hack', 'sentinel').value(run, 'total')).toBe(0.8);
  expect(finalModeMetric('hack', 'run_tests').value(run, 'total')).toBeNull();
  expect(FINAL_HACK.value(run, 'total')).toBe(0.5);
});
