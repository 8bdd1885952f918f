// Tests two LoRA blocks in one module: bit-identity with the base at the start, W' against an explicit W + B A − B0 A0, gradients of either
// block against finite differences under each mask, and independence of sequences and blocks; on the CPU and on WebGPU.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { adapterLayout, adapterOf, describeAdapter, loraParts, quarantineMask } from '../adapter-layout.ts';
import { Engine, type EngineOptions } from '../decoder/engine.ts';
import { sharedGpu } from '../testing/devices.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../testing/models.ts';
import type { Sequence, Weights } from '../types.ts';
import { slopeOfScale } from './blocks.ts';
import { frozenBlocks } from './frozen-blocks.ts';

const config = SMALL.qwen3;
const BLOCKS = { adapter: 'blocks', loraRank: 3 } as const;
const weights = randomWeights(config, 7, 1.5);

async function engine(device?: Device, adapter: EngineOptions['adapter'] = BLOCKS, of: Weights = weights) {
  return Engine.create({ device: device ?? (await createCpuDevice()), config, weights: of, adapter });
}

const withoutQuarantine = (params: Float32Array, mask: Uint8Array) => params.map((x, i) => (mask[i] ? 0 : x));

const ids = (seed: number, n: number) => randomIds(config, seed, n);
const sequences = (): Sequence[] => [
  { prompt: ids(1, 6), completion: ids(2, 5), segment: 0 },
  { prompt: ids(3, 2), completion: ids(4, 4), segment: 1 },
  { prompt: ids(1, 6), completion: ids(6, 7), segment: 1 },
];

function moved(model: Engine, size = 0.1): Float32Array {
  const rng = new CounterRng(keyFor(11, STREAMS.data));
  return model.initialAdapterParams.map(() => size * rng.normal());
}

function coefficients(batch: readonly Sequence[]): Float32Array[] {
  const rng = new CounterRng(keyFor(3, STREAMS.data));
  return batch.map(({ completion }) => Float32Array.from(completion, () => rng.normal()));
}

async function gradientsOf(model: Engine, batch: readonly Sequence[], coef: Float32Array[], segments: number) {
  const scored = await model.score(batch, segments);
  const gradients = await scored.backward(coef);
  scored.free();
  return gradients;
}

/** W + B A − B0 A0 of every Linear, in double precision until the end, with the quarantine's part scaled. */
function merged(model: Engine, params: Float32Array, quarantine = 1): Weights {
  const factors = frozenBlocks(model.adapterLayout);
  const all = new Map(weights);
  for (const module of model.adapterLayout.modules) {
    const { dIn } = module;
    const { rank, a, b } = loraParts(module);
    const { shape, data } = weights.get(`${module.name}.weight`)!;
    const sum = Float32Array.from(data, (w, at) => {
      const [o, i] = [Math.floor(at / dIn), at % dIn];
      let update = 0;
      for (let j = 0; j < rank; j++) {
        const [B0, A0] = [factors[b[0] + o * rank + j], factors[a[0] + j * dIn + i]];
        const product = (B0 + params[b[0] + o * rank + j]) * (A0 + params[a[0] + j * dIn + i]) - B0 * A0;
        update += j < rank / 2 ? product : quarantine * product;
      }
      return w + update;
    });
    all.set(`${module.name}.weight`, { shape, data: sum });
  }
  return all;
}

const together = () => sequences().map((one) => ({ ...one, segment: 0 }));

/** With a scaled quarantine: the gradients with the trained factors, and ∂L/∂scale. */
async function scaledGradients(model: Engine, params: Float32Array, quarantine: number) {
  const coef = coefficients(together());
  model.setAdapterParams(params, { quarantine });
  const scored = await model.score(together(), 1);
  const [trained] = await scored.backward(coef);
  model.setAdapterParams(params, { quarantine, atStart: true });
  const [start] = await scored.backward(coef);
  scored.free();
  return { trained, slope: slopeOfScale(model.adapterLayout, params, trained, start) };
}

