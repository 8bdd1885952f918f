// The matrix product's variants: a barrier-free one (4×4 in registers) and tiled ones (shared memory, 16·micro wide).
// All add in ascending k with one accumulator, so they differ in speed alone; which is fastest for a class of shapes is
// measured once per adapter (tune.ts) and fixed for the device. The same variants read a B of halves as it lies (matmul_f16).
import aCols from '../../../shaders/linalg/matmul_a_cols.wgsl?raw';
import aRows from '../../../shaders/linalg/matmul_a_rows.wgsl?raw';
import bCols from '../../../shaders/linalg/matmul_b_cols.wgsl?raw';
import bRows from '../../../shaders/linalg/matmul_b_rows.wgsl?raw';
import plainBody from '../../../shaders/linalg/matmul_plain.wgsl?raw';
import registerBody from '../../../shaders/linalg/matmul_register.wgsl?raw';
import tiledBody from '../../../shaders/linalg/matmul_tiled.wgsl?raw';
import halves4 from '../../../shaders/packed/halves4.wgsl?raw';
import unpacking from '../../../shaders/packed/unpacking.wgsl?raw';
import type { KernelParams } from '../contract.ts';
import { type Dispatch, type Shader, shader } from './shader.ts';

export type MatmulParams = KernelParams<'matmul'>;
/** A product without offsets or beta, as the measurements use it. */
export function matmulParams(m: number, n: number, k: number, ta: number, tb: number): MatmulParams {
  return { m, n, k, aOff: 0, bOff: 0, cOff: 0, ta, tb, beta: 0 };
}
export type HalvesParams = KernelParams<'matmul_f16'>;
export const MATMUL_VARIANTS = ['register', 'tiled16', 'tiled32', 'tiled64'] as const;
export type MatmulVariant = (typeof MATMUL_VARIANTS)[number];
/** Few rows (decoding) or many; A transposed (weight gradients: m and n small, k long) apart. */
export type ShapeClass = 'few' | 'many' | 'transposed';
export type MatmulChoice = Readonly<Record<ShapeClass, MatmulVariant>>;

export const DEFAULT_CHOICE: MatmulChoice = { few: 'register', many: 'register', transposed: 'register' };
/** Rows up to which products of halves are chosen for, each by itself: a step of one group, of several, the end of `few`. */
export const HALVES_ROWS = [8, 32, 128] as const;
/** For each of HALVES_ROWS what reads halves as they lie; null where unpacking first is faster. */
export type HalvesChoice = readonly (MatmulVariant | null)[];
/** On a software adapter, as measured on SwiftShader (`npm run bench -- halves`): a half is taken apart anew for every four rows. */
export const SOFTWARE_HALVES: HalvesChoice = ['register', null, null];
const MICRO: Readonly<Record<MatmulVariant, number>> = { register: 4, tiled16: 1, tiled32: 2, tiled64: 4 };
const FEW_ROWS = 128;

export function shapeClass(params: MatmulParams): ShapeClass {
  if (params.ta !== 0) return 'transposed';
  return params.m <= FEW_ROWS ? 'few' : 'many';
}

/** Of a B of halves: for up to so many rows, or null where it is to be unpacked first. */
export function halvesVariant(choice: HalvesChoice, rows: number): MatmulVariant | null {
  const at = HALVES_ROWS.findIndex((most) => rows <= most);
  return at < 0 ? null : choice[at];
}

// Software adapters emulate fma; on a real one it is what the compiler would make of a·b + c in any case, and saying it
// keeps the variants equal bit for bit.
function arithmetic(software: boolean): string {
  return software
    ? `fn mul_add(x: f32, y: vec4f, c: vec4f) -> vec4f { return c + x * y; }
fn mul_add1(x: f32, y: f32, c: f32) -> f32 { return c + x * y; }`
    : `fn mul_add(x: f32, y: vec4f, c: vec4f) -> vec4f { return fma(vec4f(x), y, c); }
fn mul_add1(x: f32, y: f32, c: f32) -> f32 { return fma(x, y, c); }`;
}

