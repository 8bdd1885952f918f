// Log-probability and sampling on WebGPU against the reference kernels: in both variants, one invocation per row and one workgroup per row.
import { describe, expect, it } from 'vitest';
import { uniformAt } from '../../rng/threefry.ts';
import { readUints } from '../device.ts';
import { compare, outcome, sharedTestDevice, values } from './testing.ts';

const { device, why } = await sharedTestDevice();
const gpu = device!;

/** The second vocabulary is long enough for the workgroup variants on every adapter. */
const VOCABULARIES = [37, 4501];
const NONE = 0xffffffff;
const NO_MORE = { ends: 0, endsAt: 0 };

describe.skipIf(!device)(`head kernels on WebGPU ${why}`, () => {
  it('logprob and its gradient, the entropy’s too, with a row offset', async () => {
    for (const vocab of VOCABULARIES) {
      const rows = 5;
      const rowOff = 2;
      const logits = values(rows * vocab, 1, 9);
      const targets = Uint32Array.from([0, 0, 0, vocab - 1, 7, 36, 1]);
      const stats = values((rowOff + rows) * 3, 2);
      const params = { rows, vocab, rowOff };
      expect(await compare(gpu, 'logprob', [logits, targets, stats], params), `${vocab}`).toBeLessThan(5e-6);
      const known = (await outcome(gpu, 'logprob', [logits, targets, stats], params))[2];
      const coef = values(rowOff + rows, 3, 2);
      expect(await compare(gpu, 'logprob_grad', [logits, targets, known, coef], params)).toBeLessThan(5e-6);
      const both = [logits, targets, known, coef, values(rowOff + rows, 4, 2)];
      expect(await compare(gpu, 'logprob_entropy_grad', both, params)).toBeLessThan(5e-6);
    }
  });

  it('reverse_kl and its gradient, with a row offset; 0 for an equal teacher', async () => {
    for (const vocab of VOCABULARIES) {
      const rows = 5;
      const rowOff = 2;
      const params = { rows, vocab, rowOff };
      const targets = new Uint32Array(rowOff + rows);
      const known = async (logits: Float32Array) => {
        const stats = values((rowOff + rows) * 3, 2);
        return (await outcome(gpu, 'logprob', [logits, targets, stats], params))[2];
      };
      const logits = values(rows * vocab, 1, 9);
      const teacher = values(rows * vocab, 4, 9);
      const [stats, teacherStats] = [await known(logits), await known(teacher)];
      const inputs = [logits, teacher, stats, teacherStats, values(rowOff + rows, 6)];
      expect(await compare(gpu, 'reverse_kl', inputs, params), `${vocab}`).toBeLessThan(5e-6);
      const kl = (await outcome(gpu, 'reverse_kl', inputs, params))[4] as Float32Array;
      for (let i = rowOff; i < rowOff + rows; i++) expect(kl[i]).toBeGreaterThan(1);
      const coef = values(rowOff + rows, 3, 2);
      const upstream = [logits, teacher, stats, teacherStats, kl, coef];
      expect(await compare(gpu, 'reverse_kl_grad', upstream, params)).toBeLessThan(5e-6);
      const same = await outcome(gpu, 'reverse_kl', [logits, logits, stats, stats, kl], params);
      expect([...same[4].subarray(rowOff)]).toEqual(new Array(rows).fill(0));
    }
  });

  it('logprob of a certain token: entropy 0 and logp 0, not NaN', async () => {
    const logits = new Float32Array(8).fill(-1e4);
    logits[3] = 50;
    const [, , stats] = await outcome(gpu, 'logprob', [logits, Uint32Array.from([3]), new Float32Array(3)], {
      rows: 1,
      vocab: 8,
      rowOff: 0,
    });
    expect([...stats].map((x) => Math.abs(x))).toEqual([0, 50, 0]);
  });

  function samples(vocab: number, rows: number, slots: number, scale = 4) {
    return {
      logits: values(rows * vocab, 5, scale),
      rest: (order: Uint32Array, done: Uint32Array, maxNew: number, starts?: Uint32Array) => [
        order,
        Uint32Array.from({ length: slots * 2 }, (_, i) => Math.imul(i + 1, 0x9e3779b9) >>> 0),
        done,
        new Uint32Array(slots * maxNew).fill(99),
        new Float32Array(slots * maxNew).fill(9),
        new Uint32Array(rows),
        starts ?? new Uint32Array(rows),
      ],
    };
  }

  it('sample: tokens of many rows equal the reference kernel’s, with compacted slots and pads for finished ones', async () => {
    for (const vocab of VOCABULARIES) {
      const rows = vocab < 100 ? 70 : 9;
      const slots = rows + 3;
      const { logits, rest } = samples(vocab, rows, slots);
      const order = Uint32Array.from({ length: rows }, (_, i) => (i * 2) % slots);
      const unique = new Set(order).size === rows ? order : Uint32Array.from(order, (_, i) => i + 3);
      const done = new Uint32Array(slots);
      done[unique[2]] = 1;
      for (const temperature of [1, 0.7, 0]) {
        const inputs = [logits, ...rest(unique, done, 3)];
        const params = { rows, vocab, t: 1, maxNew: 3, temperature, endA: 4, endB: 11, padToken: 6, ...NO_MORE };
        expect(await compare(gpu, 'sample', inputs, params), `${vocab} at ${temperature}`).toBeLessThan(1e-5);
      }
    }
  });

  it('sample: end tokens finish their slot; ties go to the lowest id', async () => {
    for (const vocab of VOCABULARIES) {
      const logits = new Float32Array(2 * vocab);
      logits[20] = 1;
      logits[30] = 1;
      logits[vocab + 35] = 1;
      const { rest } = samples(vocab, 2, 2);
      const inputs = [logits, ...rest(Uint32Array.from([1, 0]), new Uint32Array(2), 1)];
      const params = { rows: 2, vocab, t: 0, maxNew: 1, temperature: 0, endA: 35, endB: NONE, padToken: 0, ...NO_MORE };
      const [, , , done, tokens, , next] = await outcome(gpu, 'sample', inputs, params);
      expect([...done]).toEqual([1, 0]);
      expect([...tokens]).toEqual([35, 20]);
      expect([...next]).toEqual([20, 35]);
      // The same end token, stored after the keys.
      const further = { ...params, endA: NONE, ends: 3, endsAt: 4 };
      inputs[2] = Uint32Array.from([...(inputs[2] as Uint32Array), 9, 35, 40]);
      const [, , , again] = await outcome(gpu, 'sample', inputs, further);
      expect([...again]).toEqual([1, 0]);
    }
  });

  it('threefry in WGSL is that of src/rng: a uniform distribution returns floor(u · vocab)', async () => {
    const vocab = 1024; // a power of two, so that the running sums are exact
    const keys = Uint32Array.from([0, 0, 0xffffffff, 0xffffffff, 0x13198a2e, 0x03707344, 1, 2]);
    for (const t of [0, 1, 77]) {
      const buffers = [
        gpu.alloc(4 * vocab, 'f32', 'logits'),
        gpu.alloc(4, 'u32', 'slots'),
        gpu.alloc(8, 'u32', 'keys'),
        gpu.alloc(4, 'u32', 'done'),
        gpu.alloc(4 * 78, 'u32', 'tokens'),
        gpu.alloc(4 * 78, 'f32', 'logps'),
        gpu.alloc(4, 'u32', 'next'),
        gpu.alloc(4, 'u32', 'starts'),
      ];
      gpu.upload(buffers[1], Uint32Array.from([0, 1, 2, 3]));
      gpu.upload(buffers[2], keys);
      const params = { rows: 4, vocab, t, maxNew: 78, temperature: 1, endA: NONE, endB: NONE, padToken: 0, ...NO_MORE };
      gpu.run('sample', buffers, params);
      const drawn = await readUints(gpu, buffers[6]);
      for (const buffer of buffers) buffer.free();
      const expected = [0, 1, 2, 3].map((s) => Math.floor(uniformAt([keys[s * 2], keys[s * 2 + 1]], t) * vocab));
      expect([...drawn]).toEqual(expected);
    }
  });
});
