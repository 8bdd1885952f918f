// Finds the fastest kernel variants on an adapter by short measurements, which are kept for as long as the page (or
// process) lives; the first of them chooses a matmul variant for each class of shapes. A variant is allowed only if
// its bits equal the register kernel's on a probe, so that timing decides about speed and never about results.
import { put, readFloats } from '../device.ts';
import {
  DEFAULT_CHOICE,
  fitting,
  isAligned,
  MATMUL_VARIANTS,
  type MatmulChoice,
  type MatmulParams,
  type MatmulVariant,
  matmulDispatch,
  matmulEverywhere,
  matmulParams,
  SHAPE_CLASSES,
  type ShapeClass,
} from './matmul.ts';
import type { PackedChoice } from './packed-products.ts';
import { fastest, probeValues, type Tunable } from './probe.ts';
import { measurePacked } from './tune-packed.ts';
import { measureSubgroups } from './tune-subgroups.ts';

interface Probe {
  readonly shape: MatmulParams;
  /** Calls per measurement; with too few calls of a small shape, waiting would dominate. */
  readonly calls: number;
}

/** One shape stands for its class: large enough to fill an adapter as a model's products do. */
const PROBES: Readonly<Record<ShapeClass, Probe>> = {
  fewest: { shape: matmulParams(8, 2048, 1024, 0, 1), calls: 40 },
  few: { shape: matmulParams(64, 2048, 1024, 0, 1), calls: 10 },
  // The work is below that of an untuned submit (batch.ts), so that no call is split.
  many: { shape: matmulParams(768, 1024, 512, 0, 1), calls: 5 },
  transposed: { shape: matmulParams(512, 512, 1024, 1, 0), calls: 10 },
};
const ROUNDS = 3;
/** Calls per measurement of rates. */
const CALLS = 10;

interface Tuned {
  readonly matmul: MatmulChoice;
  readonly packed: PackedChoice;
  readonly subgroup: number;
  readonly rates: Rates;
}

/** Target time of a submit: even one that is twice as heavy as estimated ends within 100 ms. */
const SUBMIT_SECONDS = 0.05;
/** Minimum operations per submit: with fewer, submitting costs more than the work. */
const LEAST_WORK = 1e8;

/** Floating-point operations a second. */
export interface Rates {
  readonly product: number;
  readonly attention: number;
}

const measured = new Map<string, Tuned>();

/** Settles the device's choices: the fastest of each class on its adapter, measured once (at most about 450 GFLOP of products). */
export async function tune(device: Tunable): Promise<void> {
  let tuned = measured.get(device.name);
  if (!tuned) {
    const matmul = await measureMatmul(device);
    device.matmulChoice = matmul;
    const rates = await measureRates(device);
    tuned = { matmul, packed: await measurePacked(device), subgroup: await measureSubgroups(device), rates };
    measured.set(device.name, tuned);
  }
  device.matmulChoice = tuned.matmul;
  device.packedChoice = tuned.packed;
  device.subgroup = tuned.subgroup;
  const { product, attention } = tuned.rates;
  device.workPerSubmit = Math.max(LEAST_WORK, product * SUBMIT_SECONDS);
  device.attentionCost = Math.max(1, product / attention);
}

/** Measures the variants; leaves device.matmulChoice at the last one tried. */
export async function measureMatmul(device: Tunable, probes = PROBES): Promise<MatmulChoice> {
  const choice: Record<ShapeClass, MatmulVariant> = { ...DEFAULT_CHOICE };
  const { isSoftware } = device;
  await device.compile(
    SHAPE_CLASSES.flatMap((kind) =>
      MATMUL_VARIANTS.map((variant) => matmulDispatch(probes[kind].shape, variant, isSoftware).shader),
    ),
  );
  for (const kind of SHAPE_CLASSES) choice[kind] = await fastestOf(device, probes[kind]);
  return choice;
}

/** Returns the fastest variant whose bits equal the first one's. */
async function fastestOf(device: Tunable, { shape, calls }: Probe): Promise<MatmulVariant> {
  const a = put(device, probeValues(shape.m * shape.k, 1), 'tune a');
  const b = put(device, probeValues(shape.k * shape.n, 2), 'tune b');
  const c = device.alloc(shape.m * shape.n, 'f32', 'tune c');
  let expected: Uint32Array | undefined;
  const equal: MatmulVariant[] = [];
  const product = (variant: MatmulVariant) => {
    device.matmulChoice = matmulEverywhere(variant);
    device.run('matmul', [a, b, c], shape);
  };
  for (const variant of MATMUL_VARIANTS) {
    if (fitting(variant, shape, isAligned(shape)) !== variant) continue;
    product(variant);
    const bits = new Uint32Array((await readFloats(device, c)).buffer);
    expected ??= bits;
    if (bits.every((value, i) => value === expected?.[i])) equal.push(variant);
  }
  const { way } = await fastest(device, equal, product, { calls, rounds: ROUNDS, warm: 1 });
  for (const buffer of [a, b, c]) buffer.free();
  return way;
}

/** Causal attention over 256 rows with 4 query heads of a common size. */
const ATTENDING = { rows: 256, heads: 4, kvHeads: 2, headDim: 128 };

/** Measures the rates of products of many rows (by the chosen variant) and of attention's forward pass, from which a
 *  call's time is estimated. */
async function measureRates(device: Tunable): Promise<Rates> {
  const p = PROBES.many.shape;
  const { rows, heads, kvHeads, headDim } = ATTENDING;
  const wide = rows * heads * headDim;
  const narrow = rows * kvHeads * headDim;
  const product = [p.m * p.k, p.k * p.n, p.m * p.n].map((length, i) => put(device, probeValues(length, i), 'rate'));
  const causal = Uint32Array.from({ length: 4 * rows }, (_, i) => (i % 4 === 1 ? (i - 1) / 4 + 1 : 0));
  const attention = [
    ...[wide, narrow, narrow].map((length, i) => put(device, probeValues(length, i), 'rate')),
    put(device, causal, 'ranges'),
    ...[wide, rows * heads * 2].map((length) => device.alloc(length, 'f32', 'rate')),
  ];
  const secondsOf = async (run: () => void): Promise<number> => {
    // The first round compiles.
    const { took } = await fastest(device, [run], (way) => way(), { calls: CALLS, rounds: ROUNDS, warm: 1 });
    return Math.max(took, 0.01) / 1e3;
  };
  const seconds = {
    product: await secondsOf(() => device.run('matmul', product, p)),
    attention: await secondsOf(() => device.run('attention', attention, { ...ATTENDING, grow: 0 })),
  };
  for (const buffer of [...product, ...attention]) buffer.free();
  return {
    product: (CALLS * 2 * p.m * p.n * p.k) / seconds.product,
    attention: (CALLS * 3 * headDim * heads * rows * (rows + 1)) / seconds.attention,
  };
}
