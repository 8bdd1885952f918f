// Every kernel's program: how its shader under shaders/ is compiled, and the grid as a function of the parameters. `wide` variants (one workgroup
// per row) exist where one invocation per row would be too few for a real GPU or too slow on any. The choice depends on the device and on the row's
// length, never on the number of rows, so that a row's result does not depend on the rest of the batch.

import { kept } from '../../lib/kept.ts';
import { KERNEL_NAMES, type KERNELS, type KernelName, type KernelParams, specOf } from '../contract.ts';
import { DECODING_PROGRAMS } from './decoding.ts';
import { DELTA_PROGRAMS } from './delta.ts';
import { type MatmulChoice, matmulDispatch, matmulShader, shapeClass } from './matmul.ts';
import { type PackedChoice, packedPrograms } from './packed-products.ts';
import {
  grid,
  invocations,
  type Known,
  type Program,
  type Shader,
  SMALL_WORKGROUP,
  shader,
  type Traits,
  WORKGROUP,
} from './shader.ts';
import { type Tree, treeShader } from './tree.ts';
import { wgsl } from './wgsl.ts';

/** Maximum row length that one invocation computes on a software adapter. */
const LONG_ROW = 4096;
/** sumsq.wgsl's LANES. */
const SUMSQ_LANES = 1024;

/** One invocation per element (or per row). */
function flat<K extends KernelName>(kernel: K, items: (p: KernelParams<K>) => number): Program<K> {
  const main = shader(kernel, wgsl(kernel));
  return { plan: (p) => [invocations(main, items(p))], shaders: () => [main] };
}

interface Wide<K extends KernelName> {
  use(p: KernelParams<K>, traits: Traits): boolean;
  groups(p: KernelParams<K>): number;
  /** The tree by which a workgroup sums, if it does. */
  tree?: Tree;
}

/** One invocation per row, or where `wide.use` says so one workgroup per row (or per group of columns). */
function rowwise<K extends KernelName>(kernel: K, rows: (p: KernelParams<K>) => number, wide: Wide<K>): Program<K> {
  const { tree } = wide;
  const main = tree ? treeShader(kernel, wgsl(kernel), tree) : shader(kernel, wgsl(kernel));
  const made = new Map<number, Shader>();
  const broad = ({ subgroup }: Traits): Shader =>
    kept(made, subgroup, () => {
      const entry = { entry: 'wide' };
      return tree ? treeShader(kernel, wgsl(kernel), tree, subgroup, entry) : shader(kernel, wgsl(kernel), entry);
    });
  return {
    plan: (p, traits) => [wide.use(p, traits) ? grid(broad(traits), wide.groups(p)) : invocations(main, rows(p))],
    shaders: (traits) => (traits.software ? [main] : [main, broad(traits)]),
  };
}

// The two summation orders of the CPU's SIMD lanes: sum4 of one vector, and `sums` of the products of four keys (cpu/wasm/lanes.ts).
const LANES_VEC4 = `alias Lane = vec4f;
fn lane_sum(x: Lane) -> f32 { return (x.x + x.y) + (x.z + x.w); }
fn dot_sum(x: Lane) -> f32 { return (x.x + x.z) + (x.y + x.w); }
fn product(a: Lane, b: Lane) -> Lane { return a * b; }
`;
const LANES_F32 = `alias Lane = f32;
fn lane_sum(x: Lane) -> f32 { return x; }
fn dot_sum(x: Lane) -> f32 { return x; }
// So few products that a driver unrolls them, and may then fuse them.
fn product(a: Lane, b: Lane) -> Lane { return rounded(a * b); }
`;

/** WGSL types and expressions by which attention reads a lane of k or v. No half of a cache is subnormal, so that
 *  unpack2x16float loses none. */
const READS = {
  f32: { types: ['Lane', 'Lane'], lane: (words: string) => `${words}[i]` },
  f16: {
    types: ['vec2u', 'u32'],
    lane: (words: string, isVec4: boolean) =>
      isVec4
        ? `vec4f(unpack2x16float(${words}[i].x), unpack2x16float(${words}[i].y))`
        : `unpack2x16float(${words}[i / 2u])[i & 1u]`,
  },
} as const;

