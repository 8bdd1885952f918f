// Every kernel's program: its shader file(s) under shaders/ and the grid as a function of the parameters.
// `wide` variants (a workgroup a row) exist where one invocation a row would be too few for a real GPU or too long for
// any; the choice between them looks at the device and at the row's length, never at how many rows there are, so that
// a row's result does not depend on the batch around it.
import adamw from '../../../shaders/adapter/adamw.wgsl?raw';
import jacobiRound from '../../../shaders/adapter/jacobi_round.wgsl?raw';
import knobGrad from '../../../shaders/adapter/knob_grad.wgsl?raw';
import project from '../../../shaders/adapter/project.wgsl?raw';
import rowDot from '../../../shaders/adapter/row_dot.wgsl?raw';
import attention from '../../../shaders/attention/attention.wgsl?raw';
import attentionDelta from '../../../shaders/attention/attention_delta.wgsl?raw';
import attentionDkv from '../../../shaders/attention/attention_dkv.wgsl?raw';
import attentionDq from '../../../shaders/attention/attention_dq.wgsl?raw';
import logprob from '../../../shaders/head/logprob.wgsl?raw';
import logprobGrad from '../../../shaders/head/logprob_grad.wgsl?raw';
import reverseKl from '../../../shaders/head/reverse_kl.wgsl?raw';
import reverseKlGrad from '../../../shaders/head/reverse_kl_grad.wgsl?raw';
import sample from '../../../shaders/head/sample.wgsl?raw';
import add from '../../../shaders/linalg/add.wgsl?raw';
import biasAdd from '../../../shaders/linalg/bias_add.wgsl?raw';
import colSum from '../../../shaders/linalg/col_sum.wgsl?raw';
import copy from '../../../shaders/linalg/copy.wgsl?raw';
import fill from '../../../shaders/linalg/fill.wgsl?raw';
import scaleRows from '../../../shaders/linalg/scale_rows.wgsl?raw';
import sumsq from '../../../shaders/linalg/sumsq.wgsl?raw';
import rmsnorm from '../../../shaders/norm/rmsnorm.wgsl?raw';
import rmsnormDw from '../../../shaders/norm/rmsnorm_dw.wgsl?raw';
import rmsnormDx from '../../../shaders/norm/rmsnorm_dx.wgsl?raw';
import rope from '../../../shaders/norm/rope.wgsl?raw';
import swiglu from '../../../shaders/norm/swiglu.wgsl?raw';
import swigluGrad from '../../../shaders/norm/swiglu_grad.wgsl?raw';
import gatherF16 from '../../../shaders/packed/gather_f16.wgsl?raw';
import gatherPart from '../../../shaders/packed/gather_part.wgsl?raw';
import gatherQ8 from '../../../shaders/packed/gather_q8.wgsl?raw';
import gatherQ8h from '../../../shaders/packed/gather_q8h.wgsl?raw';
import moveCols from '../../../shaders/packed/move_cols.wgsl?raw';
import unpackF16 from '../../../shaders/packed/unpack_f16.wgsl?raw';
import unpackQ8 from '../../../shaders/packed/unpack_q8.wgsl?raw';
import unpackQ8h from '../../../shaders/packed/unpack_q8h.wgsl?raw';
import unpacking from '../../../shaders/packed/unpacking.wgsl?raw';
import threefry from '../../../shaders/rng/threefry.wgsl?raw';
import embedGrad from '../../../shaders/rows/embed_grad.wgsl?raw';
import gatherRows from '../../../shaders/rows/gather_rows.wgsl?raw';
import scatterRows from '../../../shaders/rows/scatter_rows.wgsl?raw';
import svdApply from '../../../shaders/svd/svd_apply.wgsl?raw';
import svdGram from '../../../shaders/svd/svd_gram.wgsl?raw';
import svdTurn from '../../../shaders/svd/svd_turn.wgsl?raw';
import type { KernelName, KernelParams } from '../contract.ts';
import { type MatmulChoice, matmulDispatch, matmulShader, shapeClass } from './matmul.ts';
import { type PackedChoice, packedPrograms } from './packed-products.ts';
import { grid, invocations, type Program, type Shader, shader, type Traits, WORKGROUP } from './shader.ts';
import { type Tree, treeShader } from './tree.ts';

/** Rows up to this long are left to one invocation on a software adapter. */
const LONG_ROW = 4096;
/** sumsq.wgsl's LANES. */
const SUMSQ_LANES = 1024;

/** One invocation an element (or a row). */
function flat<K extends KernelName>(kernel: K, body: string, items: (p: KernelParams<K>) => number): Program<K> {
  const main = shader(kernel, body);
  return { plan: (p) => [invocations(main, items(p))], shaders: () => [main] };
}

interface Wide<K extends KernelName> {
  use(p: KernelParams<K>, traits: Traits): boolean;
  groups(p: KernelParams<K>): number;
  /** Where its workgroups add in a tree. */
  tree?: Tree;
}

