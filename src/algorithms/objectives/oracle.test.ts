// Tests `nll` and `distill` on reference fixtures (../shared/oracle; skipped if missing): losses against the fixtures'
// log-probabilities and logits, and gradients from each device against finite differences of the f64 device's loss.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import type { Factors } from '../../engine/adapters/svd.ts';
import { parseConfig } from '../../engine/config-reading.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import type { Document } from '../../engine/objectives/documents.ts';
import { sharedGpu } from '../../engine/testing/devices.ts';
import type { DistillPair, ModelConfig, Policy, Tensor } from '../../engine/types.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { bytesSource, SafetensorsFile } from '../../storage/safetensors.ts';
import { distillBackward, nllBackward } from './backward.ts';

const ROOT = resolve('..', 'shared', 'oracle');
if (!existsSync(ROOT)) console.warn(`objectives against ${ROOT} are skipped: it is not there`);
/** Tolerance of directional derivatives, relative to the largest of any Linear; the differenced losses are sums of f32 values. */
const TOLERANCE = 2e-4;

const { device: webgpu, why } = await sharedGpu();

interface Inputs {
  forward_ids: number[][];
  pairs: { prompt: number[]; hack: number[]; clean: number[] }[];
}

async function fixture(name: string) {
  const text = (file: string) => JSON.parse(readFileSync(resolve(ROOT, name, file), 'utf8'));
  const tensors = async (file: string) => {
    const opened = await SafetensorsFile.open(bytesSource(readFileSync(resolve(ROOT, name, file))), file);
    const all = new Map<string, Tensor>();
    for (const [key, { shape, dtype }] of opened.tensors)
      if (dtype !== 'I32') all.set(key, { shape, data: await opened.readF32(key) });
    return all;
  };
  const config: ModelConfig = parseConfig(text('config.json'));
  const [weights, expected] = [await tensors('model.safetensors'), await tensors('expected.safetensors')];
  // All devices use the same singular vectors, so that adapter parameters mean the same on each.
  const factors = new Map<string, Factors>();
  for (const { name: module } of adapterLayout(config).modules) {
    const part = (which: string) => expected.get(`svd.${which}/${module}`)!.data;
    factors.set(module, { U: part('U'), S: part('S'), Vh: part('Vh') });
  }
  const open = (device: Device) => Engine.create({ device, config, weights, adapter: factors });
  return { config, inputs: text('inputs.json') as Inputs, expected, open };
}

/** Documents longer than the pairs' completions; one has a mask, and two have a common prefix. */
function documentsOf({ forward_ids, pairs }: Inputs): Document[] {
  const [{ prompt, hack, clean }] = pairs;
  const long = [...forward_ids[0], ...forward_ids[1], ...prompt];
  return [
    { ids: long },
    { ids: forward_ids[1], mask: forward_ids[1].map((_, t) => t % 4 !== 2) },
    ...[hack, clean].map((own) => ({
      ids: [...prompt, ...own],
      mask: [...prompt, ...own].map((_, t) => t >= prompt.length),
    })),
  ];
}

/** The teacher's prompt includes the pair's other completion; one student's completion has a masked token. */
function pairsOf({ pairs }: Inputs): DistillPair[] {
  return pairs.slice(0, 3).map(({ prompt, hack, clean }, i) => {
    const mask = i === 1 ? hack.map((_, t) => t !== 2) : undefined;
    return {
      student: { prompt, completion: hack, mask, segment: 0 },
      teacher: { prompt: [...prompt, ...clean, ...prompt], completion: hack, mask },
    };
  });
}

/** The model without backward passes, which finite differences do not need and which are two thirds of the work. */
function forwardOnly(engine: Engine): Policy {
  const without = async <T extends object>(batch: Promise<T>) => ({ ...(await batch), backward: async () => [] });
  const own: Pick<Policy, 'score' | 'distill'> = {
    score: (...args) => without(engine.score(...args)),
    distill: (...args) => without(engine.distill(...args)),
  };
  return new Proxy<Policy>(engine, {
    get: (target, key) => (key in own ? own[key as keyof typeof own] : Reflect.get(target, key, target)),
  });
}