type Attentive = 'attention' | 'attention_f16' | 'attention_delta' | 'attention_dq' | 'attention_dkv';

interface Attending<K extends Attentive> {
  /** Names of the buffers that hold head vectors. */
  lanes: readonly string[];
  /** Items per row: its heads. */
  heads(p: KernelParams<K>): number;
  /** Operations per head dimension and key (in `dkv`: query) that an item reads. */
  each: number;
  /** Number of those keys or queries for a row, from the words of a buffer. */
  over?: { buffer: string; count(words: Uint32Array, row: number, p: KernelParams<K>): number };
  /** Storage of k and v, in attention's forward pass. */
  cache?: keyof typeof READS;
  /** Head vectors that a workgroup sums at once; absent if the kernel has no `wide` variant. */
  slices?: number;
}

/** Assumed number of keys that a row sees, where the host does not know it. */
const UNKNOWN_KEYS = 256;

const keysOf = (ranges: Uint32Array, row: number, grow: number) =>
  ranges[4 * row + 1] - ranges[4 * row] + ranges[4 * row + 3] - ranges[4 * row + 2] + grow;

/**
 * Attention kernels are specialised by head size: a head's vectors are in arrays of fixed length. An item is one head of one row. It has one
 * invocation, or on a real GPU one workgroup if the kernel has a `wide` variant: a head of 128 dimensions exceeds an invocation's registers,
 * and a decoding step has too few items to hide the latency of memory.
 */
function attentive<K extends Attentive>(
  kernel: K,
  { lanes, heads, each, over, cache, slices }: Attending<K>,
): Program<K> {
  const made = new Map<string, Shader>();
  const isWide = (traits: Traits) => slices !== undefined && !traits.software;
  const groupOf = ({ software }: Traits) => (software && slices !== undefined ? SMALL_WORKGROUP : WORKGROUP);
  const of = (headDim: number, traits: Traits): Shader =>
    kept(made, `${headDim} ${isWide(traits)} ${groupOf(traits)}`, () => {
      const vec4 = headDim % 4 === 0;
      const count = vec4 ? headDim / 4 : headDim;
      const constants = { LANES: count, SLICES: Math.ceil((count * (slices ?? 0)) / WORKGROUP) };
      const reads = cache && READS[cache];
      const type = reads?.types[vec4 ? 0 : 1];
      const reading = (name: string, words: string) =>
        reads ? `fn ${name}(i: u32) -> Lane { return ${reads.lane(words, vec4)}; }\n` : '';
      return shader(kernel, wgsl(cache ? 'attention' : kernel), {
        ...(isWide(traits) ? { entry: 'wide' } : {}),
        group: groupOf(traits),
        tag: `headDim ${headDim}`,
        prelude: [
          vec4 ? LANES_VEC4 : LANES_F32,
          ...Object.entries(constants).map(([name, value]) => `const ${name} = ${Math.max(1, value)}u;`),
          `const SCALE = ${Math.fround(1 / Math.sqrt(headDim))};\n`,
          reading('key_at', 'k'),
          reading('value_at', 'v'),
        ].join('\n'),
        types: Object.fromEntries([
          ...lanes.map((name) => [name, 'Lane']),
          ...(type ? [['k', type] as const, ['v', type] as const] : []),
        ]),
      });
    });
  const items = (p: KernelParams<K>) => p.rows * heads(p);
  const at = over ? specOf(kernel).buffers.findIndex(({ name }) => name === over.buffer) : -1;
  const countOf = (p: KernelParams<K>, buffers: readonly Known[]) => {
    const words = at < 0 ? null : buffers[at].words;
    if (!over || !words) return () => (over ? UNKNOWN_KEYS : 1);
    return (row: number) => over.count(words, row, p);
  };
  return {
    plan(p, traits) {
      const main = of(p.headDim, traits);
      return [isWide(traits) ? grid(main, items(p)) : invocations(main, items(p))];
    },
    shaders: (traits, headDims) => headDims.map((headDim) => of(headDim, traits)),
    cost(p, buffers, traits) {
      const count = countOf(p, buffers);
      let sum = 0;
      for (let row = 0; row < p.rows; row++) sum += count(row);
      return sum * heads(p) * p.headDim * each * traits.attention;
    },
    costsTo(p, buffers, traits) {
      const count = countOf(p, buffers);
      const ofKey = p.headDim * each * traits.attention;
      const width = isWide(traits) ? 1 : groupOf(traits); // items per workgroup
      const costs = new Float64Array(Math.ceil(items(p) / width) + 1);
      for (let row = 0, item = 0; row < p.rows; row++)
        for (let head = 0; head < heads(p); head++, item++) costs[Math.floor(item / width) + 1] += count(row) * ofKey;
      for (let group = 1; group < costs.length; group++) costs[group] += costs[group - 1];
      return costs;
    },
  };
}

