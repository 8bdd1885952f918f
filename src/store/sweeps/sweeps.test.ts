// Tests a sweep in the form: round trip, its address, and how errors are refused.
import { describe, expect, it } from 'vitest';
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import { parseSweepSpec } from '../../experiments/sweep/spec.ts';
import { isOfAView } from '../../share/view-hash.ts';
import { fakeLab, lists, ready, state, summary } from '../testing/fake-lab.ts';
import { checkSweepDraft, decodeSweep, draftOf, encodeSweep, FIRST_DRAFT, specOfDraft } from './draft.ts';
import { configurationWords } from './words.ts';

const WHOLE = parseSweepSpec({
  name: 'all of it',
  preset: 'smoke',
  overrides: { steps: 6, modes: ['run_tests', 'sentinel'], screening: true },
  axes: [
    { option: 'lr', from: 0.001, to: 0.1, count: 4, scale: 'log' },
    { option: 'k', values: [1, 2, 4] },
    { option: 'gate', values: ['one_sided', 'no_gate'] },
    { option: 'arm', values: ['route-update', 'erase-update'] },
  ],
  constraints: [
    { left: 'k', is: '<=', right: { option: 'pairs' } },
    { left: 'lr', is: '<', right: 0.05 },
  ],
  seeds: [41, 42],
  metric: 'hack',
  model: 'deployed',
  device: 'cpu',
  search: { kind: 'halving', count: 6, firstSteps: 2 },
});

describe('the form', () => {
  it('represents every sweep that a file can describe, and returns the same sweep', () => {
    const again = specOfDraft(draftOf(WHOLE));
    expect(again).toEqual({ ...WHOLE, goal: WHOLE.goal });
    expect(specOfDraft(draftOf(again))).toEqual(again);
  });

  it('refuses a stop rule, which the page would not apply', () => {
    const stop = { rule: 'median', after: 2 } as const;
    expect(() => draftOf({ ...WHOLE, search: { kind: 'grid' }, stop })).toThrow(/has a stop rule, and the page trains/);
  });

  it('names arms as in the charts', () => {
    expect(configurationWords({ lr: 0.03, modes: ['run_tests', 'sentinel'], arm: 'random_V_matched-route' })).toBe(
      'lr 0.03, modes run_tests+sentinel, arm route, random V matched',
    );
  });

  it('is a valid plan at first', () => {
    const { plan, problem } = checkSweepDraft(FIRST_DRAFT);
    expect([plan?.configurations.length, problem]).toEqual([2, null]);
  });

  it.each([
    [
      'two axes on one option',
      {
        axes: [
          { option: 'lr', values: '1' },
          { option: 'lr', values: '2' },
        ],
      },
      /Two axes vary lr/,
    ],
    ['an option that is none', { overrides: 'learnrate=1' }, /no option "learnrate"/],
    [
      'a million runs',
      {
        axes: [
          { option: 'lr', values: '0.001 … 0.1, 1000' },
          { option: 'beta1', values: '0 … 0.9, 1000' },
        ],
      },
      /The grid has 1000000 points/,
    ],
    ['no seed', { seeds: '' }, /seeds = \[\] is not allowed/],
    ['what is no number', { axes: [{ option: 'lr', values: 'fast' }] }, /lr/],
    ['a line that sets nothing', { overrides: 'steps' }, /steps sets nothing/],
    ['what is no constraint', { constraints: 'k about 3' }, /k about 3 is not a constraint/],
  ])('refuses %s in words', (_, changes, words) => {
    expect(checkSweepDraft({ ...FIRST_DRAFT, ...changes }).problem?.message).toMatch(words);
  });
});

describe('a sweep that has ended', () => {
  it('leaves the form, the experiment on show and the device unchanged', async () => {
    const started: { id: string; device: string }[] = [];
    const fake = fakeLab({
      ...lists,
      setDevice: ({ device }: { device: string }) => ({ ...ready.device, choice: device }),
      start({ id, spec }: { id: string; spec: ExperimentSpec }) {
        started.push({ id, device: state(fake).device!.choice });
        setTimeout(() => fake.emit({ type: 'experiment', summary: { ...summary(id, 'failed'), spec } as never }));
        return { position: 0 };
      },
    });
    await fake.lab.boot('', false, 'chain');
    const { draft } = state(fake);
    const sweeps = await fake.lab.openSweeps();
    sweeps.set({ seeds: '41', axes: [{ option: 'lr', values: '0.01' }] });
    await sweeps.run();
    // A run that fails is tried three times, on the sweep's own device.
    expect(started.map(({ device }) => device)).toEqual(['cpu', 'cpu', 'cpu']);
    expect(state(fake)).toMatchObject({ busy: false, live: null, opened: null, draft, device: { choice: 'auto' } });
  });
});

describe('an address', () => {
  it('contains the sweep', async () => {
    const hash = await encodeSweep(WHOLE);
    expect(isOfAView(`#${hash}`)).toBe(true);
    expect(await decodeSweep(`#${hash}`)).toEqual(WHOLE);
  });

  it.each(['sweep1.', 'sweep1.!!', `sweep1.${'A'.repeat(20_000)}`])('%# that is damaged is refused', async (hash) => {
    await expect(decodeSweep(hash)).rejects.toThrow(/link/);
  });
});