/** How elements of B are read, and whether A and B are stored the other way round where that is no constant. */
const READING = {
  matmul: `fn a_turned() -> bool { return params.ta != 0u; }
fn b_turned() -> bool { return params.tb != 0u; }`,
  matmul_f16: `fn a_turned() -> bool { return false; }
fn b_turned() -> bool { return true; }`,
} as const;
const B_ONE = {
  matmul: 'fn b_one(i: u32) -> f32 { return b[i]; }',
  matmul_f16: `fn b_one(i: u32) -> f32 { return half_of(b[i / 2u], i); }\n${unpacking}`,
} as const;
const B_FOUR = {
  matmul: 'fn b_four(i: u32) -> vec4f { return b[i]; }',
  matmul_f16: `fn b_four(i: u32) -> vec4f { return halves_of(b[i]); }\n${halves4}`,
} as const;
/** Four of B's elements, as the register kernel reads them. */
const FOUR = { matmul: 'vec4f', matmul_f16: 'vec2u' } as const;

interface Product {
  readonly kernel: 'matmul' | 'matmul_f16';
  readonly variant: MatmulVariant;
  readonly ta: number;
  readonly tb: number;
  readonly aligned: boolean;
  readonly software: boolean;
}

const shaders = new Map<string, Shader>();

/** Each is made once, so that it can stand for its pipeline. `register` without alignment is one invocation an element. */
function productShader({ kernel, variant, ta, tb, aligned, software }: Product): Shader {
  const plain = variant === 'register' && !aligned;
  const layout = plain ? 'any' : `${ta ? 'T' : 'N'}${tb ? 'T' : 'N'}`;
  const key = `${kernel}|${variant}|${layout}|${software}`;
  let found = shaders.get(key);
  if (!found) {
    const prelude = [arithmetic(software)];
    let body = plainBody;
    if (plain) prelude.push(READING[kernel], B_ONE[kernel]);
    else if (variant === 'register') {
      if (tb) prelude.push(B_FOUR[kernel]);
      body = [ta ? aCols : aRows, tb ? bCols : bRows, registerBody].join('\n');
    } else {
      body = tiledBody;
      const constants = `const TA = ${ta !== 0};\nconst TB = ${tb !== 0};\nconst MICRO = ${MICRO[variant]}u;`;
      prelude.push(B_ONE[kernel], constants);
    }
    const types = variant === 'register' && aligned ? { a: 'vec4f', b: FOUR[kernel] } : undefined;
    found = shader(kernel, body, { tag: `${variant} ${layout}`, prelude: prelude.join('\n'), types });
    shaders.set(key, found);
  }
  return found;
}

export function matmulShader(variant: MatmulVariant, ta: number, tb: number, aligned: boolean, software: boolean) {
  return productShader({ kernel: 'matmul', variant, ta, tb, aligned, software });
}

export function halvesShader(variant: MatmulVariant, software: boolean, aligned = true): Shader {
  return productShader({ kernel: 'matmul_f16', variant, ta: 0, tb: 1, aligned, software });
}

/** Whether every row that a kernel would load four at a time begins at a multiple of four elements. */
export function isAligned(p: MatmulParams): boolean {
  return ((p.ta ? p.m : p.k) | (p.tb ? p.k : p.n) | p.aOff | p.bOff) % 4 === 0;
}

function dispatch(of: Shader, { m, n }: { m: number; n: number }, tile: number): Dispatch {
  const x = Math.ceil(n / tile);
  const y = Math.ceil(m / tile);
  return { shader: of, x: y === 0 ? 0 : x, y };
}

/** Rows and columns of C to a workgroup. */
function tileOf(variant: MatmulVariant, aligned: boolean): number {
  return variant === 'register' ? (aligned ? 32 : 8) : 16 * MICRO[variant];
}

export function matmulDispatch(p: MatmulParams, variant: MatmulVariant, software: boolean): Dispatch {
  const aligned = isAligned(p);
  return dispatch(matmulShader(variant, p.ta, p.tb, aligned, software), p, tileOf(variant, aligned));
}

export function halvesDispatch(p: HalvesParams, variant: MatmulVariant, software: boolean): Dispatch {
  const aligned = (p.k | p.aOff | p.bOff) % 4 === 0;
  return dispatch(halvesShader(variant, software, aligned), p, tileOf(variant, aligned));
}