const ATTENTION = {
  lanes: ['q', 'o'],
  heads: (p: KernelParams<'attention'>) => p.heads,
  each: 6,
  over: {
    buffer: 'ranges',
    count: (words: Uint32Array, row: number, p: KernelParams<'attention'>) => keysOf(words, row, p.grow),
  },
  slices: 1,
};

/** Sums over rows for each of `columns` columns. On a real GPU a workgroup takes 16 columns, in 16 slices of rows
 *  each. */
function columnwise<K extends KernelName>(kernel: K, columns: keyof KernelParams<K>): Program<K> {
  return rowwise(kernel, (p) => p[columns], {
    use: (_, traits) => !traits.software,
    groups: (p) => Math.ceil(p[columns] / 16),
  });
}

/** One workgroup per row if rows are long for the adapter. `rows`, `length`: names of the parameters that hold the number of rows and their length. */
function byLength<K extends KernelName>(
  kernel: K,
  rows: keyof KernelParams<K>,
  length: keyof KernelParams<K>,
  tree?: Tree,
): Program<K> {
  return rowwise(kernel, (p) => p[rows], {
    use: (p, traits) => p[length] > (traits.software ? LONG_ROW : 64),
    groups: (p) => p[rows],
    tree,
  });
}

/** The parameters give the number of workgroups, on every adapter. */
function grouped<K extends KernelName>(
  kernel: K,
  groups: (p: KernelParams<K>) => number,
  cost: (p: KernelParams<K>) => number,
): Program<K> {
  const main = shader(kernel, wgsl(kernel));
  // Compiled at first use: few models are so large, and barriers compile slowly.
  return { plan: (p) => [grid(main, groups(p))], shaders: () => [], cost };
}

/** Compiled at first use: few runs distil, keep their adapter unfolded or use an f16 cache, and every start would wait for these shaders. */
function lazily<K extends KernelName>(program: Program<K>): Program<K> {
  return { ...program, shaders: () => [] };
}

const sumsqLanes = shader('sumsq', wgsl('sumsq'), { entry: 'lanes', scratch: true });
const sumsqFold = shader('sumsq', wgsl('sumsq'), { entry: 'fold', scratch: true });
const projectCoefficients = shader('project', wgsl('project'), { entry: 'coefficients' });
const projectSplit = shader('project', wgsl('project'), { entry: 'split' });

type FlatName = { [K in KernelName]: (typeof KERNELS)[K] extends { invocations: unknown } ? K : never }[KernelName];

/** Kernels whose contract gives a number of invocations, one per element. TypeScript needs a cast to build a map whose value type follows from its
 *  key. */
const FLAT = Object.fromEntries(
  KERNEL_NAMES.flatMap((kernel) => {
    const { invocations: items } = specOf(kernel);
    return items ? [[kernel, flat(kernel, items)]] : [];
  }),
) as { readonly [K in FlatName]: Program<K> };

