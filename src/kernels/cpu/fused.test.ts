// Tests the fused kernels: the same bits on every machine with fused multiply-adds, differences from the plain kernels only where these
// multiply and add, and the message on a machine without them.
import { createHash } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { KernelName } from '../contract.ts';
import { put, readFloats } from '../device.ts';
import { ops } from '../ops.ts';
import { kernelCases, runCase } from '../testing/cases.ts';
import { fusedMultiplyAdd } from '../testing/fused-multiply-add.ts';
import { type CpuDevice, createCpuDevice } from './device.ts';
import { allowFused } from './fused.node.ts';
import { ALL_PROGRAMS } from './late-programs.ts';

/** First 32 bits of SHA-256 over the outputs of all cases of a kernel (testing/cases.ts); adding a case changes the hash. */
const BITS: Partial<Record<KernelName, string>> = {
  adamw: 'be81949c',
  add: 'eb4fa57f',
  attention: 'a04b1c58',
  attention_delta: 'ad8f10b1',
  attention_dkv: '7c64c476',
  attention_dq: '091a5a6f',
  attention_f16: '0c4ad349',
  bias_add: '0db6988e',
  col_sum: 'a83893e6',
  conv_silu: '35451e48',
  conv_silu_dw: '9b36ec02',
  conv_silu_grad: 'c9f3ba23',
  delta_gates: '01f50555',
  delta_gates_grad: 'c10cdcac',
  delta_rule: 'd5c679a0',
  delta_rule_grad: '3c63fcf7',
  embed_grad: 'aeb5c178',
  gather_rows: '9213b530',
  jacobi_round: '588ad41b',
  adapter_grad: '2831cf76',
  logprob: '9a4172c8',
  logprob_entropy_grad: '983e2cf5',
  logprob_grad: '5bc23ff0',
  matmul: 'f403828f',
  matmul_f16: '980a763f',
  matmul_q4h: '389b0bbe',
  matmul_q8h: '86df10dd',
  reverse_kl: '0982097e',
  reverse_kl_grad: '720fde15',
  rmsnorm: 'd78a3e59',
  rmsnorm_dw: '9ea231c5',
  rmsnorm_dx: '40c26c5a',
  rope: 'fc17212d',
  row_dot: 'ef255727',
  sample: 'd95566d6',
  scale_rows: '3539ee48',
  scatter_rows: '2426e376',
  sigmoid_gate: '8f3ff2d7',
  sigmoid_gate_grad: '7ea9bbdc',
  sumsq: '11866f2a',
  svd_apply: '62b612db',
  svd_gram: '13ee25d0',
  svd_turn: 'fd1f4127',
  swiglu: '6c5d432f',
  swiglu_grad: 'de84238a',
  unpack_f16: 'b0dbfd91',
  unpack_q4h: 'ff641c97',
  unpack_q8: '265aef30',
  unpack_q8h: '99f86540',
};

/** Kernels that fusing does not affect: pure sums, pure products, copies. */
const SAME_BITS: readonly KernelName[] = [
  ...(['add', 'bias_add', 'col_sum', 'embed_grad', 'gather_rows', 'scale_rows', 'scatter_rows'] as const),
  ...(['unpack_f16', 'unpack_q4h', 'unpack_q8', 'unpack_q8h'] as const),
];
/** Kernels whose cases sum in double precision, so that rounding the result hides the difference. */
const HIDDEN: readonly KernelName[] = [
  ...(['logprob', 'reverse_kl', 'sample', 'sigmoid_gate', 'sigmoid_gate_grad', 'svd_turn'] as const),
];

