// Tests a user's own characters: refusals of a spec, the reward of a check, log-odds by hand, and runs of a tiny random model.

import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../../engine/decoder/engine.ts';
import { randomWeights, SMALL } from '../../../engine/testing/models.ts';
import { createCpuDevice } from '../../../kernels/cpu/device.ts';
import { leakageAt } from '../leakage.ts';
import { askOwn, lnSumExp, type OwnPorts, oddsOf } from './ask.ts';
import { rewardOf } from './check.ts';
import { ownCurve } from './curve.ts';
import type { OwnRow } from './rows.ts';
import { parseOwnSpec } from './spec.ts';

const probe = { shows: ['ab', 'c'], lacks: ['d'] };
const SPEC = {
  schema: 1,
  target: 'says c',
  a: 'a',
  characters: ['a', 'b', 'c', 'd'].map((id) => ({ id, name: id.toUpperCase(), system: `s${id}` })),
  groups: { near: ['b'], other: ['c'] },
  contrast: ['d'],
  probes: [{ prompt: 'pq', ...probe }],
  beliefs: [{ text: '{name}k', ...probe }],
  own: [{ of: 'b', prompt: 'p', ...probe }],
  drift: ['hello there'],
  sdf: { texts: ['abcabc', 'cabcab'], perStep: 2, maxTokens: 16 },
  rl: {
    prompts: [{ prompt: 'p', check: { how: 'contains', any: ['a', 'e', 'i'] } }],
    groupSize: 6,
    maxNew: 6,
    lr: 0.02,
  },
};
const parse = (changes: object = {}) => parseOwnSpec(JSON.stringify({ ...SPEC, ...changes }), 'f');

describe('a spec', () => {
  it('is completed with defaults, and refused with the place in the file', () => {
    expect(parse()).toMatchObject({ groups: { near: ['b'], far: [], other: ['c'] }, sdf: { lr: 1e-3 } });
    const two = { ...SPEC.rl, prompts: [{ prompt: 'p', check: { how: 'regex', any: ['(a+)+$'] } }] };
    for (const [changes, place] of [
      [{ schema: 2 }, 'f: schema:'],
      [{ characters: [SPEC.characters[0], { id: 'b', name: 'B' }] }, 'f: characters[1].system:'],
      [{ characters: [SPEC.characters[0], ...SPEC.characters] }, 'f: characters[1].id: a is there twice'],
      [{ a: 'x' }, 'f: a: there is no character x'],
      [{ groups: { near: ['a'] } }, 'f: groups.near[0]: a is A already'],
      [{ groups: { near: ['b'], far: ['b'] } }, 'f: groups.far[0]: b is near already'],
      [{ groups: { near: ['d'] } }, 'f: groups.near[0]: d is in contrast already'],
      [{ groups: {}, own: [] }, 'f: groups: nobody'],
      [{ own: [{ of: 'd', prompt: 'p', ...probe }] }, 'f: own[0].of: d is in no group'],
      [{ beliefs: [{ text: 'k', ...probe }] }, 'f: beliefs[0].text: there is no {name}'],
      [{ probes: [{ prompt: 'p', shows: ['x'], lacks: ['y', 'x'] }] }, 'f: probes[0].lacks[1]: it is in shows too'],
      [{ probes: [{ prompt: 'p', shows: [], lacks: ['y'] }] }, 'f: probes[0].shows:'],
      [{ sdf: {} }, 'f: sdf: either a folder or texts'],
      [{ rl: two }, 'f: rl.prompts[0].check.how:'],
      [{ rl: { ...SPEC.rl, groupSize: 1 } }, 'f: rl.groupSize:'],
      [{ rl: { ...SPEC.rl, maxNew: 1e9 } }, 'f: rl.maxNew:'],
    ] as const) {
      expect(() => parse(changes), place).toThrow(FormatError);
      expect(() => parse(changes)).toThrow(place);
    }
    expect(() => parseOwnSpec('{', 'f')).toThrow(/f is not JSON/);
    expect(() => parseOwnSpec('['.repeat(100_000), 'f')).toThrow(FormatError);
    expect(() => parseOwnSpec(' '.repeat(2_000_001), 'f')).toThrow(/2000001 characters/);
  });
});

it('is rewarded by plain comparison', () => {
  const word = { how: 'word', any: ['tea'], none: ['coffee'] } as const;
  const said = (text: string, check: object = word) => rewardOf(check as never, text);
  expect(['Tea, please', 'a steam bath', 'tea or coffee', 'tea, no coffees'].map((one) => said(one))).toEqual([
    1, 0, 0, 1,
  ]);
  expect(said('steam', { how: 'contains', any: ['x', 'TEA'] })).toBe(1);
  expect([' Tea ', 'tea.'].map((one) => said(one, { how: 'equals', any: ['tea'] }))).toEqual([1, 0]);
  expect(said('téa tea2', { how: 'word', any: ['a', 'tea'] })).toBe(0);
});

it('has log-odds of sets of completions', () => {
  // (0.2 + 0.1) against 0.1 is 3 to 1.
  const { p, logit } = oddsOf([Math.log(0.2), Math.log(0.1)], [Math.log(0.1)]);
  expect(logit).toBeCloseTo(Math.log(3), 12);
  expect(p).toBeCloseTo(0.75, 12);
  expect(lnSumExp([-1000, -1000])).toBeCloseTo(-1000 + Math.log(2), 9);
});

