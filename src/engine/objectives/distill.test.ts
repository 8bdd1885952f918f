// Tests distillation against the reference decoder, in chunks, on split and packed tables, segment by segment, and with a teacher of
// other adapter parameters. Finite differences are in algorithms/objectives/oracle.test.ts (svd) and here (LoRA).
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { Arena } from '../arena.ts';
import { Engine, type EngineOptions } from '../decoder/engine.ts';
import type { Budgets } from '../passes/batch.ts';
import { deltaPasses } from '../passes/delta-passes.ts';
import { pack } from '../passes/packing.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../testing/models.ts';
import { residualStream } from '../testing/reference.ts';
import type { DistillPair, ModelConfig, WeightStorage } from '../types.ts';
import { DeviceWeights } from '../weights/weights.ts';
import { Distillation } from './distill.ts';

/** Two students share a prompt that their teachers do not, so that the rows of students and teachers differ in order; the third
 *  completion is partly masked. */
function pairsOf(config: ModelConfig, segments = 1): DistillPair[] {
  const ids = (seed: number, n: number) => randomIds(config, seed, n);
  const shared = ids(1, 5);
  const mask = [true, true, false, false, true, true, false];
  const sides = [
    { prompt: shared, shown: ids(2, 9), completion: ids(3, 6) },
    { prompt: ids(4, 3), shown: ids(5, 12), completion: ids(6, 7), mask },
    { prompt: shared, shown: ids(7, 1), completion: ids(8, 4) },
    { prompt: ids(9, 1), shown: ids(2, 9), completion: ids(10, 3) },
  ];
  return sides.map(({ prompt, shown, completion, mask: own }, i) => ({
    student: { prompt, completion, mask: own, segment: i % segments },
    teacher: { prompt: i === 3 ? prompt : [...shown, ...prompt], completion, mask: own },
  }));
}

const open = async (config: ModelConfig, device: Device, options: Partial<EngineOptions> = {}) => {
  const model = await Engine.create({ device, config, weights: randomWeights(config, 7, 1.5), ...options });
  model.setAdapterParams(adapterParamsOf(model));
  return model;
};
const adapterParamsOf = (model: Engine) => model.initialAdapterParams.map((x, i) => x + 0.05 * Math.sin(3 * i));
const coefficients = (kl: readonly Float32Array[]) => kl.map((row, i) => row.map((_, t) => Math.cos(i + 2 * t)));

async function measured(model: Engine, pairs: readonly DistillPair[], segments = 1) {
  const batch = await model.distill(pairs, segments);
  const gradients = await batch.backward(coefficients(batch.kl));
  batch.free();
  return { ...batch, gradients };
}

