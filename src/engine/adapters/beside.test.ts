// Tests unfolded adapters: gradients against finite differences; logits, rollouts, log-probabilities and gradients against the folded
// form, in every storage and on both devices; bit-identity with the base model at the start.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { Engine, type EngineOptions } from '../decoder/engine.ts';
import { STORAGES } from '../storage-layouts.ts';
import { KINDS, openDevices, type TestDevices } from '../testing/devices.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../testing/models.ts';
import type { AdapterForm, ModelConfig, Sequence } from '../types.ts';
import { slopeOfScale } from './blocks.ts';

const ADAPTERS = ['lora', 'blocks', 'svd'] as const;
type Adapter = (typeof ADAPTERS)[number];
const RANK = 3;
// A linear layer divides a head by its norm, which can be tiny; a larger ε keeps rounding and finite-difference errors small.
const MODELS = { qwen3: SMALL.qwen3, qwen2: SMALL.qwen2, qwen35: { ...SMALL.qwen35, rmsEps: 0.05 } } as const;

let devices: TestDevices;
beforeAll(async () => {
  devices = await openDevices(2 ** 20);
});
afterAll(() => devices.destroy());

function open(
  options: Pick<EngineOptions, 'device' | 'config'> & Partial<EngineOptions>,
  adapter: Adapter,
): Promise<Engine> {
  const weights = randomWeights(options.config, 7, 1.2);
  return Engine.create({ weights, adapter: { adapter, loraRank: RANK }, ...options });
}

/** Parameters away from the start, where the two forms compute differently. */
function moved(model: Engine, size = 0.1): Float32Array {
  const rng = new CounterRng(keyFor(11, STREAMS.data));
  return model.initialAdapterParams.map((x) => x + size * rng.normal());
}

/** Two groups with ragged completions in two segments, the second with a prompt of one token. */
function sequences(config: ModelConfig): Sequence[] {
  const ids = (seed: number, n: number) => randomIds(config, seed, n);
  return [
    { prompt: ids(1, 6), completion: ids(2, 5), segment: 0 },
    { prompt: ids(3, 1), completion: ids(4, 4), segment: 1 },
    { prompt: ids(1, 6), completion: ids(6, 7), segment: 1 },
  ];
}

function coefficients(batch: readonly Sequence[]): Float32Array[] {
  const rng = new CounterRng(keyFor(3, STREAMS.data));
  return batch.map(({ completion }) => Float32Array.from(completion, () => rng.normal()));
}

/** Runs everything that an engine computes, with its adapter away from the start. */
async function everything(model: Engine) {
  const { config } = model;
  model.setAdapterParams(moved(model));
  const prompts = [randomIds(config, 1, 6), randomIds(config, 3, 2)];
  const sampled = [0, 0, 1];
  const generated = await model.generate({
    prompts,
    sequences: sampled.map((prompt, i) => ({ prompt, key: [5, i] as const })),
    maxNew: 6,
    temperature: 1,
    endTokens: [],
    willScore: true,
  });
  const own = await model.score(
    generated.map(({ tokens }, i) => ({ prompt: prompts[sampled[i]], completion: tokens, segment: 0 })),
    1,
  );
  const ownLogprobs = own.logprobs;
  own.free();
  const batch = sequences(config);
  const scored = await model.score(batch, 2);
  const gradients = await scored.backward(coefficients(batch));
  scored.free();
  return { logits: await model.logits(prompts[0]), generated, ownLogprobs, logprobs: scored.logprobs, gradients };
}

const worst = (a: readonly ArrayLike<number>[], b: readonly ArrayLike<number>[]) =>
  Math.max(...a.map((row, i) => relativeError(row, b[i])));

