// Programs of the fused decoding kernels (shaders/decoding/). Each reads several matrices in their stored format, with the same WGSL as the plain
// products of that format. A software adapter uses register kernels, one of them for a single row; a real GPU uses 8×8 tiles.
import block from '../../../shaders/decoding/block.wgsl?raw';
import columns from '../../../shaders/decoding/columns.wgsl?raw';
import floats from '../../../shaders/decoding/floats.wgsl?raw';
import integers from '../../../shaders/decoding/integers.wgsl?raw';
import integersPart from '../../../shaders/decoding/integers_part.wgsl?raw';
import productsPart from '../../../shaders/decoding/products_part.wgsl?raw';
import rowsAlone from '../../../shaders/decoding/rows_alone.wgsl?raw';
import rowsShared from '../../../shaders/decoding/rows_shared.wgsl?raw';
import unpacking from '../../../shaders/packed/unpacking.wgsl?raw';
import { kept } from '../../lib/kept.ts';
import type { KernelName } from '../contract.ts';
import type { FusedKernel } from '../device.ts';
import { arithmetic, type MatmulChoice, matmulParams, PLAIN, type Reading, shapeClass } from './matmul.ts';
import { type PackedChoice, packedVariant, READINGS } from './packed-products.ts';
import { grid, invocations, type Program, type Shader, SMALL_WORKGROUP, type Traits, WORKGROUP } from './shader.ts';
import { type Tree, treeShader } from './tree.ts';
import { wgsl } from './wgsl.ts';

/** Maximum row length that one invocation norms, as for rmsnorm (programs.ts). */
const LONG_ROW = { software: 4096, hardware: 64 } as const;

/** Rows that one invocation of the form `main` computes. */
const ROWS = [0, 1, 2, 3, 4, 5, 6, 7] as const;

const TREE: Tree = { width: 64, sum: 'f32' };

type Family = 'products' | 'gated';

/** Each kernel's family, and how it reads its storage format. A new format is one more line here. */
const OF = {
  products: { family: 'products', reading: PLAIN },
  products_f16: { family: 'products', reading: READINGS.matmul_f16 },
  products_q8h: { family: 'products', reading: READINGS.matmul_q8h },
  products_q4h: { family: 'products', reading: READINGS.matmul_q4h },
  gated: { family: 'gated', reading: PLAIN },
  gated_f16: { family: 'gated', reading: READINGS.matmul_f16 },
  gated_q8h: { family: 'gated', reading: READINGS.matmul_q8h },
  gated_q4h: { family: 'gated', reading: READINGS.matmul_q4h },
} as const satisfies Partial<Record<KernelName, { family: Family; reading: Reading }>>;

/** Kernels that compute products, by storage format; products_q8i multiplies integers. */
type Multiplying = keyof typeof OF | 'products_q8i';
type Form = 'main' | 'single' | 'wide';