describe.each(['qwen3', 'qwen2', 'llama'] as const)('%s', (name) => {
  const config = SMALL[name];

  it('gives the KL divergence of the reference decoder’s two distributions, token by token', async () => {
    const weights = randomWeights(config, 7, 1.5);
    const model = await Engine.create({ device: await createCpuDevice(), config, weights, adapter: 'none' });
    const table = weights.get(config.tied ? 'model.embed_tokens.weight' : 'lm_head.weight')!.data;
    const scale = weights.get('model.norm.weight')!.data;
    const distributions = (ids: readonly number[]) =>
      residualStream(config, weights, ids)
        .at(-1)!
        .map((x) => {
          const rstd = 1 / Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / x.length + config.rmsEps);
          const h = x.map((v, i) => v * rstd * scale[i]);
          const logits = Array.from({ length: config.vocab }, (_, v) =>
            h.reduce((sum, y, i) => sum + y * table[v * h.length + i], 0),
          );
          const lse = Math.log(logits.reduce((sum, l) => sum + Math.exp(l), 0));
          return logits.map((l) => l - lse);
        });
    const pairs = pairsOf(config);
    const { kl, logprobs, teacherLogprobs, free } = await model.distill(pairs, 1);
    free();
    for (const [i, { student, teacher }] of pairs.entries()) {
      const [p, q] = [student, teacher].map(({ prompt, completion }) =>
        distributions([...prompt, ...completion]).slice(prompt.length - 1),
      );
      const trained = student.completion.flatMap((_, t) => ((student.mask?.[t] ?? true) ? [t] : []));
      trained.forEach((t, at) => {
        const expected = p[t].reduce((sum, lp, v) => sum + Math.exp(lp) * (lp - q[t][v]), 0);
        expect(Math.abs(kl[i][at] - expected)).toBeLessThan(2e-5 * (1 + expected));
        expect(logprobs[i][at]).toBeCloseTo(p[t][student.completion[t]], 4);
        expect(teacherLogprobs[i][at]).toBeCloseTo(q[t][student.completion[t]], 4);
      });
      expect(kl[i]).toHaveLength(trained.length);
      // Only the last pair's student and teacher are equal, with KL = 0.
      if (i === 3) expect([...kl[i]]).toEqual([0, 0, 0]);
      else expect(Math.min(...kl[i])).toBeGreaterThan(0.01);
    }
    model.free();
  });

  it('gives each segment the gradient of its own pairs', async () => {
    const model = await open(config, await createCpuDevice());
    const both = await measured(model, pairsOf(config, 2), 2);
    const coef = coefficients(both.kl);
    for (const segment of [0, 1]) {
      const which = [segment, segment + 2];
      const batch = await model.distill(
        which.map((i) => pairsOf(config)[i]),
        1,
      );
      const [gradient] = await batch.backward(which.map((i) => coef[i]));
      batch.free();
      expect(batch.kl).toEqual(which.map((i) => both.kl[i]));
      expect(relativeError(both.gradients[segment], gradient)).toBeLessThan(1e-5);
    }
    model.free();
  });

  it('gives the same bytes with chunked logits and recomputed layers', async () => {
    const pairs = pairsOf(config);
    const side = (which: 'student' | 'teacher') =>
      pack(
        pairs.map((pair) => ({ ...pair[which], segment: 0 })),
        1,
        config.maxPositions,
      );
    const everything = async (budgets?: Budgets) => {
      const device = await createCpuDevice();
      const weights = DeviceWeights.of(device, config, randomWeights(config, 7, 1.5));
      const ctx = { device, config, weights, arena: new Arena(device), delta: await deltaPasses(config) };
      const student = side('student');
      const pass = new Distillation(ctx, student, side('teacher'), budgets);
      pass.teach();
      const losses = await pass.forward();
      const seen: Promise<ArrayLike<number>>[] = [];
      const coef = Float32Array.from(losses.kl, (_, t) => Math.sin(1 + t));
      pass.backward(coef, {
        stopsAtFirstLayer: false,
        small: () => null,
        linear(name, a, b, m, n, of) {
          const c = device.alloc(m * n, 'f32', name);
          ops.matmul(device, { a, b, c, m, n, k: of?.rows ?? student.rows, ta: 1 });
          seen.push(device.read(c));
        },
      });
      const gradients = (await Promise.all(seen)).map((data) => Array.from(data));
      device.destroy();
      return { chunkRows: pass.chunkRows, losses, gradients };
    };
    const whole = await everything();
    expect(whole.gradients.flat().some((x) => x !== 0)).toBe(true);
    expect(whole.chunkRows).toBe(17);
    // The budget holds both chunks: three rows each of student and teacher.
    const frugal = await everything({ logits: 6 * config.vocab, activations: 0 });
    expect(frugal).toEqual({ ...whole, chunkRows: 3 });
  });
});

it('refuses and names pairs whose student and teacher are not trained on the same tokens', async () => {
  const config = SMALL.qwen3;
  const model = await open(config, await createCpuDevice());
  const [first, second] = pairsOf(config);
  const wrong = async (teacher: Partial<DistillPair['teacher']>, says: RegExp) =>
    expect(model.distill([first, { ...second, teacher: { ...second.teacher, ...teacher } }], 1)).rejects.toThrow(says);
  await wrong({ mask: undefined }, /pair 1: the student is trained on 4 tokens, the teacher speaks of 7/);
  const other = second.teacher.completion.map((id, t) => (t === 4 ? (id + 1) % config.vocab : id));
  await wrong({ completion: other }, /pair 1: .*trained token 2 is another/);
  expect((await measured(model, [first, second])).kl).toHaveLength(2);
  model.free();
});