describe.each(ADAPTERS)('%s, not folded', (adapter) => {
  it.each(['qwen3', 'qwen2', 'qwen35'] as const)(
    'gives gradients of every module of %s that finite differences confirm',
    async (name) => {
      const config = MODELS[name];
      const device = await createCpuDevice({ precision: 'f64' });
      const model = await open({ device, config, form: 'unfolded' }, adapter);
      const batch = sequences(config).map((one) => ({ ...one, segment: 0 }));
      const coef = coefficients(batch);
      const at = moved(model);
      const loss = async (adapterParams: Float32Array) => {
        model.setAdapterParams(adapterParams);
        const scored = await model.score(batch, 1);
        scored.free();
        return scored.logprobs.reduce((sum, row, i) => row.reduce((s, lp, t) => s + lp * coef[i][t], sum), 0);
      };
      model.setAdapterParams(at);
      const scored = await model.score(batch, 1);
      const [gradient] = await scored.backward(coef);
      scored.free();
      for (const [m, { name: module, offset, r }] of model.adapterLayout.modules.entries()) {
        const rng = new CounterRng(keyFor(20, STREAMS.data, m));
        const direction = at.map((_, i) => (i >= offset && i < offset + r ? (4 * rng.normal()) / Math.sqrt(r) : 0));
        const shifted = (by: number) => at.map((x, i) => x + by * direction[i]);
        const slope = async (by: number) => ((await loss(shifted(by))) - (await loss(shifted(-by)))) / (2 * by);
        const h = 2 ** -6;
        // Richardson extrapolation removes the h² term.
        const numeric = (4 * (await slope(h / 2)) - (await slope(h))) / 3;
        const analytic = gradient.reduce((s, g, i) => s + g * direction[i], 0);
        expect(Math.abs(numeric - analytic) / (Math.abs(analytic) + 1), module).toBeLessThan(2e-3);
      }
      model.free();
    },
  );

  it('equals the model without an adapter at the start, bit for bit, and again after a change and reset', async () => {
    const device = await createCpuDevice();
    const config = SMALL.qwen3;
    for (const storage of STORAGES) {
      const model = await open({ device, config, storage, form: 'unfolded' }, adapter);
      const weights = randomWeights(config, 7, 1.2);
      const bare = await Engine.create({ device, config, weights, storage, adapter: 'none' });
      const ids = randomIds(config, 5, 17);
      const expected = await bare.logits(ids);
      expect(await model.logits(ids)).toEqual(expected);
      model.setAdapterParams(moved(model));
      expect(relativeError(await model.logits(ids), expected)).toBeGreaterThan(1e-3);
      model.setAdapterParams(model.initialAdapterParams);
      expect(await model.logits(ids)).toEqual(expected);
      model.free();
      bare.free();
    }
    expect(device.memory().allocated).toBe(0);
  });

  for (const kind of KINDS)
    for (const storage of STORAGES) {
      // On WebGPU most time goes to compilation, and the storages differ only in how W is read.
      const names = kind === 'cpu' ? (['qwen3', 'qwen35'] as const) : (['qwen3'] as const);
      it.for(names)(`agrees with the folded %s on ${kind} in ${storage}`, async (name, { skip }) => {
        const device = devices.of(kind);
        if (!device) return skip(`no WebGPU adapter here: ${devices.why}`);
        const of = async (form: AdapterForm) => {
          const model = await open({ device, config: MODELS[name], storage, form }, adapter);
          const found = await everything(model);
          model.free();
          return found;
        };
        const [here, folded] = [await of('unfolded'), await of('folded')];
        expect(relativeError(here.logits, folded.logits)).toBeLessThan(1e-5);
        expect(here.generated.map(({ tokens }) => tokens)).toEqual(folded.generated.map(({ tokens }) => tokens));
        expect(worst(here.logprobs, folded.logprobs)).toBeLessThan(1e-5);
        expect(worst(here.gradients, folded.gradients)).toBeLessThan(1e-5);
        // Rollouts and training see the same update.
        const sampled = here.generated.map(({ logprobs }) => logprobs);
        expect(worst(here.ownLogprobs, sampled)).toBeLessThan(1e-5);
      });
    }
});

describe('two blocks, not folded', () => {
  it('gives the folded form’s gradients and scale derivative of a quarantine, also with atStart', async () => {
    const device = await createCpuDevice();
    const config = SMALL.qwen3;
    const of = async (form: AdapterForm) => {
      const model = await open({ device, config, form }, 'blocks');
      const params = moved(model);
      const batch = sequences(config).map((one) => ({ ...one, segment: 0 }));
      const coef = coefficients(batch);
      model.setAdapterParams(params, { quarantine: 0.4 });
      const scored = await model.score(batch, 1);
      const [trained] = await scored.backward(coef);
      model.setAdapterParams(params, { quarantine: 0.4, atStart: true });
      const [start] = await scored.backward(coef);
      scored.free();
      const logits = await model.logits(batch[0].prompt);
      const slope = slopeOfScale(model.adapterLayout, params, trained, start);
      model.free();
      return { trained, start, logits, slope };
    };
    const [here, folded] = [await of('unfolded'), await of('folded')];
    expect(relativeError(here.trained, folded.trained)).toBeLessThan(1e-5);
    expect(relativeError(here.start, folded.start)).toBeLessThan(1e-5);
    expect(relativeError(here.logits, folded.logits)).toBeLessThan(1e-5);
    expect(Math.abs(here.slope / folded.slope - 1)).toBeLessThan(1e-5);
    expect(relativeError(here.start, here.trained)).toBeGreaterThan(1e-2);
    device.destroy();
  });
});

it('refuses an adapter that has only the folded form', async () => {
  const device = await createCpuDevice();
  const config = SMALL.qwen3;
  const weights = randomWeights(config, 7);
  const full = { adapter: 'full', loraRank: 0 } as const;
  await expect(Engine.create({ device, config, weights, adapter: full, form: 'unfolded' })).rejects.toThrow(
    'full is folded',
  );
  expect(device.memory().allocated).toBe(0);
});