/** One invocation a row, or a workgroup a row (or a group of columns) where `wide.use` says so. */
function rowwise<K extends KernelName>(
  kernel: K,
  body: string,
  rows: (p: KernelParams<K>) => number,
  wide: Wide<K>,
): Program<K> {
  const { tree } = wide;
  const main = tree ? treeShader(kernel, body, tree) : shader(kernel, body);
  const made = new Map<number, Shader>();
  const broad = ({ subgroup }: Traits): Shader => {
    let found = made.get(subgroup);
    if (!found) {
      const entry = { entry: 'wide' };
      found = tree ? treeShader(kernel, body, tree, subgroup, entry) : shader(kernel, body, entry);
      made.set(subgroup, found);
    }
    return found;
  };
  return {
    plan: (p, traits) => [wide.use(p, traits) ? grid(broad(traits), wide.groups(p)) : invocations(main, rows(p))],
    shaders: (traits) => (traits.software ? [main] : [main, broad(traits)]),
  };
}

const LANES_VEC4 = 'alias Lane = vec4f;\nfn lane_sum(x: Lane) -> f32 { return (x.x + x.y) + (x.z + x.w); }\n';
const LANES_F32 = 'alias Lane = f32;\nfn lane_sum(x: Lane) -> f32 { return x; }\n';

/** Attention kernels are specialised by head size: a head's vectors live in private arrays of fixed length. */
function attentive<K extends 'attention' | 'attention_delta' | 'attention_dq' | 'attention_dkv'>(
  kernel: K,
  body: string,
  laneBuffers: readonly string[],
  items: (p: KernelParams<K>) => number,
): Program<K> {
  const made = new Map<number, Shader>();
  const of = (headDim: number): Shader => {
    let found = made.get(headDim);
    if (!found) {
      const vec4 = headDim % 4 === 0;
      found = shader(kernel, body, {
        tag: `headDim ${headDim}`,
        prelude: `${vec4 ? LANES_VEC4 : LANES_F32}const LANES = ${vec4 ? headDim / 4 : headDim}u;\n`,
        types: Object.fromEntries(laneBuffers.map((name) => [name, 'Lane'])),
      });
      made.set(headDim, found);
    }
    return found;
  };
  return {
    plan: (p) => [invocations(of(p.headDim), items(p))],
    shaders: (_, headDims) => headDims.map(of),
    // How many keys a row sees is not known here; 256 stands for it.
    cost: (p) => items(p) * p.headDim * 1024,
  };
}

/** A number of workgroups that the parameters give, on every adapter. */
function grouped<K extends KernelName>(
  kernel: K,
  body: string,
  groups: (p: KernelParams<K>) => number,
  cost: (p: KernelParams<K>) => number,
): Program<K> {
  const main = shader(kernel, body);
  // Compiled when it is first needed: few models are so large, and barriers compile slowly.
  return { plan: (p) => [grid(main, groups(p))], shaders: () => [], cost };
}

/** Compiled when it is first needed: few runs distil, and every start would wait for it. */
function lazily<K extends KernelName>(program: Program<K>): Program<K> {
  return { ...program, shaders: () => [] };
}

const sumsqLanes = shader('sumsq', sumsq, { entry: 'lanes', scratch: true });
const sumsqFold = shader('sumsq', sumsq, { entry: 'fold', scratch: true });
const projectCoefficients = shader('project', project, { entry: 'coefficients' });
const projectSplit = shader('project', project, { entry: 'split' });
const realAndLong = (length: number, traits: Traits) => length > (traits.software ? LONG_ROW : 256);

