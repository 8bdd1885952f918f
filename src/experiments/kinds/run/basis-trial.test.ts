// Tests bases that are tried on stored steps: the run's own settings give its own rows and evaluations, other settings those of a replay.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drained } from '../../../lib/drained.ts';
import type { ControlSpec } from '../../config/controls.ts';
import { Preparation } from '../../environments/preparation.ts';
import type { RunRecord } from '../../records/events.ts';
import { memoryStepStore, type StepStore } from '../../records/steps.ts';
import { openTinyLab, runTiny, type TinyLab, tinySpec } from '../../testing/tiny.node.ts';
import { BasisTrial, type TrialPoint, type Tried } from './basis-trial.ts';
import { ownChoice, type TrialChoice } from './own-choice.ts';
import { replaySteps } from './step-replay.ts';

let lab: TinyLab;
let steps: StepStore;
let run: RunRecord;
beforeAll(async () => {
  lab = await openTinyLab();
  steps = memoryStepStore();
  const overrides = { weightDecay: 0.5, overshoot: 1.2, finalEvalProblems: 66, dropBottomFrac: 0.25 };
  const ran = await runTiny(lab, tinySpec({ arms: ['route-update'], overrides }), { steps });
  [run] = ran.result.runs;
});
afterAll(() => lab?.close());

const portsOf = (on: TinyLab) => ({
  policy: on.engine,
  device: on.device,
  codec: on.codec,
  artifacts: null,
  modelSha256: 'random',
  preparation: new Preparation({ ...on, policy: on.engine, artifacts: null, modelSha256: 'random' }),
});
const trialOf = async (of = run, from = steps, on = lab) =>
  new BasisTrial({ id: of.id, spec: of.spec, steps: (await from.load(of.id))! }, portsOf(on));
async function tried(trial: BasisTrial, choice: TrialChoice): Promise<Tried> {
  const stream = trial.try(choice);
  for (;;) {
    const next = await stream.next();
    if (next.done) return next.value;
  }
}
const changed = (changes: Partial<TrialChoice>): TrialChoice => ({ ...ownChoice(run.spec), ...changes });