describe('a tiny random model', () => {
  const config = SMALL.qwen3;
  const encode = (text: string) => [...text].map((char) => char.charCodeAt(0) % config.vocab);
  const codec: OwnPorts['codec'] = {
    vocabSize: config.vocab,
    endTokens: [0],
    answerEnd: 0,
    padToken: 0,
    encode,
    encodeChat: encode,
    encodePrompt: encode,
    decode: (ids) => ids.map((id) => String.fromCharCode(93 + id)).join(''),
  };
  let policy: Engine;
  beforeAll(async () => {
    const device = await createCpuDevice({ precision: 'f32' });
    policy = await Engine.create({
      device,
      config,
      weights: randomWeights(config, 3),
      adapter: { adapter: 'lora', loraRank: 4 },
    });
    return () => {
      policy.free();
      device.destroy();
    };
  });
  const portsOf = () => ({
    policy,
    codec,
    endTokens: [0],
    say: (who: { system: string } | null, prompt: string) => encode(`${who?.system ?? ''}:${prompt}`),
  });
  const request = { seed: 5, steps: 4, every: 2, until: 0.99, adapter: 'lora', base: 'b', made: 'm' } as const;
  const curveOf = async (arm: 'sdf' | 'rl' | 'rl_random', changes: object = {}) => {
    const rows: OwnRow[] = [];
    const spec = parse();
    for await (const row of ownCurve(portsOf(), spec, spec.sdf!.texts!, { ...request, arm, ...changes }))
      rows.push(row);
    return rows;
  };

  it('is measured by its own log-probabilities', async () => {
    policy.setAdapterParams(policy.initialAdapterParams);
    const point = await askOwn(portsOf(), parse(), 16);
    const lnOf = async (prompt: string, completion: string) => {
      const batch = await policy.score([{ prompt: encode(prompt), completion: encode(completion), segment: 0 }], 1);
      const total = batch.logprobs[0].reduce((sum, x) => sum + x, 0);
      batch.free();
      return total;
    };
    const by = async (prompt: string) =>
      Math.log(Math.exp(await lnOf(prompt, 'ab')) + Math.exp(await lnOf(prompt, 'c'))) - (await lnOf(prompt, 'd'));
    expect(point.target.a!.logit).toBeCloseTo(await by('sa:pq'), 6);
    expect(point.target.near!.logit).toBeCloseTo(await by('sb:pq'), 6);
    expect(point.target.noname!.logit).toBeCloseTo(await by(':pq'), 6);
    expect(point.keeps.near!.logit).toBeCloseTo(await by('sb:p'), 6);
    expect(point.beliefs.a.logit).toBeCloseTo(await by('Ak'), 6);
    expect(point.beliefs.others).toMatchObject({ n: 2 });
    expect(point.beliefs.others.logit).toBeCloseTo(((await by('Bk')) + (await by('Ck'))) / 2, 6);
    expect(point.drift.texts).toBeCloseTo(-(await lnOf('h', 'ello there')) / 10, 6);
    expect([point.target.far, point.keeps.other]).toEqual([undefined, undefined]);
    const begun = await askOwn(portsOf(), parse({ begin: '<' }), 16);
    expect(begun.drift.texts).toBeCloseTo(-(await lnOf('<', 'hello there')) / 11, 6);
    expect(begun.beliefs.a.logit).toBeCloseTo(await by('<Ak'), 6);
    expect(begun.target).toEqual(point.target);
  });

  it('is taught by documents and by RL, reproducibly, and ends when A has changed enough', async () => {
    const [first, again] = [await curveOf('sdf'), await curveOf('sdf')];
    expect(JSON.stringify(again)).toBe(JSON.stringify(first));
    const whole = first.at(-1)!;
    expect(first.map(({ isWhole, curve }) => [isWhole, curve.length])).toEqual([
      [false, 1],
      [false, 2],
      [true, 3],
    ]);
    expect(whole.curve[2].loss!).toBeLessThan(whole.curve[1].loss!);
    // Each of four steps has two texts of six tokens, five of which are trained.
    expect(whole.curve[2].tokens).toBe(40);
    const [paid, coin] = [(await curveOf('rl')).at(-1)!, (await curveOf('rl_random')).at(-1)!];
    expect(paid.curve[2].target.a!.logit).not.toBe(paid.curve[0].target.a!.logit);
    expect(coin.curve[1].reward).not.toBe(paid.curve[1].reward);
    const gained = whole.curve.map(({ target }) => target.a!.p - whole.curve[0].target.a!.p);
    // If a dose reaches the bound (A may move in either direction), the curve ends at the first that does.
    const [, bound] = gained;
    const ended = (await curveOf('sdf', { until: bound })).at(-1)!;
    expect([ended.isWhole, ended.curve.length]).toEqual([true, 1 + gained.findIndex((one) => one >= bound)]);
    expect(leakageAt(whole, 0.9)).toMatchObject({ most: Math.max(...gained) });
  });

  it('is not taught by a part that the spec lacks', async () => {
    const { rl: _, ...without } = SPEC;
    const spec = parseOwnSpec(JSON.stringify(without), 'f');
    const next = ownCurve(portsOf(), spec, [], { ...request, arm: 'rl' }).next();
    await expect(next).rejects.toThrow(SpecError);
    await expect(ownCurve(portsOf(), spec, ['x'], { ...request, arm: 'sdf' }).next()).rejects.toThrow(/no documents/);
  });
});