async function lossAt(model: Engine, params: Float32Array, quarantine: number): Promise<number> {
  model.setAdapterParams(params, { quarantine });
  const scored = await model.score(together(), 1);
  scored.free();
  const coef = coefficients(together());
  return scored.logprobs.reduce((sum, row, i) => row.reduce((s, lp, t) => s + lp * coef[i][t], sum), 0);
}

/** Central differences with one Richardson extrapolation. */
async function slopeByDifferences(model: Engine, params: Float32Array, at: number): Promise<number> {
  const slope = async (h: number) =>
    ((await lossAt(model, params, at + h)) - (await lossAt(model, params, at - h))) / (2 * h);
  return (4 * (await slope(2 ** -6)) - (await slope(2 ** -5))) / 3;
}

describe('the layout', () => {
  it('has both blocks in one module, A before B, and masks the quarantine’s rows and columns', () => {
    const layout = adapterLayout(config, BLOCKS);
    const [q] = layout.modules;
    expect(q).toMatchObject({ rank: 6, r: 6 * (q.dIn + q.dOut), blocks: true });
    expect(adapterOf(layout)).toEqual(BLOCKS);
    expect(describeAdapter(adapterOf(layout))).toBe('two LoRA blocks of rank 3');
    const mask = quarantineMask(layout);
    expect(mask.reduce((sum, x) => sum + x, 0)).toBe(layout.total / 2);
    const { a, b } = loraParts(q);
    // A's rows 0–2 are deployed, 3–5 the quarantine; so are the last three columns of B.
    expect([mask[a[0]], mask[a[0] + 3 * q.dIn - 1], mask[a[0] + 3 * q.dIn], mask[a[1] - 1]]).toEqual([0, 0, 1, 1]);
    expect([...mask.subarray(b[0], b[0] + 12)]).toEqual([0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1]);
  });
});

const { device: gpu, why } = await sharedGpu();

describe.each(['cpu', 'webgpu'] as const)('two blocks on %s', (kind) => {
  const open = (adapter?: EngineOptions['adapter'], of?: Weights) =>
    engine(kind === 'webgpu' ? gpu : undefined, adapter, of);

  it('equal the base, bit for bit, at the start and after a reset, and both blocks have a gradient there', async ({
    skip,
  }) => {
    if (kind === 'webgpu' && !gpu) return skip(`no WebGPU adapter here: ${why}`);
    const [model, bare] = [await open(), await open('none')];
    const text = ids(5, 17);
    const expected = await bare.logits(text);
    expect(model.initialAdapterParams.every((x) => x === 0)).toBe(true);
    expect(await model.logits(text)).toEqual(expected);
    model.setAdapterParams(moved(model));
    expect(await model.logits(text)).not.toEqual(expected);
    model.setAdapterParams(model.initialAdapterParams);
    expect(await model.logits(text)).toEqual(expected);
    const [g] = await gradientsOf(
      model,
      sequences().map((one) => ({ ...one, segment: 0 })),
      coefficients(sequences()),
      1,
    );
    const mask = quarantineMask(model.adapterLayout);
    for (const block of [0, 1]) expect(g.some((x, i) => mask[i] === block && x !== 0)).toBe(true);
    model.free();
    bare.free();
  });

  it('equal W + B A − B0 A0; with the quarantine reset only the deployed block remains', async ({ skip }) => {
    if (kind === 'webgpu' && !gpu) return skip(`no WebGPU adapter here: ${why}`);
    const model = await open();
    const params = moved(model);
    const deployed = withoutQuarantine(params, quarantineMask(model.adapterLayout));
    const text = ids(5, 17);
    for (const held of [params, deployed]) {
      const plain = await open('none', merged(model, held));
      model.setAdapterParams(held);
      expect(relativeError(await model.logits(text), await plain.logits(text))).toBeLessThan(1e-5);
      plain.free();
    }
    model.free();
  });

  it('scale the quarantine’s output, and give the derivative by the scale from two backward passes over one forward pass', async ({
    skip,
  }) => {
    if (kind === 'webgpu' && !gpu) return skip(`no WebGPU adapter here: ${why}`);
    const model = await open();
    const params = moved(model);
    const text = ids(5, 17);
    for (const quarantine of [0, 0.3, 1]) {
      const plain = await open('none', merged(model, params, quarantine));
      model.setAdapterParams(params, { quarantine });
      expect(relativeError(await model.logits(text), await plain.logits(text)), `${quarantine}`).toBeLessThan(1e-5);
      plain.free();
    }
    const exact = await engine(await createCpuDevice({ precision: 'f64' }));
    const numeric = await slopeByDifferences(exact, params, 0.3);
    expect(Math.abs(numeric)).toBeGreaterThan(0.1);
    expect((await scaledGradients(exact, params, 0.3)).slope / numeric).toBeCloseTo(1, 4);
    const { slope, trained } = await scaledGradients(model, params, 0.3);
    expect(slope / numeric).toBeCloseTo(1, 3);
    // The second backward pass does not change the first one's gradient, and scale 1 gives the plain gradient.
    model.setAdapterParams(params);
    const [plain] = await gradientsOf(model, together(), coefficients(together()), 1);
    expect((await scaledGradients(model, params, 1)).trained).toEqual(plain);
    expect(trained).not.toEqual(plain);
    model.free();
    exact.free();
  });

  it('give a sequence the same gradient whatever else is in the batch', async ({ skip }) => {
    if (kind === 'webgpu' && !gpu) return skip(`no WebGPU adapter here: ${why}`);
    const model = await open();
    model.setAdapterParams(moved(model));
    const batch = sequences();
    const coef = coefficients(batch);
    const [first, second] = await gradientsOf(model, batch, coef, 2);
    const alone = (which: number[]) =>
      gradientsOf(
        model,
        which.map((i) => ({ ...batch[i], segment: 0 })),
        which.map((i) => coef[i]),
        1,
      );
    expect(relativeError(first, (await alone([0]))[0])).toBeLessThan(1e-5);
    expect(relativeError(second, (await alone([1, 2]))[0])).toBeLessThan(1e-5);
    model.free();
  });
});