it('a teacher uses its own adapter parameters, and the student’s are restored afterwards, also after an abort', async () => {
  const config = SMALL.qwen3;
  const model = await open(config, await createCpuDevice());
  const pairs = pairsOf(config).map(({ student }) => ({ student, teacher: student }));
  const [student, teacher] = [adapterParamsOf(model), model.initialAdapterParams];
  const logprobsOf = async (adapterParams: Float32Array) => {
    model.setAdapterParams(adapterParams);
    const batch = await model.score(
      pairs.map((pair) => pair.student),
      1,
    );
    batch.free();
    return batch.logprobs;
  };
  const [mine, its] = [await logprobsOf(student), await logprobsOf(teacher)];
  model.setAdapterParams(student);
  const batch = await model.distill(pairs, 1, { adapterParams: { teacher, student } });
  batch.free();
  expect(batch.logprobs).toEqual(mine);
  expect(batch.teacherLogprobs).toEqual(its);
  expect(Math.min(...batch.kl.flatMap((row) => [...row]))).toBeGreaterThan(0);
  const stopped = model.distill(pairs, 1, { adapterParams: { teacher, student }, signal: AbortSignal.abort() });
  await expect(stopped).rejects.toThrow();
  const after = await model.score(
    pairs.map((pair) => pair.student),
    1,
  );
  after.free();
  expect(after.logprobs).toEqual(mine);
  model.free();
});

it('the gradient of a LoRA equals finite differences with a fixed teacher', async () => {
  const config = SMALL.qwen2;
  const adapter = { adapter: 'lora', loraRank: 3 } as const;
  const model = await open(config, await createCpuDevice({ precision: 'f64' }), { adapter });
  const pairs = pairsOf(config);
  const at = adapterParamsOf(model);
  const { gradients, kl } = await measured(model, pairs);
  const coef = coefficients(kl);
  for (const seed of [1, 2, 3]) {
    const rng = new CounterRng(keyFor(seed, STREAMS.test));
    const direction = at.map(() => rng.normal());
    const loss = async (by: number) => {
      const student = at.map((x, i) => x + by * direction[i]);
      const batch = await model.distill(pairs, 1, { adapterParams: { teacher: at, student } });
      batch.free();
      return batch.kl.reduce((sum, row, i) => row.reduce((s, nats, t) => s + nats * coef[i][t], sum), 0);
    };
    const h = 2 ** -9;
    const numeric = ((await loss(h)) - (await loss(-h))) / (2 * h);
    const analytic = gradients[0].reduce((sum, g, i) => sum + g * direction[i], 0);
    expect(Math.abs(analytic)).toBeGreaterThan(0.01);
    expect(Math.abs(numeric - analytic) / (Math.abs(analytic) + 1)).toBeLessThan(1e-3);
  }
  model.free();
});

describe('split and packed tables', () => {
  const config: ModelConfig = { ...SMALL.llama, vocab: 350 };
  it.each(['f32', 'f16', 'q8'] as const)(
    '%s in parts: the same divergence as whole, bit for bit',
    async (storage: WeightStorage) => {
      const run = async (maxBindingBytes?: number) => {
        const device = await createCpuDevice({ maxBindingBytes });
        const model = await open(config, device, { storage });
        const result = await measured(model, pairsOf(config));
        model.free();
        device.destroy();
        return result;
      };
      const [whole, split] = [await run(), await run(16_000)];
      expect(split.kl).toEqual(whole.kl);
      expect(split.teacherLogprobs).toEqual(whole.teacherLogprobs);
      expect(relativeError(split.gradients[0], whole.gradients[0])).toBeLessThan(1e-5);
    },
  );
});
