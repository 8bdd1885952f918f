// Tests links with results: decoding, their length, refusals, and the comparison with a run made here.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { type ExperimentSpec, parseExperimentSpec, resolveRuns, sameExperiment } from '../experiments/config/spec.ts';
import type { EvalRow, RunRecord, StepRow } from '../experiments/records/events.ts';
import type { Rates } from '../experiments/records/metrics.ts';
import { CounterRng, STREAMS } from '../rng/index.ts';
import { packJson } from './pack.ts';
import { reproductionOf } from './reproduction.ts';
import { decodeShare, decodeSpec, encodePlan, encodeRuns, MAX_LINK } from './url.ts';

const rates = (hack: number | null, solve: number): Rates => ({ n: 32, figures: { hack, solve, structural: 0 } });

/** Rows with as much entropy as real ones: rates are shares of 32 rollouts, overlaps are any number. */
function runsOf(spec: ExperimentSpec, noise = 1): RunRecord[] {
  return resolveRuns(spec).map((run, index): RunRecord => {
    const rng = CounterRng.of(noise, STREAMS.test, index);
    const share = () => rng.int(33) / 32;
    const evaluation = (model: string, step: number, kind: EvalRow['kind']): EvalRow => {
      const all = rates(share(), share());
      return { step, model, kind, all, splits: { family: all, params: all } };
    };
    return {
      schema: 1,
      id: `x/${run.arm}/${run.seed}`,
      experimentId: 'x',
      spec: run,
      status: 'done',
      createdAt: 0,
      device: 'CPU (WASM SIMD)',
      appVersion: '0.1.0',
      modelSha256: 'ab'.repeat(32),
      graderVersion: 'mp-1',
      rows: Array.from(
        { length: run.steps },
        (_, i) =>
          ({
            step: i + 1,
            student: rates(i % 7 === 3 ? null : share(), share()),
            reward: rng.uniform() * 1.25,
            cinStudent: rng.uniform(),
            cinTeacher: rng.uniform(),
            cinNull: 0.0625,
            loss: rng.normal(),
          }) as StepRow,
      ),
      timings: [],
      evals: [
        evaluation('base', 0, 'during'),
        evaluation('deployed', Math.min(10, run.steps), 'during'),
        evaluation('total', run.steps, 'final'),
        evaluation('random_V_k5', run.steps, 'final'),
      ],
      error: null,
    };
  });
}

const smoke = parseExperimentSpec({ preset: 'smoke', seeds: [41, 42], device: 'cpu' });
const refused = (fragment: string) => decodeShare(fragment).catch((error: unknown) => error);