/** WGSL that reads one of several matrices: its names end in the matrix's number. */
const numbered = (text: string, part: number) =>
  text
    .replace(/\bb_four\b/g, `b_four_${part}`)
    .replace(/\bb\[/g, `b${part}[`)
    .replace(/\bscale\[/g, `scale${part}[`);

/** Expands a WGSL template: a line with OWN is repeated for each row that an invocation reads, a line with ROW for each row that it multiplies.
 *  GIVEN(x) is the value x read for that row, by the invocation itself or by another one of its subgroup. */
function ofEachRow(text: string, isShared: boolean): string {
  const given = (row: number, value: string) =>
    isShared ? `subgroupBroadcast(${value}${row >> 2}, ${row & 3}u)` : `${value}${row}`;
  const each = (all: string, name: string, rows: readonly number[]) =>
    all.replaceAll(new RegExp(`^(?! *//).*${name}.*\\n`, 'gm'), (line) =>
      rows
        .map((row) =>
          line.replaceAll(/GIVEN\((\w)\)/g, (_, value: string) => given(row, value)).replaceAll(name, String(row)),
        )
        .join(''),
    );
  return each(each(text, 'ROW', ROWS), 'OWN', isShared ? ROWS.slice(0, 2) : ROWS);
}

const made = new Map<string, Shader>();

function shaderOf(kernel: Multiplying, form: Form, { software, subgroup, quads }: Traits): Shader {
  const isShared = quads && form === 'main';
  return kept(made, `${kernel} ${form} ${software} ${isShared} ${form === 'wide' ? subgroup : 0}`, () => {
    const { texts, types } = kernel === 'products_q8i' ? ofIntegers() : ofStored(OF[kernel]);
    const body = [arithmetic(software), isShared ? rowsShared : rowsAlone, ...texts].join('\n');
    const prelude = isShared ? 'enable subgroups;' : '';
    const options = { entry: form, types, prelude, tag: isShared ? 'shared' : undefined };
    return treeShader(kernel, ofEachRow(body, isShared), TREE, form === 'wide' ? subgroup : 0, options);
  });
}

interface Texts {
  texts: readonly string[];
  /** WGSL element types by buffer name. */
  types: Readonly<Record<string, string>>;
}

const ofPart = (text: string, part: number) => text.replaceAll('PART', String(part));

function ofStored({ family, reading }: { family: Family; reading: Reading }): Texts {
  const parts = family === 'products' ? [0, 1, 2] : [0, 1];
  const readings = parts.map((part) => `${numbered(reading.four, part)}\n${ofPart(block, part)}`);
  const multiplying = family === 'products' ? [floats, ...parts.map((part) => ofPart(productsPart, part))] : [];
  return {
    texts: [reading.helpers, columns, ...readings, ...multiplying, wgsl(family)],
    types: { a: 'vec4f', x: 'vec4f', w: 'vec4f', ...numberedTypes(parts, reading.fourType) },
  };
}

function ofIntegers(): Texts {
  const parts = [0, 1, 2];
  return {
    texts: [unpacking, integers, ...parts.map((part) => ofPart(integersPart, part)), wgsl('products')],
    types: { a: 'vec4u', ...numberedTypes(parts, 'vec4u') },
  };
}

const numberedTypes = (parts: readonly number[], type: string) =>
  Object.fromEntries(parts.map((part) => [`b${part}`, type]));

/** Columns and rows of a workgroup's tile. The register forms have few invocations per workgroup, so that the few rows of a decoding step occupy
 *  every core. */
const TILES: Readonly<Record<Family, Readonly<Record<Form, readonly [columns: number, rows: number]>>>> = {
  products: { main: [16, 8], single: [64, 1], wide: [8, 8] },
  gated: { main: [32, 8], single: [64, 1], wide: [8, 8] },
};

function plane(kernel: Multiplying, form: Form, widths: readonly number[], m: number, traits: Traits) {
  const [columns, rows] = TILES[kernel === 'products_q8i' ? 'products' : OF[kernel].family][form];
  const x = widths.reduce((sum, n) => sum + Math.ceil(n / columns), 0);
  const y = Math.ceil(m / rows);
  return { shader: shaderOf(kernel, form, traits), x: y === 0 ? 0 : x, y, isPlane: true };
}

const registers = (m: number): Form => (m === 1 ? 'single' : 'main');

function productsProgram(kernel: Multiplying): Program<'products_q8i'> {
  return {
    plan: (p, traits) => [plane(kernel, traits.software ? registers(p.m) : 'wide', [p.n0, p.n1, p.n2], p.m, traits)],
    shaders: () => [],
    cost: (p) => 2 * p.m * p.k * (p.n0 + p.n1 + p.n2),
  };
}

function gatedProgram(kernel: Multiplying): Program<'gated'> {
  return {
    plan(p, traits) {
      const isLong = p.k > LONG_ROW[traits.software ? 'software' : 'hardware'];
      return [plane(kernel, isLong ? 'wide' : registers(p.m), [p.n], p.m, traits)];
    },
    shaders: () => [],
    cost: (p) => 4 * p.m * p.n * p.k,
  };
}

type Caching = 'cache_heads' | 'cache_heads_f16';

function heads(kernel: Caching, entry: 'main' | 'wide', { software, subgroup }: Traits): Shader {
  const size = entry === 'wide' ? subgroup : 0;
  const group = software ? SMALL_WORKGROUP : WORKGROUP;
  return kept(made, `${kernel} ${entry} ${size} ${group}`, () =>
    treeShader(kernel, wgsl(kernel), TREE, size, { entry, group }),
  );
}

function cachingProgram(kernel: Caching): Program<'cache_heads'> {
  return {
    plan(p, traits) {
      const items = p.rows * (p.heads + 2 * p.kvHeads);
      const isLong = p.headDim > LONG_ROW[traits.software ? 'software' : 'hardware'];
      return [isLong ? grid(heads(kernel, 'wide', traits), items) : invocations(heads(kernel, 'main', traits), items)];
    },
    shaders: () => [],
  };
}

export const DECODING_PROGRAMS: { readonly [K in Multiplying | Caching]: Program<K> } = {
  products: productsProgram('products'),
  products_f16: productsProgram('products_f16'),
  products_q8h: productsProgram('products_q8h'),
  products_q4h: productsProgram('products_q4h'),
  products_q8i: productsProgram('products_q8i'),
  gated: gatedProgram('gated'),
  gated_f16: gatedProgram('gated_f16'),
  gated_q8h: gatedProgram('gated_q8h'),
  gated_q4h: gatedProgram('gated_q4h'),
  cache_heads: cachingProgram('cache_heads'),
  cache_heads_f16: cachingProgram('cache_heads_f16'),
};

interface Chosen {
  matmul: MatmulChoice;
  packed: PackedChoice;
  software: boolean;
}

/** Whether the fused kernel replaces separate products of this many rows. It computes as the variant `register` on a software adapter and as `thin`
 *  on a real GPU, so it is used where that variant was measured to be the fastest. */
export function isFused(kernel: FusedKernel, rows: number, { matmul, packed, software }: Chosen): boolean {
  if (kernel === 'cache_heads' || kernel === 'cache_heads_f16') return true;
  const product = OF[kernel].reading.kernel;
  const chosen =
    product === 'matmul' ? matmul[shapeClass(matmulParams(rows, 1, 1, 0, 1))] : packedVariant(packed, product, rows);
  return chosen === (software ? 'register' : 'thin');
}
