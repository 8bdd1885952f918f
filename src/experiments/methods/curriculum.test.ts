// Tests the curriculum in whole small runs: its training data, where its limit applies, and that a stop before or after its second phase changes no
// byte.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { minus, norm } from '../../algorithms/vectors.ts';
import type { ArmName } from '../config/arms.ts';
import type { Settings } from '../config/settings.ts';
import { paramsAlongRun } from '../kinds/run/late.ts';
import { memoryStepStore } from '../records/steps.ts';
import { memoryCheckpoints, openCoinLab, type Ran, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openCoinLab();
});
afterAll(() => lab?.close());

const OVERRIDES: Partial<Settings> = { problems: 16, mix: 0, evalEvery: 0, finalEvalProblems: 2, trustedShare: 0.3 };
/** Settings with four steps, of which two are trusted. */
const spec = (arm: ArmName, overrides: Partial<Settings> = {}) =>
  tinySpec({ arms: [arm], overrides: { ...OVERRIDES, curriculumShare: 0.5, checkpointEvery: 1, ...overrides } });
const kept = ({ checkpoints }: Ran, arm: ArmName) => checkpoints.get(`test/${arm}/41`)!;
const totals = (ran: Ran, arm: ArmName) => kept(ran, arm).map(({ optimizer }) => optimizer.total);

describe('the curriculum', () => {
  it('rolls out the mixture throughout, and begins with the trusted gradient', async () => {
    const ran = await runTiny(lab, spec('curriculum'));
    const kinds = ran.events.flatMap((event) => (event.type === 'step' ? event.rollouts.map(({ kind }) => kind) : []));
    expect(kinds).toContain('honest');
    expect(kinds.some((kind) => kind !== 'honest')).toBe(true);
    const vanilla = await runTiny(lab, spec('none'));
    expect(totals(ran, 'curriculum')[0]).not.toEqual(totals(vanilla, 'none')[0]);
    // All training is on trusted problems, so the mixture's advantages have no effect.
    const all = await runTiny(lab, spec('curriculum', { curriculumShare: 1 }));
    expect(totals(all, 'curriculum').slice(0, 2)).toEqual(totals(ran, 'curriculum').slice(0, 2));
    expect(totals(all, 'curriculum')[2]).not.toEqual(totals(ran, 'curriculum')[2]);
  });

  it.each([0, 0.1, 1000])(
    'stays within %f times the way of the trusted steps; its kept steps lead there',
    async (driftLimit) => {
      const steps = memoryStepStore();
      const ran = await runTiny(lab, spec('curriculum', { driftLimit }), { steps });
      const [, trusted, third, last] = totals(ran, 'curriculum');
      const way = norm(minus(trusted, lab.engine.initialAdapterParams));
      expect(way).toBeGreaterThan(0);
      for (const total of [third, last]) {
        const drift = norm(minus(total, trusted)) / way;
        expect(drift).toBeLessThanOrEqual(driftLimit * (1 + 1e-5));
        if (driftLimit === 0.1) expect(drift).toBeGreaterThan(0.099);
        if (driftLimit === 1000) expect(drift).toBeGreaterThan(0.1);
      }
      const walked = [...paramsAlongRun(lab.engine.initialAdapterParams, (await steps.load('test/curriculum/41'))!)];
      expect(walked.at(-1)!.params).toEqual(last);
    },
  );

  it('can use a KL term instead, whose reference is the untrained model in trusted steps and θ_T afterwards', async () => {
    const overrides = { steps: 5, curriculumShare: 0.4 };
    const ran = await runTiny(lab, spec('curriculum_kl', overrides));
    const [first, , third, fourth] = ran.result.runs[0].rows.map(({ kl }) => kl!);
    expect(first).toBe(0);
    // The first step after θ_T is scored at θ_T itself.
    expect(third).toBe(0);
    expect(fourth).toBeGreaterThan(0);
    // The trusted steps equal the curriculum's; without the KL term the later ones differ.
    const ball = await runTiny(lab, spec('curriculum', { ...overrides, driftLimit: 1000 }));
    expect(totals(ran, 'curriculum_kl').slice(0, 2)).toEqual(totals(ball, 'curriculum').slice(0, 2));
    const by = (driftBy: 'kl' | 'parameters', klBeta: number) =>
      runTiny(lab, spec('none', { ...overrides, trusted: 'curriculum', driftBy, klBeta, driftLimit: 1000 }));
    const last = async (ran: Promise<Ran>) => totals(await ran, 'none').at(-1)!;
    expect(await last(by('kl', 0.1))).toEqual(totals(ran, 'curriculum_kl').at(-1));
    // The same pull towards the untrained model gives another result; with almost no pull the results coincide.
    const [pulled, back, free] = [await last(by('kl', 1)), await last(by('parameters', 1)), await last(by('kl', 1e-9))];
    expect(pulled).not.toEqual(back);
    const way = norm(minus(pulled, free));
    expect(norm(minus(free, totals(ball, 'curriculum').at(-1)!))).toBeLessThan(0.01 * way);
    expect(() => spec('none', { trusted: 'curriculum', driftBy: 'kl', klBeta: 0 })).toThrow(/nothing limits the drift/);
  });

  it('has a placebo whose first steps do not use the trusted problems, at a similar distance', async () => {
    const own = totals(await runTiny(lab, spec('curriculum')), 'curriculum')[0];
    const random = totals(await runTiny(lab, spec('curriculum_random')), 'curriculum_random')[0];
    const moved = [own, random].map((total) => minus(total, lab.engine.initialAdapterParams));
    const cosine = moved[0].reduce((sum, x, i) => sum + x * moved[1][i], 0) / (norm(moved[0]) * norm(moved[1]));
    expect(Math.abs(cosine)).toBeLessThan(0.2);
    expect(norm(moved[1]) / norm(moved[0])).toBeCloseTo(1, 1);
  });

  it.each([
    ['curriculum', 1],
    ['curriculum', 2],
    ['curriculum', 3],
    ['curriculum_random', 3],
    ['curriculum_kl', 3],
  ] as const)('%s: stopped after step %i and resumed, the same bytes', async (arm, at) => {
    const whole = await runTiny(lab, spec(arm, { driftLimit: 0.1 }));
    const id = `test/${arm}/41`;
    const part = kept(whole, arm).filter(({ step }) => step === at);
    expect(part[0].curriculum === undefined).toBe(at < 2);
    const checkpoints = memoryCheckpoints(new Map([[id, structuredClone(part)]]));
    const resumed = await runTiny(lab, spec(arm, { driftLimit: 0.1 }), { checkpoints });
    expect(resumed.result.runs[0].rows).toEqual(whole.result.runs[0].rows);
    expect(resumed.result.runs[0].evals).toEqual(whole.result.runs[0].evals);
    expect((await checkpoints.load(id))!.optimizer.total).toEqual(totals(whole, arm).at(-1));
  });

  it('refuses to resume without the trusted policy, and adapters without a defined limit', async () => {
    const whole = await runTiny(lab, spec('curriculum'));
    const [{ curriculum: _, ...without }] = kept(whole, 'curriculum').filter(({ step }) => step === 3);
    const checkpoints = memoryCheckpoints(new Map([['test/curriculum/41', [without]]]));
    await expect(runTiny(lab, spec('curriculum'), { checkpoints })).rejects.toThrow(/no trusted policy/);
    expect(() => spec('erase', { trusted: 'curriculum' })).toThrow(/deployed whole/);
  });
});
