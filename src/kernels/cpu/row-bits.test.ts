// Tests that the SIMD kernels over rows and elements keep every bit, since published runs must be reproducible byte for byte.
// The hashes are from before exp4 and the loops around it were optimised.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { indices, type KernelCase, make, uniformSums } from '../testing/case.ts';
import { runCase } from '../testing/cases.ts';
import { createCpuDevice } from './device.ts';

/** Scale of exponents, so that e^x both underflows and is clamped. */
const WIDE = 70;

function cases(): KernelCase[] {
  const r = CounterRng.of(19, STREAMS.test, 5);
  const all: KernelCase[] = [];
  for (const n of [3, 8, 4099])
    for (const scale of [4, WIDE]) {
      const x = () => uniformSums(r, n, scale);
      all.push(make('swiglu', [x(), x(), x()], { n, upOff: 0 }), make('swiglu_grad', [x(), x(), x(), x(), x()], { n }));
    }
  for (const [rows, dim] of [
    [1, 7],
    [300, 20],
    [37, 128],
    [40, 150],
  ])
    for (const beta of [0, 1]) {
      const x = () => uniformSums(r, rows * dim, 2);
      const rstd = uniformSums(r, rows, 1).map(Math.abs);
      all.push(make('rmsnorm_dw', [x(), rstd, x(), uniformSums(r, dim, 2)], { rows, dim, beta }));
    }
  for (const [rows, vocab] of [
    [3, 7],
    [2, 8],
    [5, 130],
    [4, 512],
  ])
    for (const scale of [3, WIDE]) {
      const logits = () => uniformSums(r, rows * vocab, scale);
      const targets = indices(r, rows, vocab);
      const stats = () => uniformSums(r, rows * 3, 3).map((x) => x + 2 * scale);
      const size = { rows, vocab, rowOff: 0 };
      all.push(make('logprob', [logits(), targets, stats()], size));
      all.push(make('logprob_grad', [logits(), targets, stats(), uniformSums(r, rows, 1)], size));
      const kl = uniformSums(r, rows, 1);
      all.push(make('reverse_kl', [logits(), logits(), stats(), stats(), kl], size));
      all.push(make('reverse_kl_grad', [logits(), logits(), stats(), stats(), kl, kl], size));
      for (const temperature of [0, 0.7]) all.push(sampled(r, rows, vocab, scale, temperature));
    }
  for (const [rows, vocab] of [
    [40, 3],
    [40, 64],
    [40, 130],
    [200, 512],
    [90, 1003],
  ])
    for (const scale of [0.1, 3, WIDE]) all.push(sampled(r, rows, vocab, scale, 1));
  return all;
}

function sampled(r: CounterRng, rows: number, vocab: number, scale: number, temperature: number): KernelCase {
  return make(
    'sample',
    [
      ...[uniformSums(r, rows * vocab, scale), Uint32Array.from({ length: rows }, (_, i) => i)],
      ...[Uint32Array.from({ length: rows * 2 }, () => r.uint32()), new Uint32Array(rows)],
      ...[new Uint32Array(rows), new Float32Array(rows), new Uint32Array(rows), new Uint32Array(rows)],
    ],
    { rows, vocab, t: 0, maxNew: 1, temperature, endA: 0, endB: 3, padToken: vocab, ends: 0, endsAt: 0 },
  );
}

/** First 32 bits of SHA-256 over the outputs of all cases of a kernel. */
const BEFORE = {
  swiglu: 'afeb4370',
  swiglu_grad: '276422c4',
  rmsnorm_dw: '78ded3be',
  logprob: 'b2bc12e8',
  logprob_grad: 'c0185924',
  reverse_kl: '956e5a5f',
  reverse_kl_grad: 'cf526849',
  sample: 'b913de5b',
};

it('the same bits as before the optimisation', async () => {
  const device = await createCpuDevice();
  const hashes = new Map<string, ReturnType<typeof createHash>>();
  for (const one of cases()) {
    const hash = hashes.get(one.kernel) ?? createHash('sha256');
    hashes.set(one.kernel, hash);
    for (const data of (await runCase(device, one)).values()) {
      expect(data.every(Number.isFinite), one.kernel).toBe(true);
      hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    }
  }
  expect(Object.fromEntries([...hashes].map(([kernel, hash]) => [kernel, hash.digest('hex').slice(0, 8)]))).toEqual(
    BEFORE,
  );
});
