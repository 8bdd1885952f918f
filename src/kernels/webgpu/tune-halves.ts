// Whether a product of few rows reads a matrix of halves as it lies, and with which kernel, or after unpacking it: by a short
// measurement for each of HALVES_ROWS, in turns. As with tune.ts a kernel is only allowed where its bits are those of unpacking
// first, so that the clock decides about speed alone.
import { type DeviceBuffer, put, readFloats } from '../device.ts';
import { HALVES_ROWS, type HalvesChoice, halvesShader, MATMUL_VARIANTS, type MatmulVariant } from './matmul.ts';
import { probeValues, type Tunable } from './probe.ts';

/** A matrix that does not fit the caches next to the processors, so that moving it shows. */
const PROBE = { n: 2048, k: 1024 };
const ROUNDS = 3;
const CALLS = 4;

/** Words of two halves of ordinary size and either sign, from a fixed congruence. */
function probeHalves(length: number): Uint32Array {
  const halves = Uint16Array.from(probeValues(length, 3), (x) => {
    const bits = Math.floor(Math.abs(x) * 2 ** 14) + 0x2000;
    return x < 0 ? bits | 0x8000 : bits;
  });
  return new Uint32Array(halves.buffer);
}

/** The measurement; leaves the device's choice at whatever it tried last. n · k is even. */
export async function measureHalves(
  device: Tunable,
  { n, k } = PROBE,
  calls = CALLS,
  variants: readonly MatmulVariant[] = MATMUL_VARIANTS,
): Promise<HalvesChoice> {
  await device.compile(variants.map((variant) => halvesShader(variant, device.isSoftware)));
  const most = Math.max(...HALVES_ROWS);
  const [halves, unpacked] = [put(device, probeHalves(n * k), 'tune halves'), device.alloc(n * k, 'f32', 'tune b')];
  const [a, c] = [put(device, probeValues(most * k, 1), 'tune a'), device.alloc(most * n, 'f32', 'tune c')];
  const choice: (MatmulVariant | null)[] = [];
  for (const m of HALVES_ROWS) {
    const size = { m, n, k, aOff: 0, bOff: 0, cOff: 0, beta: 0 };
    const product = (way: MatmulVariant | null) => {
      if (way !== null) {
        device.run('matmul_f16', [a, halves, c], size);
        return;
      }
      device.run('unpack_f16', [halves, unpacked], { n: n * k, srcOff: 0 });
      device.run('matmul', [a, unpacked, c], { ...size, ta: 0, tb: 1 });
    };
    const bitsOf = async (way: MatmulVariant | null) => {
      device.halvesChoice = HALVES_ROWS.map(() => way);
      product(way);
      return new Uint32Array((await readFloats(device, c, 0, m * n)).buffer);
    };
    const expected = await bitsOf(null);
    const ways: (MatmulVariant | null)[] = [null];
    for (const way of variants) if ((await bitsOf(way)).every((value, i) => value === expected[i])) ways.push(way);
    choice.push(await fastest(device, ways, (way) => product(way), calls));
  }
  for (const buffer of [a, halves, unpacked, c] as DeviceBuffer[]) buffer.free();
  return choice;
}

/** Of ways that give the same bits, by the best of a few rounds in turns. */
async function fastest(
  device: Tunable,
  ways: readonly (MatmulVariant | null)[],
  run: (way: MatmulVariant | null) => void,
  calls: number,
): Promise<MatmulVariant | null> {
  const best = ways.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, way] of ways.entries()) {
      device.halvesChoice = HALVES_ROWS.map(() => way);
      const start = performance.now();
      for (let call = 0; call < calls; call++) run(way);
      await device.sync();
      best[i] = Math.min(best[i], performance.now() - start);
    }
  return ways[best.indexOf(Math.min(...best))];
}