/** The choices of matmul variants are read at each call: they are settled once, before the first one. */
export function createPrograms(
  choice: () => MatmulChoice,
  packed: () => PackedChoice,
): { [K in KernelName]: Program<K> } {
  return {
    ...FLAT,
    matmul: {
      plan: (p, traits) => [matmulDispatch(p, choice()[shapeClass(p)], traits.software)],
      shaders: (traits) => {
        const picked = choice();
        const of = (ta: number, tb: number) =>
          (ta ? [picked.transposed] : [picked.fewest, picked.few, picked.many]).map((variant) =>
            matmulShader(variant, ta, tb, true, traits.software),
          );
        return [...of(0, 0), ...of(0, 1), ...of(1, 0)];
      },
      cost: (p) => 2 * p.m * p.n * p.k,
    },
    store_f16: lazily(FLAT.store_f16),
    quantize_rows: lazily(FLAT.quantize_rows),
    scale_cols: lazily(flat('scale_cols', (p) => p.rows * p.cols)),
    col_sum: columnwise('col_sum', 'cols'),
    adapter_grad: columnwise('adapter_grad', 'r'),
    sumsq: {
      plan: () => [
        { shader: sumsqLanes, x: SUMSQ_LANES / WORKGROUP, y: 1, isWhole: true },
        { shader: sumsqFold, x: 1, y: 1 },
      ],
      shaders: () => [sumsqLanes, sumsqFold],
      scratch: () => SUMSQ_LANES,
    },
    ...packedPrograms(packed),
    rmsnorm: byLength('rmsnorm', 'rows', 'dim', { width: 64, sum: 'f32' }),
    rmsnorm_dx: byLength('rmsnorm_dx', 'rows', 'dim', { width: 64, sum: 'f32' }),
    rmsnorm_dw: columnwise('rmsnorm_dw', 'dim'),
    attention: attentive('attention', { ...ATTENTION, cache: 'f32' }),
    attention_f16: lazily(attentive('attention_f16', { ...ATTENTION, cache: 'f16' })),
    attention_delta: attentive('attention_delta', { lanes: ['dO', 'o'], heads: (p) => p.heads, each: 2 }),
    attention_dq: attentive('attention_dq', {
      lanes: ['q', 'k', 'v', 'dO', 'dq'],
      heads: (p) => p.heads,
      each: 6,
      over: { buffer: 'ranges', count: (words, row) => keysOf(words, row, 0) },
      slices: 1,
    }),
    attention_dkv: attentive('attention_dkv', {
      lanes: ['q', 'k', 'v', 'dO', 'dk', 'dv'],
      heads: (p) => p.kvHeads,
      each: 8,
      // Counts each query row that sees the key once per query head that reads it.
      over: { buffer: 'qEnd', count: (words, row, p) => (Math.max(words[row], row) - row) * (p.heads / p.kvHeads) },
      slices: 2,
    }),
    ...DELTA_PROGRAMS,
    ...DECODING_PROGRAMS,
    logprob: byLength('logprob', 'rows', 'vocab', { width: 256, sum: 'vec2f' }),
    logprob_entropy_grad: lazily(flat('logprob_entropy_grad', (p) => p.rows * p.vocab)),
    reverse_kl: lazily(byLength('reverse_kl', 'rows', 'vocab', { width: 256, sum: 'f32' })),
    reverse_kl_grad: lazily(flat('reverse_kl_grad', (p) => p.rows * p.vocab)),
    sample: byLength('sample', 'rows', 'vocab'),
    row_dot: byLength('row_dot', 'r', 'cols', { width: 64, sum: 'f32' }),
    jacobi_round: rowwise('jacobi_round', (p) => p.count, {
      use: (_, traits) => !traits.software,
      groups: (p) => p.count,
      tree: { width: 64, sum: 'vec3f' },
    }),
    project: {
      plan: (p) => [grid(projectCoefficients, p.modules), grid(projectSplit, p.modules)],
      shaders: () => [projectCoefficients, projectSplit],
    },
    svd_gram: grouped(
      'svd_gram',
      (p) => p.count * p.slices,
      (p) => 2048 * p.count * p.m,
    ),
    svd_turn: grouped(
      'svd_turn',
      (p) => p.count,
      // Latency, not arithmetic: a round of rotations and two barriers take about as long as 1e5 operations would.
      (p) => p.sweeps * 3e6 + p.count * p.sweeps * 5e5,
    ),
    svd_apply: grouped(
      'svd_apply',
      (p) => p.count * Math.ceil(p.stride / 64),
      (p) => 2048 * p.count * p.stride,
    ),
  };
}
