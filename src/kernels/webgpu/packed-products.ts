// Products of few rows that read a packed B directly: the matmul kernels with another way to read B's elements, so that the sums equal those of
// unpacking first. Which variant is faster than that, and for how many rows, is measured once per adapter (tune-packed.ts).
import unpacking from '../../../shaders/packed/unpacking.wgsl?raw';
import unpacking4 from '../../../shaders/packed/unpacking4.wgsl?raw';
import type { KernelParams } from '../contract.ts';
import type { PackedProduct } from '../device.ts';
import { fitting, type MatmulVariant, productGrid, productShader, type Reading } from './matmul.ts';
import type { Program, Shader } from './shader.ts';

/** Row counts up to which a variant is chosen separately: a decoding step of one group, a step of several groups, and the largest product that may
 *  read B directly. */
export const PACKED_ROWS = [8, 32, 128] as const;
/** Variant that reads the packed B directly, for each of PACKED_ROWS; null where unpacking first is faster. */
export type RowsChoice = readonly (MatmulVariant | null)[];
export type PackedChoice = Readonly<Record<PackedProduct, RowsChoice>>;

/** The same choice for all kernels and row counts. */
export function packedEverywhere(variant: MatmulVariant | null): PackedChoice {
  const all = PACKED_ROWS.map(() => variant);
  return { matmul_f16: all, matmul_q8h: all, matmul_q4h: all };
}

/** Choice on a software adapter: on SwiftShader reading B directly is faster for all of PACKED_ROWS (`npm run bench -- packed`). */
export const SOFTWARE_CHOICE: PackedChoice = packedEverywhere('register');

const TURNED = `fn a_turned() -> bool { return false; }
fn b_turned() -> bool { return true; }`;

const HELPERS = `${unpacking}\n${unpacking4}`;

/** WGSL that reads integers with one f16 scale per block: element i, and elements 4i … 4i + 3. */
const scaledReading = (kernel: PackedProduct, one: string, four: string): Reading => ({
  kernel,
  one: `fn b_one(i: u32) -> f32 {
  let block = i / params.block;
  return half_of(scale[block / 2u], block) * ${one};
}`,
  // Four elements have one scale: a block is a multiple of four long.
  four: `fn b_four(i: u32) -> vec4f {
  let block = 4u * i / params.block;
  return half_of(scale[block / 2u], block) * ${four};
}`,
  fourType: 'u32',
  helpers: HELPERS,
  turned: TURNED,
});

export const READINGS: Readonly<Record<PackedProduct, Reading>> = {
  matmul_f16: {
    kernel: 'matmul_f16',
    one: `fn b_one(i: u32) -> f32 { return half_of(b[i / 2u], i); }`,
    four: `fn b_four(i: u32) -> vec4f { return halves_of(b[i]); }`,
    fourType: 'vec2u',
    helpers: HELPERS,
    turned: TURNED,
  },
  matmul_q8h: scaledReading('matmul_q8h', 'byte_of(b[i / 4u], i)', 'bytes_of(b[i])'),
  // Four elements are half a word.
  matmul_q4h: scaledReading('matmul_q4h', 'nibble_of(b[i / 8u], i)', 'nibbles_of(b[i / 2u] >> (16u * (i & 1u)))'),
};

/** Variant for this many rows; null if B is to be unpacked first. */
export function packedVariant(choice: PackedChoice, kernel: PackedProduct, rows: number): MatmulVariant | null {
  const at = PACKED_ROWS.findIndex((most) => rows <= most);
  return at < 0 ? null : choice[kernel][at];
}

export function packedShader(kernel: PackedProduct, variant: MatmulVariant, software: boolean, aligned = true): Shader {
  return productShader(READINGS[kernel], { variant, ta: 0, tb: 1, aligned, software });
}

/** Programs that take any number of rows, also where unpacking first is faster. Shaders are compiled at first use:
 *  most models are in f32. */
export function packedPrograms(choice: () => PackedChoice): { [K in PackedProduct]: Program<K> } {
  const plan = (kernel: PackedProduct, p: KernelParams<'matmul_f16'>, block: number, software: boolean) => {
    const aligned = (p.k | p.aOff | p.bOff | block) % 4 === 0;
    const variant = fitting(packedVariant(choice(), kernel, p.m) ?? 'register', { ta: 0, tb: 1, n: p.n }, aligned);
    return [productGrid(packedShader(kernel, variant, software, aligned), p, variant, aligned)];
  };
  const shaders = () => [];
  const cost = (p: KernelParams<'matmul_f16'>) => 2 * p.m * p.n * p.k;
  return {
    matmul_f16: { plan: (p, { software }) => plan('matmul_f16', p, 0, software), shaders, cost },
    matmul_q8h: { plan: (p, { software }) => plan('matmul_q8h', p, p.block, software), shaders, cost },
    matmul_q4h: { plan: (p, { software }) => plan('matmul_q4h', p, p.block, software), shaders, cost },
  };
}