describe('a basis applied to stored steps', () => {
  it('gives the run’s own norms, overlaps and evaluations under the run’s own settings', async () => {
    const trial = await trialOf();
    const own = await tried(trial, ownChoice(run.spec));
    expect(own.report.steps.map(({ deployed, quarantine, left }) => [deployed, quarantine, left])).toEqual(
      run.rows.map(({ normDeltaS, normDeltaSHack, coutUpdate }) => [normDeltaS, normDeltaSHack, coutUpdate]),
    );
    expect(own.report.steps.some(({ removed }) => removed > 0)).toBe(true);
    expect(own.report.likeness).toBeCloseTo(1, 6);
    expect(own.report.chance).toBe(run.rows[0].cinNull);
    const points: TrialPoint[] = [];
    const environment = await drained(trial.environment());
    for await (const point of trial.evaluate(own, environment, {})) points.push(point);
    expect(points.map(({ kind, step, all }) => [kind, step, all.n])).toEqual([
      ['first', 4, 64],
      ['during', 2, 3],
      ['during', 4, 3],
      ['final', 4, 66],
    ]);
    const evals = run.evals.filter(({ model }) => model === 'deployed');
    const published = (kind: string) =>
      evals.filter((row) => row.kind === kind).map(({ step, all }) => ({ step, all }));
    const here = (kind: string) =>
      points.filter((point) => point.kind === kind).map(({ step, all }) => ({ step, all }));
    expect(here('during')).toEqual(published('during'));
    expect(here('final')).toEqual(published('final'));
  });

  it.each<[string, Partial<TrialChoice>, Partial<ControlSpec>]>([
    ['fewer axes', { k: 1 }, { k: 1 }],
    ['another noise floor', { dropBottomFrac: 0.6 }, { settings: { dropBottomFrac: 0.6 } }],
    ['no gate', { gate: 'no_gate' }, { gate: 'no_gate' }],
    [
      'another set and loss',
      { pairSet: 'placebo', basisLoss: 'grpo' },
      { settings: { pairSet: 'placebo', basisLoss: 'grpo' } },
    ],
    ['random directions', { kind: 'random' }, { kind: 'random' }],
    ['random directions, as much removed', { kind: 'random_matched' }, { kind: 'random_matched' }],
    ['permuted labels', { kind: 'permuted' }, { kind: 'permuted' }],
    ['flipped labels', { kind: 'flipped' }, { kind: 'flipped' }],
    [
      'the mean, overshot',
      { basisKind: 'mean_diff', overshoot: 2 },
      { settings: { basisKind: 'mean_diff', overshoot: 2 } },
    ],
  ])('gives what a replay gives for %s', async (_, changes, control) => {
    const trial = await trialOf();
    // Choices follow each other, as with a slider; cached parts of an earlier choice must not affect a later one.
    await tried(trial, ownChoice(run.spec));
    const here = await tried(trial, changed(changes));
    const spec: ControlSpec = { id: 'c', kind: 'real', gate: 'one_sided', k: run.spec.k, mode: null, ...control };
    const stream = replaySteps(
      { runId: run.id, spec: run.spec, steps: (await steps.load(run.id))!, shadows: [spec], finalEvaluation: false },
      portsOf(lab) as never,
    );
    let next = await stream.next();
    while (!next.done) next = await stream.next();
    expect(here.deployed.get(4)).toEqual(next.value.shadows.c.deployed);
    expect(here.report.steps.reduce((sum, { removed }) => sum + removed, 0)).toBe(next.value.shadows.c.removed);
  });

  it('leaves out single pairs, and uses edited pairs', async () => {
    const trial = await trialOf();
    const own = await tried(trial, ownChoice(run.spec));
    const off = await tried(trial, changed({ off: [4, 5] }));
    expect(off.report.pairs).toBe(own.report.pairs - 2);
    expect(off.deployed.get(4)).not.toEqual(own.deployed.get(4));
    // The other four pairs are those of a run with four pairs.
    const four = await new BasisTrial(
      { id: run.id, spec: { ...run.spec, pairs: 4 }, steps: (await steps.load(run.id))! },
      portsOf(lab),
    );
    expect((await tried(four, changed({}))).deployed.get(4)).toEqual(off.deployed.get(4));
    const pairs = await trial.pairsOf(run.spec.pairSet);
    const same = await tried(trial, changed({ edited: [{ index: 1, pair: pairs[1] }] }));
    expect(same.deployed.get(4)).toEqual(own.deployed.get(4));
    const other = { ...pairs[1], hack: `${pairs[1].hack} # done` };
    const edited = await tried(trial, changed({ edited: [{ index: 1, pair: other }] }));
    expect(edited.deployed.get(4)).not.toEqual(own.deployed.get(4));
    await expect(tried(trial, changed({ off: [0, 1, 2, 3, 4] }))).rejects.toThrow(/at least two pairs|1 hack/);
    await expect(tried(trial, changed({ edited: [{ index: 9, pair: other }] }))).rejects.toThrow(/no pair 10/);
    await expect(
      tried(trial, changed({ edited: [{ index: 0, pair: { ...other, clean: 'x'.repeat(2000) } }] })),
    ).rejects.toThrow(/tokens/);
  });

  it('refuses steps that are not the run’s, and stops during generation', async () => {
    const kept = (await steps.load(run.id))!;
    const open = (spec: Partial<RunRecord['spec']>, from = kept) =>
      new BasisTrial({ id: run.id, spec: { ...run.spec, ...spec }, steps: from }, portsOf(lab));
    expect(() => open({ projectTarget: 'gradient' })).toThrow(/its basis shaped its steps/);
    expect(() => open({}, kept.slice(1))).toThrow(/3 steps of/);
    expect(() => open({}, [...kept.slice(1), [Float32Array.of(1)]])).toThrow(/adapter parameters are kept/);
    const trial = open({});
    const own = await tried(trial, ownChoice(run.spec));
    const environment = await drained(trial.environment());
    const stop = new AbortController();
    let breaths = 0;
    const breathe = async () => {
      if (++breaths === 2) stop.abort();
    };
    const all = async () => {
      for await (const _ of trial.evaluate(own, environment, { signal: stop.signal, breathe }));
    };
    await expect(all()).rejects.toThrow();
    expect(breaths).toBe(2);
  });
});
