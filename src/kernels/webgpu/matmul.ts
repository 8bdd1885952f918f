// The matrix product's variants: a barrier-free one (4×4 in registers), tiled ones (shared memory; 16, 32 or 64 wide), and one for few rows.
// All add in ascending k with one accumulator, so they differ in speed alone; which is fastest for a class of shapes is
// measured once per adapter (tune.ts) and fixed for the device. The same variants read a packed B as it is stored (packed-products.ts).
import aCols from '../../../shaders/linalg/matmul_a_cols.wgsl?raw';
import aRows from '../../../shaders/linalg/matmul_a_rows.wgsl?raw';
import bCols from '../../../shaders/linalg/matmul_b_cols.wgsl?raw';
import bRows from '../../../shaders/linalg/matmul_b_rows.wgsl?raw';
import plainBody from '../../../shaders/linalg/matmul_plain.wgsl?raw';
import registerBody from '../../../shaders/linalg/matmul_register.wgsl?raw';
import thinBody from '../../../shaders/linalg/matmul_thin.wgsl?raw';
import tiledBody from '../../../shaders/linalg/matmul_tiled.wgsl?raw';
import { kept } from '../../lib/kept.ts';
import type { KernelParams } from '../contract.ts';
import type { PackedProduct } from '../device.ts';
import { type Dispatch, MAX_GROUPS, type Shader, shader } from './shader.ts';

export type MatmulParams = KernelParams<'matmul'>;
/** Parameters of a product without offsets or beta, for measurements. */
export function matmulParams(m: number, n: number, k: number, ta: number, tb: number): MatmulParams {
  return { m, n, k, aOff: 0, bOff: 0, cOff: 0, ta, tb, beta: 0 };
}
export const MATMUL_VARIANTS = ['register', 'tiled16', 'tiled32', 'tiled64', 'thin'] as const;
export type MatmulVariant = (typeof MATMUL_VARIANTS)[number];
/** Classes of shapes. By rows: a decoding step of one group (`fewest`) or of several (`few`), or more rows. Transposed A has its own class (weight
 *  gradients: m and n small, k long). */
export const SHAPE_CLASSES = ['fewest', 'few', 'many', 'transposed'] as const;
export type ShapeClass = (typeof SHAPE_CLASSES)[number];
export type MatmulChoice = Readonly<Record<ShapeClass, MatmulVariant>>;

/** The same variant for every class. */
export function matmulEverywhere(variant: MatmulVariant): MatmulChoice {
  return { fewest: variant, few: variant, many: variant, transposed: variant };
}
export const DEFAULT_CHOICE = matmulEverywhere('register');
/** Side of the tile that a workgroup computes; `register` without vec4 loads has another (productGrid). */
const TILE: Readonly<Record<MatmulVariant, number>> = { register: 32, tiled16: 16, tiled32: 32, tiled64: 64, thin: 8 };
const FEWEST_ROWS = 16;
const FEW_ROWS = 128;

export function shapeClass(params: MatmulParams): ShapeClass {
  if (params.ta !== 0) return 'transposed';
  if (params.m <= FEWEST_ROWS) return 'fewest';
  return params.m <= FEW_ROWS ? 'few' : 'many';
}

/** Replaces `thin` by `tiled16`, with the same bits, unless A is stored by rows and B transposed, both can be read as vec4, and the small tiles fit
 *  in one grid. */
export function fitting(
  variant: MatmulVariant,
  { ta, tb, n }: Pick<MatmulParams, 'ta' | 'tb' | 'n'>,
  aligned: boolean,
): MatmulVariant {
  const fits = ta === 0 && tb !== 0 && aligned && n <= TILE.thin * MAX_GROUPS;
  return variant === 'thin' && !fits ? 'tiled16' : variant;
}

// Software adapters emulate fma. On a real GPU the compiler would fuse a·b + c anyway, and writing fma keeps the
// variants equal bit for bit.
export function arithmetic(software: boolean): string {
  return software
    ? `fn mul_add(x: f32, y: vec4f, c: vec4f) -> vec4f { return c + x * y; }
fn mul_add1(x: f32, y: f32, c: f32) -> f32 { return c + x * y; }`
    : `fn mul_add(x: f32, y: vec4f, c: vec4f) -> vec4f { return fma(vec4f(x), y, c); }
fn mul_add1(x: f32, y: f32, c: f32) -> f32 { return fma(x, y, c); }`;
}