describe('the bits', () => {
  const [plain, fused] = [new Map<KernelName, string>(), new Map<KernelName, string>()];
  beforeAll(async () => {
    allowFused();
    await hashes(await createCpuDevice(), plain);
    await hashes(await createCpuDevice({ fused: true }), fused);
  });

  async function hashes(device: CpuDevice, into: Map<KernelName, string>): Promise<void> {
    const open = new Map<KernelName, ReturnType<typeof createHash>>();
    for (const one of kernelCases().filter(({ kernel }) => kernel in ALL_PROGRAMS)) {
      const hash = open.get(one.kernel) ?? createHash('sha256');
      open.set(one.kernel, hash);
      for (const { buffer, byteOffset, byteLength } of (await runCase(device, one)).values())
        hash.update(new Uint8Array(buffer, byteOffset, byteLength));
    }
    for (const [kernel, hash] of open) into.set(kernel, hash.digest('hex').slice(0, 8));
    device.destroy();
  }

  it('are the same on every machine with fused multiply-adds', () => {
    expect(Object.fromEntries(fused)).toEqual(BITS);
  });

  it('differ from the plain kernels’ only where products are summed', () => {
    const same = [...fused].flatMap(([kernel, hash]) => (plain.get(kernel) === hash ? [kernel] : []));
    expect(same.sort()).toEqual([...SAME_BITS, ...HIDDEN].sort());
  });

  it('of a multiply-add have a single rounding', async () => {
    const device = await createCpuDevice({ fused: true });
    const n = 3000;
    const [a, b, c] = [1, 2, 3].map((salt) =>
      Float32Array.from({ length: n }, (_, i) => Math.sin(i * salt + salt) * 2 ** ((i * salt) % 13)),
    );
    // a·b + c as a product of two terms each, with c as the first: beta would add C after the sum.
    const [terms, factors] = [new Float32Array(2 * n), new Float32Array(2 * n)];
    for (let i = 0; i < n; i++) {
      terms.set([c[i], a[i]], 2 * i);
      factors.set([1, b[i]], 2 * i);
    }
    const got: number[] = [];
    const out = device.alloc(1, 'f32', 'out');
    const [x, y] = [put(device, terms, 'x'), put(device, factors, 'y')];
    for (let i = 0; i < n; i++) {
      ops.matmul(device, { a: x, b: y, c: out, m: 1, n: 1, k: 2, aOff: 2 * i, bOff: 2 * i });
      got.push((await readFloats(device, out))[0]);
    }
    const expected = Array.from(a, (value, i) => fusedMultiplyAdd(value, b[i], c[i]));
    expect(got).toEqual(expected);
    expect(expected.filter((sum, i) => sum !== Math.fround(Math.fround(a[i] * b[i]) + c[i])).length).toBeGreaterThan(
      100,
    );
    device.destroy();
  });
});

describe('without fused multiply-adds', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.resetModules();
  });

  /** Imports the module afresh, without the cached test of the JavaScript engine. */
  const anew = () => {
    vi.resetModules();
    return import('./device.ts');
  };

  it('an error names the device, what is missing and what to choose', async () => {
    vi.spyOn(WebAssembly, 'compile').mockRejectedValue(new WebAssembly.CompileError('simd opcode not available'));
    const { createCpuDevice } = await anew();
    await expect(createCpuDevice({ fused: true })).rejects.toMatchObject({
      name: 'DeviceError',
      message: expect.stringMatching(/CPU \(WASM SIMD, fused\) cannot be had: this engine has no relaxed SIMD/),
      remedy: expect.stringMatching(/Choose the device CPU \(WASM SIMD\)/),
    });
  });

  it('support is tested by a value, since an engine may have the instruction but round twice', async () => {
    const instantiate = WebAssembly.instantiate.bind(WebAssembly) as (
      module: WebAssembly.Module,
      imports: WebAssembly.Imports,
    ) => Promise<WebAssembly.Instance>;
    vi.spyOn(WebAssembly, 'instantiate').mockImplementation((async (...given: Parameters<typeof instantiate>) => {
      const { exports } = await instantiate(...given);
      const multiplyAdd = (a: number, b: number, c: number) => Math.fround(Math.fround(a * b) + c);
      return { exports: { ...exports, multiplyAdd } };
    }) as unknown as typeof WebAssembly.instantiate);
    const { createCpuDevice } = await anew();
    await expect(createCpuDevice({ fused: true })).rejects.toThrow(/no multiply-add that rounds once/);
  });
});