it.each(['both on', 'quarantine off', 'quarantine at .3'] as const)(
  'gradients with %s: finite differences confirm either block',
  async (which) => {
    const model = await engine(await createCpuDevice({ precision: 'f64' }));
    const mask = quarantineMask(model.adapterLayout);
    const quarantine = which === 'quarantine at .3' ? 0.3 : 1;
    const batch = sequences().map((one) => ({ ...one, segment: 0 }));
    const coef = coefficients(batch);
    const at = which === 'quarantine off' ? withoutQuarantine(moved(model), mask) : moved(model);
    const loss = async (params: Float32Array) => {
      model.setAdapterParams(params, { quarantine });
      const scored = await model.score(batch, 1);
      scored.free();
      return scored.logprobs.reduce((sum, row, i) => row.reduce((s, lp, t) => s + lp * coef[i][t], sum), 0);
    };
    model.setAdapterParams(at, { quarantine });
    const [unscaled] = await gradientsOf(model, batch, coef, 1);
    const gradient = unscaled.map((g, i) => (mask[i] ? quarantine * g : g));
    for (const [m, { name, offset, r }] of model.adapterLayout.modules.slice(0, 7).entries())
      for (const block of [0, 1]) {
        const rng = new CounterRng(keyFor(20 + block, STREAMS.data, m));
        const direction = at.map((_, i) => {
          const isIn = i >= offset && i < offset + r && mask[i] === block;
          return isIn ? (4 * rng.normal()) / Math.sqrt(r / 2) : 0;
        });
        const h = 2 ** -6;
        const shifted = (by: number) => at.map((x, i) => x + by * direction[i]);
        const slope = async (by: number) => ((await loss(shifted(by))) - (await loss(shifted(-by)))) / (2 * by);
        const numeric = (4 * (await slope(h / 2)) - (await slope(h))) / 3;
        const analytic = gradient.reduce((s, g, i) => s + g * direction[i], 0);
        expect(Math.abs(numeric - analytic) / (Math.abs(analytic) + 1), `${name} block ${block}`).toBeLessThan(2e-3);
      }
    model.free();
  },
);