describe('a link with results', () => {
  it('carries spec, all seeds, version, model and every point of a short run', async () => {
    const runs = runsOf(smoke);
    const { hash, points } = await encodeRuns(smoke, runs);
    expect(points).toBe(3);
    const share = await decodeShare(`#${hash}`);
    expect(share).toMatchObject({
      spec: smoke,
      appVersion: '0.1.0',
      modelSha256: 'ab'.repeat(32),
      device: 'CPU (WASM SIMD)',
    });
    expect(await decodeSpec(hash)).toEqual(smoke);
    expect(share.runs.map(({ arm, seed }) => `${arm}/${seed}`)).toEqual(
      runs.map(({ spec }) => `${spec.arm}/${spec.seed}`),
    );
    for (const [i, shared] of share.runs.entries()) {
      expect(shared.steps).toEqual([1, 2, 3]);
      runs[i].rows.forEach((row, s) => {
        expect(Math.abs(shared.series.solve[s]! - row.student.figures.solve!)).toBeLessThanOrEqual(0.0005 + 1e-12);
        expect(Math.abs(shared.series.cinStudent[s]! - row.cinStudent!)).toBeLessThanOrEqual(0.0005 + 1e-12);
      });
      // The controls' final evaluations are included.
      expect(shared.evals.map(({ model }) => model)).toEqual(['base', 'deployed', 'total', 'random_V_k5']);
    }
  });

  it('thins long runs until it fits 8 kB, first and last step included', async () => {
    const classic = parseExperimentSpec({ preset: 'classic', seeds: [41, 42, 43], overrides: { steps: 400 } });
    const { hash, points } = await encodeRuns(classic, runsOf(classic));
    expect(hash.length).toBeLessThanOrEqual(MAX_LINK);
    expect(points).toBeGreaterThanOrEqual(10);
    const { runs } = await decodeShare(hash);
    expect(runs).toHaveLength(12);
    expect([runs[0].steps[0], runs[0].steps.at(-1)]).toEqual([1, 400]);
    // The default experiment keeps every step.
    const demo = parseExperimentSpec({});
    expect((await encodeRuns(demo, runsOf(demo))).points).toBe(60);
  });

  it('falls back to digests, then to the spec, if there is no room', async () => {
    const seeds = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
    const wide = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: seeds(150) });
    const digests = await encodeRuns(wide, runsOf(wide));
    expect(digests.points).toBeNull();
    const { runs } = await decodeShare(digests.hash);
    expect(runs).toHaveLength(150);
    expect(runs[0].steps).toEqual([]);
    const wider = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: seeds(600) });
    const { hash } = await encodeRuns(wider, runsOf(wider));
    expect(hash.length).toBeLessThanOrEqual(MAX_LINK);
    expect(await decodeShare(hash)).toMatchObject({ spec: wider, runs: [] });
  });

  it('carries a plan without results', async () => {
    const hash = await encodePlan(smoke, { appVersion: '0.1.0', modelSha256: 'ab'.repeat(32), graderVersion: null });
    expect(hash.length).toBeLessThan(200);
    expect(await decodeShare(hash)).toMatchObject({ spec: smoke, appVersion: '0.1.0', graderVersion: null, runs: [] });
  });
});