/** WGSL functions by which a product's kernel reads B. */
export interface Reading {
  readonly kernel: 'matmul' | PackedProduct;
  /** b_one(i), element i of B. */
  readonly one: string;
  /** b_four(i), elements 4i … 4i + 3, of an array of `fourType`. */
  readonly four: string;
  readonly fourType: string;
  /** Functions that both call. */
  readonly helpers: string;
  /** a_turned() and b_turned(): whether A and B are stored transposed, where that is no compile-time constant. */
  readonly turned: string;
}

export const PLAIN: Reading = {
  kernel: 'matmul',
  one: 'fn b_one(i: u32) -> f32 { return b[i]; }',
  four: 'fn b_four(i: u32) -> vec4f { return b[i]; }',
  fourType: 'vec4f',
  helpers: '',
  turned: `fn a_turned() -> bool { return params.ta != 0u; }
fn b_turned() -> bool { return params.tb != 0u; }`,
};

interface Product {
  readonly variant: MatmulVariant;
  readonly ta: number;
  readonly tb: number;
  readonly aligned: boolean;
  readonly software: boolean;
}

const shaders = new Map<string, Shader>();

/** Each shader is made once, because it is the key of its pipeline. `register` without alignment has one invocation per element. */
export function productShader(reading: Reading, { variant, ta, tb, aligned, software }: Product): Shader {
  const { kernel, one, four, fourType, helpers, turned } = reading;
  const plain = variant === 'register' && !aligned;
  const layout = plain ? 'any' : `${ta ? 'T' : 'N'}${tb ? 'T' : 'N'}`;
  const key = `${kernel}|${variant}|${layout}|${software}`;
  return kept(shaders, key, () => {
    const prelude = [arithmetic(software), helpers];
    let body = plainBody;
    if (plain) prelude.push(turned, one);
    else if (variant === 'register') {
      if (tb) prelude.push(four);
      body = [ta ? aCols : aRows, tb ? bCols : bRows, registerBody].join('\n');
    } else if (variant === 'thin') {
      prelude.push(four);
      body = thinBody;
    } else {
      body = tiledBody;
      prelude.push(one, `const TA = ${ta !== 0};\nconst TB = ${tb !== 0};\nconst MICRO = ${TILE[variant] / 16}u;`);
    }
    const byFours = variant === 'thin' || (variant === 'register' && aligned);
    const types = byFours ? { a: 'vec4f', b: fourType } : undefined;
    return shader(kernel, body, { tag: `${variant} ${layout}`, prelude: prelude.join('\n'), types });
  });
}

export function matmulShader(variant: MatmulVariant, ta: number, tb: number, aligned: boolean, software: boolean) {
  return productShader(PLAIN, { variant: fitting(variant, { ta, tb, n: 0 }, aligned), ta, tb, aligned, software });
}

/** Whether every row that a kernel would load four at a time begins at a multiple of four elements. */
export function isAligned(p: MatmulParams): boolean {
  return ((p.ta ? p.m : p.k) | (p.tb ? p.k : p.n) | p.aOff | p.bOff) % 4 === 0;
}

/** The grid of a product's shader. */
export function productGrid(of: Shader, { m, n }: { m: number; n: number }, variant: MatmulVariant, aligned: boolean) {
  const tile = variant === 'register' && !aligned ? 8 : TILE[variant];
  const x = Math.ceil(n / tile);
  const y = Math.ceil(m / tile);
  return { shader: of, x: y === 0 ? 0 : x, y, isPlane: true };
}

export function matmulDispatch(p: MatmulParams, variant: MatmulVariant, software: boolean): Dispatch {
  const aligned = isAligned(p);
  const fit = fitting(variant, p, aligned);
  return productGrid(matmulShader(fit, p.ta, p.tb, aligned, software), p, fit, aligned);
}
