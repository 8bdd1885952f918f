// Measures, for each packed format and each of PACKED_ROWS, whether a product of few rows is faster reading the packed matrix directly (and with
// which variant) or unpacking it first. As in tune.ts, a variant is allowed only if its bits equal those of unpacking first, so that timing decides
// about speed alone.
import { type DeviceBuffer, type PackedProduct, put, readFloats } from '../device.ts';
import { MATMUL_VARIANTS, type MatmulVariant } from './matmul.ts';
import { PACKED_ROWS, type PackedChoice, packedEverywhere, packedShader, type RowsChoice } from './packed-products.ts';
import { fastest, probeValues, type Tunable } from './probe.ts';

/** A matrix larger than the processors' nearest caches, so that the cost of reading it shows. */
const PROBE = { n: 2048, k: 1024 };
/** Elements per scale. */
const BLOCK = 32;
const ROUNDS = 3;
const CALLS = 4;

type Way = MatmulVariant | null;

/** Measures and returns the choice; leaves device.packedChoice at the last one tried. n · k is a multiple of 64. */
export async function measurePacked(
  device: Tunable,
  { n, k } = PROBE,
  calls = CALLS,
  variants: readonly MatmulVariant[] = MATMUL_VARIANTS,
): Promise<PackedChoice> {
  const most = Math.max(...PACKED_ROWS);
  const a = put(device, probeValues(most * k, 1), 'tune a');
  const [b, c] = [device.alloc(n * k, 'f32', 'tune b'), device.alloc(most * n, 'f32', 'tune c')];
  const halves = put(device, probeHalves(n * k), 'tune halves');
  const bytes = put(device, new Uint32Array(probeValues((n * k) / 4, 4).buffer), 'tune bytes');
  const nibbles = put(device, new Uint32Array(probeValues((n * k) / 8, 5).buffer), 'tune nibbles');
  const scale = put(device, probeHalves((n * k) / BLOCK), 'tune scales');
  const size = { n, k, aOff: 0, bOff: 0, cOff: 0, beta: 0 };
  const product = (m: number) => device.run('matmul', [a, b, c], { ...size, m, ta: 0, tb: 1 });
  const unpacking = { n: n * k, srcOff: 0 };
  const choose = (kernel: PackedProduct, unpack: () => void, asItLies: (m: number) => void): Promise<RowsChoice> =>
    chosen(device, kernel, variants, {
      run(way, m) {
        device.packedChoice = packedEverywhere(way);
        if (way !== null) return asItLies(m);
        unpack();
        product(m);
      },
      bits: async (m) => new Uint32Array((await readFloats(device, c, 0, m * n)).buffer),
      calls,
    });
  const choice = {
    matmul_f16: await choose(
      'matmul_f16',
      () => device.run('unpack_f16', [halves, b], unpacking),
      (m) => device.run('matmul_f16', [a, halves, c], { ...size, m }),
    ),
    matmul_q8h: await choose(
      'matmul_q8h',
      () => device.run('unpack_q8h', [bytes, scale, b], { ...unpacking, block: BLOCK }),
      (m) => device.run('matmul_q8h', [a, bytes, scale, c], { ...size, m, block: BLOCK }),
    ),
    matmul_q4h: await choose(
      'matmul_q4h',
      () => device.run('unpack_q4h', [nibbles, scale, b], { ...unpacking, block: BLOCK }),
      (m) => device.run('matmul_q4h', [a, nibbles, scale, c], { ...size, m, block: BLOCK }),
    ),
  };
  for (const buffer of [a, b, c, halves, bytes, nibbles, scale] as DeviceBuffer[]) buffer.free();
  return choice;
}

/** Words of two normal f16 values of either sign, from a fixed congruence. */
function probeHalves(length: number): Uint32Array {
  const halves = Uint16Array.from(probeValues(length, 3), (x) => {
    const bits = Math.floor(Math.abs(x) * 2 ** 14) + 0x2000;
    return x < 0 ? bits | 0x8000 : bits;
  });
  return new Uint32Array(halves.buffer);
}

interface Trial {
  run(way: Way, m: number): void;
  bits(m: number): Promise<Uint32Array>;
  calls: number;
}

/** Chooses for each of PACKED_ROWS the fastest way whose bits equal those of unpacking first. */
async function chosen(
  device: Tunable,
  kernel: PackedProduct,
  variants: readonly MatmulVariant[],
  { run, bits, calls }: Trial,
): Promise<RowsChoice> {
  await device.compile(variants.map((variant) => packedShader(kernel, variant, device.isSoftware)));
  const choice: Way[] = [];
  for (const m of PACKED_ROWS) {
    run(null, m);
    const expected = await bits(m);
    const ways: Way[] = [null];
    for (const way of variants) {
      run(way, m);
      if ((await bits(m)).every((value, i) => value === expected[i])) ways.push(way);
    }
    choice.push((await fastest(device, ways, (way) => run(way, m), { calls, rounds: ROUNDS })).way);
  }
  return choice;
}