describe('a run here', () => {
  const shared = async () => decodeShare((await encodeRuns(smoke, runsOf(smoke))).hash);

  it('is identical if every digest is', async () => {
    expect(await reproductionOf(await shared(), runsOf(smoke))).toEqual({ identical: true, runs: 4 });
  });

  it('is identical for any order of the keys in its record', async () => {
    const turned = runsOf(smoke).map((run) => ({
      ...run,
      rows: run.rows.map((row) => Object.fromEntries(Object.entries(row).reverse()) as unknown as StepRow),
    }));
    expect(await reproductionOf(await shared(), turned)).toMatchObject({ identical: true });
  });

  it('is identical if evaluations were routed again after the run, here or there', async () => {
    const again = runsOf(smoke).map((run, i): RunRecord => {
      if (i > 0) return run;
      const control = { id: 'k 3, no gate', kind: 'real', gate: 'no_gate', k: 3, mode: null } as const;
      const row: EvalRow = { ...run.evals[2], model: control.id };
      const replayed = [{ shadow: control, removed: 1, ownRemoved: 1, device: run.device }];
      return { ...run, evals: [...run.evals, row], rerouted: replayed };
    });
    expect(await reproductionOf(await shared(), again)).toEqual({ identical: true, runs: 4 });
    const link = await decodeShare((await encodeRuns(smoke, again)).hash);
    expect(await reproductionOf(link, runsOf(smoke))).toEqual({ identical: true, runs: 4 });
    // A row of the run itself still counts.
    const other = again.map((run) => ({ ...run, evals: run.evals.filter(({ model }) => model !== 'random_V_k5') }));
    expect(await reproductionOf(link, other)).toMatchObject({ identical: false, differing: 4 });
  });

  it('is identical to a run with fewer quarantines, since training does not depend on them', async () => {
    const route = parseExperimentSpec({ preset: 'smoke', arms: ['route-update'], seeds: [41], device: 'cpu' });
    const [whole] = runsOf(route).map((run): RunRecord => {
      const figures = Object.fromEntries(run.spec.shadows.map(({ id }, i) => [id, i / 8]));
      return { ...run, rows: run.rows.map((row) => ({ ...row, shadowNorms: figures, shadowCin: figures })) };
    });
    const [kept, dropped] = whole.spec.shadows;
    const final = (model: string, hack: number): EvalRow => ({ ...whole.evals[2], model, all: rates(hack, 0.5) });
    whole.evals = [...whole.evals.slice(0, 3), final(kept.id, 0.25), final(dropped.id, 0.75)];
    const part: RunRecord = {
      ...whole,
      spec: { ...whole.spec, shadows: [kept] },
      rows: whole.rows.map((row) => ({ ...row, shadowNorms: { [kept.id]: 0 }, shadowCin: { [kept.id]: 0 } })),
      evals: whole.evals.filter(({ model }) => model !== dropped.id),
    };
    const share = await decodeShare((await encodeRuns(route, [part])).hash);
    expect(share.runs[0].shadows).toEqual([kept.id]);
    expect(await reproductionOf(share, [whole])).toEqual({ identical: true, runs: 1 });
    const other = { ...whole, evals: whole.evals.map((row) => (row.model === kept.id ? final(kept.id, 0.5) : row)) };
    expect(await reproductionOf(share, [other])).toMatchObject({ identical: false });
    const full = await decodeShare((await encodeRuns(route, [whole])).hash);
    expect(full.runs[0].shadows).toBeUndefined();
    expect(await reproductionOf(full, [part])).toMatchObject({ identical: false });
  });

  it('reports the largest difference and its place', async () => {
    const runs = runsOf(smoke);
    const row = runs[2].rows[1];
    const { figures } = row.student;
    figures.solve = figures.solve! > 0.5 ? figures.solve! - 0.5 : figures.solve! + 0.5;
    runs[0].rows[0].reward! += 0.01;
    const verdict = await reproductionOf(await shared(), runs);
    if (!verdict || verdict.identical) throw new Error('not told apart');
    expect(verdict).toMatchObject({ differing: 2, runs: 4, reasons: [] });
    expect(verdict.largest).toMatchObject({ what: 'solve', arm: runs[2].spec.arm, seed: runs[2].spec.seed, step: 2 });
    expect(verdict.largest!.size).toBeCloseTo(0.5, 2);
  });

  it('is not identical if it differs only in values that the link does not carry', async () => {
    const runs = runsOf(smoke);
    runs[0].rows[0].loss += 1e-9;
    expect(await reproductionOf(await shared(), runs)).toMatchObject({ identical: false, differing: 1, largest: null });
  });

  it('names device, version and model as likely reasons', async () => {
    const runs = runsOf(smoke, 2).map((run) => ({
      ...run,
      device: 'Fast GPU',
      appVersion: '9',
      modelSha256: 'cd'.repeat(32),
    }));
    const verdict = await reproductionOf(await shared(), runs);
    if (!verdict || verdict.identical) throw new Error('not told apart');
    expect(verdict.reasons.join('; ')).toMatch(/another model .*another kind of device .*another version of the lab/);
  });

  it('distinguishes CPUs with and without fused products as kinds of device', async () => {
    const runs = runsOf(smoke, 2).map((run) => ({ ...run, device: 'CPU (WASM SIMD, fused)' }));
    expect(await reproductionOf(await shared(), runs)).toMatchObject({
      reasons: ['another kind of device (CPU (WASM SIMD) there, CPU (WASM SIMD, fused) here)'],
    });
  });

  it('has no verdict until every run is done', async () => {
    const runs = runsOf(smoke);
    expect(await reproductionOf(await shared(), runs.slice(1))).toBeNull();
    expect(await reproductionOf(await shared(), [{ ...runs[0], status: 'running' }, ...runs.slice(1)])).toBeNull();
  });

  it('is the same experiment on another device, but not with another step count', () => {
    expect(sameExperiment(smoke, { ...smoke, device: 'webgpu' })).toBe(true);
    expect(sameExperiment(smoke, parseExperimentSpec({ ...smoke, overrides: { steps: 4 } }))).toBe(false);
  });
});

