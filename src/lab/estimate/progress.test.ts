// Tests the one bar from the first preparation to the last evaluation: it never goes back, and is full exactly at the end.
import { describe, expect, it } from 'vitest';
import { RELEARN_STEPS } from '../../experiments/config/controls.ts';
import { runIdOf } from '../../experiments/config/run-spec.ts';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import { foldEvent, newExperimentState } from '../../experiments/records/experiment-state.ts';
import { ProgressTracker, weightOf } from './progress.ts';

const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none', 'erase'], overrides: { steps: 4, evalEvery: 0 } });
const runs = resolveRuns(spec);
const PER_STEP = 0.5;
const PREPARING = 6;
const BLANK = { status: 'running', rows: [], timings: [], evals: [] };

/** The events of the experiment, each with the seconds that pass before it. */
function* events(): Generator<[seconds: number, event: LabEvent]> {
  for (const [i, run] of runs.entries()) {
    const id = runIdOf('x', run);
    const event = (one: object): LabEvent => ({ runId: id, ...one }) as unknown as LabEvent;
    // Problems and pool come first, then the run's pairs; the second run reuses them.
    for (const what of i === 0 ? ['problems', 'teacher pool'] : ['problems'])
      for (const done of [0, 4]) yield [0.5, event({ type: 'prepare', what, done, total: 4 })];
    yield [0, event({ type: 'run-start', run: { ...BLANK, id, spec: run } })];
    for (let done = 0; done <= 8; done++)
      yield [i === 0 ? 0.5 : 0.01, event({ type: 'prepare', what: 'hack basis', done, total: 8 })];
    for (let step = 1; step <= 4; step++) {
      yield [0, event({ type: 'phase', phase: 'rollout', done: 0, total: 1 })];
      yield [PER_STEP, event({ type: 'step', row: { step }, timing: { step } })];
    }
    for (let done = 0; done <= 2; done++)
      yield [0.2, event({ type: 'phase', phase: 'final evaluation', done, total: 2 })];
    yield [0, event({ type: 'run-end', run: { ...BLANK, id, spec: run, status: 'done' } })];
  }
  yield [0, { type: 'result', result: { runs: [] } } as unknown as LabEvent];
}

function watched(seconds: { perStep: number; preparing: number } | null) {
  let now = 0;
  const state = newExperimentState(runs);
  const tracker = new ProgressTracker('x', state, () => 1000 * now, { seconds });
  const seen = [{ at: 0, type: 'begin', ...tracker.progress() }];
  for (const [wait, event] of events()) {
    now += wait;
    tracker.see(event);
    foldEvent(state, event);
    seen.push({ at: now, type: event.type, ...tracker.progress() });
  }
  return { seen, took: now, prepared: tracker.prepared };
}

describe('progress', () => {
  it('is one bar that never decreases, also during preparations between the runs', () => {
    const { seen } = watched({ perStep: PER_STEP, preparing: PREPARING });
    const fractions = seen.map(({ fraction }) => fraction);
    expect(fractions[0]).toBe(0);
    expect(fractions.at(-1)).toBe(1);
    for (const [i, fraction] of fractions.slice(1).entries()) expect(fraction).toBeGreaterThanOrEqual(fractions[i]);
    // Preparation moves the bar, and does not fill it.
    const whole = PREPARING / PER_STEP + runs.reduce((sum, run) => sum + weightOf(run), 0);
    const before = seen.filter(({ step }) => step === 0 && seen[0].runId !== null).slice(0, 10);
    expect(before.at(-1)!.fraction).toBeGreaterThan(0);
    const first = seen.find(({ type }) => type === 'step')!;
    expect(first.fraction).toBeCloseTo((PREPARING / PER_STEP + 1) / whole, 1);
  });

  it('gives the whole time from the start, including preparation and evaluation', () => {
    const { seen, prepared } = watched({ perStep: PER_STEP, preparing: PREPARING });
    const training = runs.reduce((sum, run) => sum + weightOf(run), 0) * PER_STEP;
    expect(seen[0].etaSeconds).toBeCloseTo(PREPARING + training, 6);
    expect(prepared).toBeGreaterThan(5000);
    expect(seen.at(-1)!.etaSeconds).toBe(0);
    // A preparation longer than estimated slows the bar down, which never fills.
    const late = watched({ perStep: PER_STEP, preparing: 1 }).seen.filter(({ phase }) => phase === 'hack basis');
    expect(new Set(late.slice(0, 9).map(({ fraction }) => fraction)).size).toBeGreaterThan(5);
  });

  it('counts models derived from a finished run, and moves during relearning', () => {
    const of = (alsoEvaluate: string[]) =>
      resolveRuns(
        parseExperimentSpec({ ...spec, arms: ['none'], overrides: { ...spec.overrides, alsoEvaluate } as never }),
      )[0];
    const model = (weightOf(of(['early_stop', 'merge'])) - weightOf(of([]))) / 2;
    expect(model).toBeGreaterThan(0);
    expect(weightOf(of(['interpolation']))).toBeCloseTo(weightOf(of([])) + 7 * model, 9);
    expect(weightOf(of(['relearn']))).toBeCloseTo(weightOf(of([])) + RELEARN_STEPS + model, 9);

    const relearns = parseExperimentSpec({ ...spec, overrides: { ...spec.overrides, alsoEvaluate: ['relearn'] } });
    const [run] = resolveRuns(relearns);
    const state = newExperimentState([run]);
    const tracker = new ProgressTracker('x', state, () => 0);
    const id = runIdOf('x', run);
    const event = (one: object) => foldEvent(state, { runId: id, ...one } as unknown as LabEvent);
    const rows = [1, 2, 3, 4].map((step) => ({ step }));
    event({ type: 'run-start', run: { ...BLANK, id, spec: run, rows } });
    const before = tracker.progress().fraction;
    event({ type: 'phase', phase: 'relearning', done: RELEARN_STEPS / 2, total: RELEARN_STEPS });
    const half = tracker.progress().fraction;
    event({ type: 'phase', phase: 'relearning', done: RELEARN_STEPS, total: RELEARN_STEPS });
    expect(half - before).toBeGreaterThan(0);
    expect(tracker.progress().fraction - half).toBeCloseTo(half - before, 9);
  });

  it('gives no time without an estimate', () => {
    const { seen } = watched(null);
    expect(seen[0]).toMatchObject({ etaSeconds: null, fraction: 0 });
    expect(seen.at(-1)!.fraction).toBe(1);
  });
});