describe.skipIf(!existsSync(ROOT)).each(['qwen3-tied', 'qwen3-untied', 'qwen2-bias'])('objectives on %s', (name) => {
  let made: Awaited<ReturnType<typeof fixture>>;
  let exact: Engine;
  let at: Float32Array;
  beforeAll(async () => {
    made = await fixture(name);
    exact = await made.open(await createCpuDevice({ precision: 'f64' }));
    const rng = new CounterRng(keyFor(5, STREAMS.test));
    at = Float32Array.from({ length: exact.adapterLayout.total }, () => 0.05 * rng.normal());
  });

  type Run = (policy: Policy, from: Float32Array) => Promise<{ loss: number; gradients: Float32Array[] }>;
  const nll: Run = (policy) => nllBackward(policy, documentsOf(made.inputs), { normalise: 'document' });
  const own: Run = (policy) => distillBackward(policy, pairsOf(made.inputs), { normalise: 'token' });
  /** Only the student's parameters change; the teacher keeps those at which the gradient is computed. */
  const held: Run = (policy, student) =>
    distillBackward(policy, pairsOf(made.inputs), { normalise: 'token', adapterParams: { teacher: at, student } });

  it.each([
    ['nll', nll, nll],
    ['distill', own, held],
  ])(
    'the gradient of %s is that of finite differences, role by role, on every device',
    async (_, gradientOf, lossOf) => {
      const roles = [...new Set(exact.adapterLayout.modules.map((module) => module.name.replace(/.*\./, '')))];
      const slopes: { role: string; direction: Float32Array; slope: number }[] = [];
      for (const [index, role] of roles.entries()) {
        const rng = new CounterRng(keyFor(40 + index, STREAMS.test));
        const direction = new Float32Array(at.length);
        for (const { name: module, offset, r } of exact.adapterLayout.modules)
          if (module.endsWith(role)) for (let i = offset; i < offset + r; i++) direction[i] = rng.normal();
        const loss = async (by: number) => {
          const moved = at.map((x, i) => x + by * direction[i]);
          exact.setAdapterParams(moved);
          return (await lossOf(forwardOnly(exact), moved)).loss;
        };
        const h = 2 ** -9;
        slopes.push({ role, direction, slope: ((await loss(h)) - (await loss(-h))) / (2 * h) });
      }
      const largest = Math.max(...slopes.map(({ slope }) => Math.abs(slope)));
      expect(largest).toBeGreaterThan(0.01);
      const check = async (device: Device) => {
        const model = await made.open(device);
        model.setAdapterParams(at);
        const { gradients } = await gradientOf(model, at);
        for (const { role, direction, slope } of slopes) {
          const analytic = gradients[0].reduce((sum, g, i) => sum + g * direction[i], 0);
          expect(Math.abs(analytic - slope) / largest, `${role} on ${device.name}`).toBeLessThan(TOLERANCE);
        }
        model.free();
      };
      await check(await createCpuDevice({ precision: 'f64' }));
      await check(await createCpuDevice());
      if (webgpu) await check(webgpu);
      else console.warn(`objectives on ${name}: no WebGPU adapter here: ${why}`);
    },
  );

  it('the loss of nll equals the fixture’s, at the untrained adapter parameters', async () => {
    exact.setAdapterParams(exact.initialAdapterParams);
    const { forward_ids } = made.inputs;
    const known = made.expected.get('forward.logps')!;
    const { loss, logprobs } = await nllBackward(
      exact,
      forward_ids.map((ids) => ({ ids })),
      { normalise: 'token' },
    );
    const flat = logprobs.flatMap((row) => [...row]);
    expect(flat).toHaveLength(known.data.length);
    flat.forEach((logprob, i) => {
      expect(logprob).toBeCloseTo(known.data[i], 5);
    });
    expect(loss).toBeCloseTo(-known.data.reduce((sum, x) => sum + x, 0) / known.data.length, 5);
  });

  it('the divergence of distill agrees with the logits of both forward passes; it is 0 for equal prompts, and never negative', async () => {
    exact.setAdapterParams(at);
    const { vocab } = made.config;
    const pairs = pairsOf(made.inputs);
    const { kl, teacherLogprobs } = await distillBackward(exact, pairs, { normalise: 'token' });
    const distributions = async ({
      prompt,
      completion,
    }: {
      prompt: readonly number[];
      completion: readonly number[];
    }) => {
      const logits = await exact.logits([...prompt, ...completion]);
      return completion.map((_, t) => {
        const from = (prompt.length - 1 + t) * vocab;
        const row = Float64Array.from(logits.subarray(from, from + vocab));
        const lse = Math.log(row.reduce((sum, l) => sum + Math.exp(l), 0));
        return row.map((l) => l - lse);
      });
    };
    for (const [i, { student, teacher }] of pairs.entries()) {
      const [p, q] = [await distributions(student), await distributions(teacher)];
      const trained = student.completion.flatMap((_, t) => ((student.mask?.[t] ?? true) ? [t] : []));
      expect(kl[i]).toHaveLength(trained.length);
      trained.forEach((t, at) => {
        const expected = p[t].reduce((sum, lp, v) => sum + Math.exp(lp) * (lp - q[t][v]), 0);
        expect(kl[i][at]).toBeGreaterThan(0);
        expect(Math.abs(kl[i][at] - expected)).toBeLessThan(1e-6 * (1 + expected));
        expect(teacherLogprobs[i][at]).toBeCloseTo(q[t][student.completion[t]], 4);
      });
    }
    expect(Math.max(...kl.flatMap((row) => [...row]))).toBeGreaterThan(1e-3);
    for (const device of [await createCpuDevice(), ...(webgpu ? [webgpu] : [])]) {
      const model = await made.open(device);
      model.setAdapterParams(at);
      const same = await distillBackward(
        model,
        pairs.map(({ student }) => ({ student, teacher: student })),
        { normalise: 'token' },
      );
      expect(same.loss, device.name).toBe(0);
      for (const row of same.kl) expect([...row]).toEqual(new Array(row.length).fill(0));
      expect(same.gradients[0].every((g) => Math.abs(g) === 0)).toBe(true);
      const apart = await distillBackward(model, pairs, { normalise: 'token' });
      apart.kl.forEach((row, i) => {
        row.forEach((nats, t) => {
          // WebGPU sums over the vocabulary in single precision.
          expect(Math.abs(nats - kl[i][t])).toBeLessThan((device.kind === 'webgpu' ? 4e-6 : 2e-6) * (1 + nats));
        });
      });
      model.free();
    }
  });
});