describe('hostile links', () => {
  const good = { p: 'smoke', s: [41], a: ['none'] };
  const run = { a: 'none', s: 41, h: 'A'.repeat(22) };
  const columns = (n: number) => Array.from({ length: 6 }, () => Array.from({ length: n }, () => 1));
  it.each([
    [{ ...good, z: 1 }, /unknown field "z"/],
    [{ ...good, v: 'x'.repeat(500) }, /results are damaged \(at v\)/],
    [{ ...good, v: 'a\u0000b' }, /at v/],
    [{ ...good, m: '<script>' }, /at m/],
    [{ ...good, r: 'x' }, /at r/],
    [{ ...good, r: [{ ...run, h: '<img src=x>' }] }, /at r\.0\.h/],
    [{ ...good, r: [{ ...run, a: 'erase' }] }, /not one of its experiment/],
    [{ ...good, r: [{ ...run, s: 42 }] }, /not one of its experiment/],
    [{ ...good, r: [run, run] }, /not one of its experiment/],
    [{ ...good, r: [{ ...run, x: [1, 2], t: columns(3) }] }, /trajectories are damaged/],
    [{ ...good, r: [{ ...run, x: [2, 1], t: columns(2) }] }, /trajectories are damaged/],
    [{ ...good, r: [{ ...run, x: [1], t: [[1e300], [], [], [], [], []] }] }, /at r\.0\.t/],
    [{ ...good, r: [{ ...run, e: [[1, 'f', '<b>', 1, 1, 1]] }] }, /at r\.0\.e/],
    [{ ...good, __proto__x: 1 }, /unknown field/],
  ])('refuses %j', async (content, message) => {
    const error = await refused(`2.${await packJson(content)}`);
    expect(error).toBeInstanceOf(SpecError);
    expect((error as SpecError).message).toMatch(message);
  });

  it('is as strict as before for version 1', async () => {
    expect(await refused(`1.${await packJson({ ...good, v: '1' })}`)).toBeInstanceOf(SpecError);
    expect(await decodeShare(`1.${await packJson(good)}`)).toMatchObject({ runs: [], appVersion: null });
  });

  it('gives an experiment or a SpecError for every truncated or fuzzed link', async () => {
    const { hash } = await encodeRuns(smoke, runsOf(smoke));
    const rng = CounterRng.of(7, STREAMS.test);
    const alphabet = 'ABCxyz019-_.%#<>"\u0000é';
    const candidates: string[] = [];
    for (let cut = 0; cut < hash.length; cut += 7) candidates.push(hash.slice(0, cut));
    for (let i = 0; i < 400; i++) {
      const text = [...hash];
      for (let n = rng.int(4) + 1; n > 0; n--) text[rng.int(text.length)] = alphabet[rng.int(alphabet.length)];
      candidates.push(text.join(''));
    }
    for (let i = 0; i < 200; i++)
      candidates.push(Array.from({ length: rng.int(60) }, () => alphabet[rng.int(alphabet.length)]).join(''));
    // Each is valid JSON with one value replaced by an unusual one.
    const odd = [null, -1, 1e308, '', [], {}, true, [[]], 'constructor'];
    for (const key of ['p', 'a', 's', 'o', 'd', 'v', 'm', 'g', 'n', 'r'])
      for (const value of odd) candidates.push(`2.${await packJson({ ...good, [key]: value })}`);
    let refusals = 0;
    for (const candidate of candidates) {
      const answer = await refused(candidate);
      if (answer instanceof SpecError) refusals++;
      else expect(answer, candidate).toHaveProperty('spec.preset');
    }
    expect(refusals).toBeGreaterThan(candidates.length / 2);
  });
});