/** The choices of matmul variants are read at each call: they are settled once, before the first one. */
export function createPrograms(
  choice: () => MatmulChoice,
  packed: () => PackedChoice,
): { [K in KernelName]: Program<K> } {
  return {
    matmul: {
      plan: (p, traits) => [matmulDispatch(p, choice()[shapeClass(p)], traits.software)],
      shaders: (traits) => {
        const picked = choice();
        const of = (ta: number, tb: number) =>
          (ta ? [picked.transposed] : [picked.few, picked.many]).map((variant) =>
            matmulShader(variant, ta, tb, true, traits.software),
          );
        return [...of(0, 0), ...of(0, 1), ...of(1, 0)];
      },
      cost: (p) => 2 * p.m * p.n * p.k,
    },
    bias_add: flat('bias_add', biasAdd, (p) => p.rows * p.cols),
    col_sum: rowwise('col_sum', colSum, (p) => p.cols, {
      use: (_, traits) => !traits.software,
      groups: (p) => Math.ceil(p.cols / 16),
    }),
    scale_rows: flat('scale_rows', scaleRows, (p) => p.rows * p.cols),
    add: flat('add', add, (p) => p.n),
    copy: flat('copy', copy, (p) => p.n),
    fill: flat('fill', fill, (p) => p.n),
    sumsq: {
      plan: () => [
        { shader: sumsqLanes, x: SUMSQ_LANES / WORKGROUP, y: 1 },
        { shader: sumsqFold, x: 1, y: 1 },
      ],
      shaders: () => [sumsqLanes, sumsqFold],
      scratch: SUMSQ_LANES,
    },
    gather_rows: flat('gather_rows', gatherRows, (p) => p.rows * p.dim),
    scatter_rows: flat('scatter_rows', scatterRows, (p) => p.rows * p.dim),
    embed_grad: flat('embed_grad', embedGrad, (p) => p.vocab * p.dim),
    unpack_f16: flat('unpack_f16', `${unpacking}\n${unpackF16}`, (p) => p.n),
    unpack_q8: flat('unpack_q8', `${unpacking}\n${unpackQ8}`, (p) => p.n),
    unpack_q8h: flat('unpack_q8h', `${unpacking}\n${unpackQ8h}`, (p) => p.n),
    ...packedPrograms(packed),
    gather_part: flat('gather_part', gatherPart, (p) => p.rows * p.dim),
    gather_f16: flat('gather_f16', `${unpacking}\n${gatherF16}`, (p) => p.rows * p.dim),
    gather_q8: flat('gather_q8', `${unpacking}\n${gatherQ8}`, (p) => p.rows * p.dim),
    gather_q8h: flat('gather_q8h', `${unpacking}\n${gatherQ8h}`, (p) => p.rows * p.dim),
    move_cols: flat('move_cols', moveCols, (p) => p.rows * p.cols),
    rmsnorm: rowwise('rmsnorm', rmsnorm, (p) => p.rows, {
      use: (p, traits) => realAndLong(p.dim, traits),
      groups: (p) => p.rows,
      tree: { width: 64, sum: 'f32' },
    }),
    rmsnorm_dx: rowwise('rmsnorm_dx', rmsnormDx, (p) => p.rows, {
      use: (p, traits) => realAndLong(p.dim, traits),
      groups: (p) => p.rows,
      tree: { width: 64, sum: 'f32' },
    }),
    rmsnorm_dw: rowwise('rmsnorm_dw', rmsnormDw, (p) => p.dim, {
      use: (_, traits) => !traits.software,
      groups: (p) => Math.ceil(p.dim / 16),
    }),
    rope: flat('rope', rope, (p) => (p.rows * p.heads * p.headDim) / 2),
    swiglu: flat('swiglu', swiglu, (p) => p.n),
    swiglu_grad: flat('swiglu_grad', swigluGrad, (p) => p.n),
    attention: attentive('attention', attention, ['q', 'k', 'v', 'o'], (p) => p.rows * p.heads),
    attention_delta: attentive('attention_delta', attentionDelta, ['dO', 'o'], (p) => p.rows * p.heads),
    attention_dq: attentive('attention_dq', attentionDq, ['q', 'k', 'v', 'dO', 'dq'], (p) => p.rows * p.heads),
    attention_dkv: attentive(
      'attention_dkv',
      attentionDkv,
      ['q', 'k', 'v', 'dO', 'dk', 'dv'],
      (p) => p.rows * p.kvHeads,
    ),
    logprob: rowwise('logprob', logprob, (p) => p.rows, {
      use: (p, traits) => realAndLong(p.vocab, traits),
      groups: (p) => p.rows,
      tree: { width: 256, sum: 'vec2f' },
    }),
    logprob_grad: flat('logprob_grad', logprobGrad, (p) => p.rows * p.vocab),
    reverse_kl: lazily(
      rowwise('reverse_kl', reverseKl, (p) => p.rows, {
        use: (p, traits) => realAndLong(p.vocab, traits),
        groups: (p) => p.rows,
        tree: { width: 256, sum: 'f32' },
      }),
    ),
    reverse_kl_grad: lazily(flat('reverse_kl_grad', reverseKlGrad, (p) => p.rows * p.vocab)),
    sample: rowwise('sample', `${threefry}\n${sample}`, (p) => p.rows, {
      use: (p, traits) => realAndLong(p.vocab, traits),
      groups: (p) => p.rows,
    }),
    knob_grad: flat('knob_grad', knobGrad, (p) => p.r),
    row_dot: rowwise('row_dot', rowDot, (p) => p.r, {
      use: (p, traits) => realAndLong(p.cols, traits),
      groups: (p) => p.r,
      tree: { width: 64, sum: 'f32' },
    }),
    jacobi_round: rowwise('jacobi_round', jacobiRound, (p) => p.count, {
      use: (_, traits) => !traits.software,
      groups: (p) => p.count,
      tree: { width: 64, sum: 'vec3f' },
    }),
    project: {
      plan: (p) => [grid(projectCoefficients, p.modules), grid(projectSplit, p.modules)],
      shaders: () => [projectCoefficients, projectSplit],
    },
    adamw: flat('adamw', adamw, (p) => p.n),
    svd_gram: grouped(
      'svd_gram',
      svdGram,
      (p) => p.count * p.slices,
      (p) => 2048 * p.count * p.m,
    ),
    svd_turn: grouped(
      'svd_turn',
      svdTurn,
      (p) => p.count,
      // Latency, not arithmetic: a round of rotations and two barriers take about as long as 1e5 operations would.
      (p) => p.sweeps * 3e6 + p.count * p.sweeps * 5e5,
    ),
    svd_apply: grouped(
      'svd_apply',
      svdApply,
      (p) => p.count * Math.ceil(p.stride / 64),
      (p) => 2048 * p.count * p.stride,
    ),
  };
}
