// Programs of a gated DeltaNet layer's kernels (shaders/delta/). The sizes of a key, a value and the convolution are constants of the shaders,
// since an invocation holds a column or a row of a state in an array of fixed length.
import { kept } from '../../lib/kept.ts';
import { gradScratch, keptEvery } from '../contract/delta.ts';
import type { KernelParams } from '../contract.ts';
import { invocations, type Program, type Shader, shader } from './shader.ts';
import { wgsl } from './wgsl.ts';

type Rule = 'delta_rule' | 'delta_rule_grad';

/** WGSL type of a column of `size` numbers: vectors of four where four divides the size. */
function lanesOf(size: number): { prelude: string; lanes: number } {
  if (size % 4 !== 0) return { lanes: size, prelude: 'alias Lane = f32;\nfn lane_sum(x: Lane) -> f32 { return x; }' };
  return {
    lanes: size / 4,
    prelude: 'alias Lane = vec4f;\nfn lane_sum(x: Lane) -> f32 { return (x.x + x.y) + (x.z + x.w); }',
  };
}

/** WGSL that reads and writes lane `d` of a column, in states that begin at `base` of a buffer. */
function columnAccess(size: number, name: string, buffer: string, base: string): string {
  const isVector = size % 4 === 0;
  const parts = isVector ? [0, 1, 2, 3].map((i) => `${buffer}[first + ${i}u * params.valueDim]`) : [`${buffer}[first]`];
  const first = `let first = ${base} + ((slot * params.heads + head) * params.keyDim + ${isVector ? 4 : 1}u * d) * params.valueDim + column - head * params.valueDim;`;
  return `
fn load_${name}(slot: u32, head: u32, column: u32, d: u32) -> Lane {
  ${first}
  return ${isVector ? `vec4f(${parts.join(', ')})` : parts[0]};
}
fn store_${name}(slot: u32, head: u32, column: u32, d: u32, x: Lane) {
  ${first}
  ${parts.map((part, i) => `${part} = x${isVector ? `[${i}]` : ''};`).join('\n  ')}
}
`;
}

const scaleOf = (keyDim: number) => `const SCALE = ${Math.fround(1 / Math.sqrt(keyDim))};`;

const byColumn = new Map<string, Shader>();

/** Shader with one invocation per column of a state. */
function columns(kernel: Rule, keyDim: number): Shader {
  return kept(byColumn, `${kernel} ${keyDim}`, () => {
    const { lanes, prelude } = lanesOf(keyDim);
    const isGrad = kernel === 'delta_rule_grad';
    const shares = '3u * params.rows * params.heads * params.valueDim';
    const kept = isGrad ? columnAccess(keyDim, 'kept', 'scratch', shares) : '';
    const every = isGrad ? `const EVERY = ${keptEvery(keyDim)}u;\n` : '';
    return shader(kernel, `${columnAccess(keyDim, 'lane', 'states', '0u')}${kept}${wgsl(kernel)}`, {
      tag: `keyDim ${keyDim}`,
      prelude: `${prelude}\nconst LANES = ${lanes}u;\n${every}${scaleOf(keyDim)}\n`,
      types: { qk: 'Lane' },
      scratch: isGrad,
    });
  });
}

const byKey = new Map<string, Shader>();

/** Shader with one invocation per row of a key head's states. */
function keys(keyDim: number, valueDim: number): Shader {
  return kept(byKey, `${keyDim} ${valueDim}`, () =>
    shader('delta_rule_grad', wgsl('delta_rule_keys'), {
      tag: `keys ${keyDim} ${valueDim}`,
      prelude: `const VALUES = ${valueDim}u;\n${scaleOf(keyDim)}\n`,
      scratch: true,
    }),
  );
}

const rows = shader('delta_rule_grad', wgsl('delta_rule_rows'), { tag: 'rows', scratch: true });
const convolution = shader('conv_silu', wgsl('conv_silu'));
const convolutionDw = shader('conv_silu_dw', wgsl('conv_silu_dw'));
const byTaps = new Map<number, Shader>();

const convolutionGrad = (taps: number): Shader =>
  kept(byTaps, taps, () =>
    shader('conv_silu_grad', wgsl('conv_silu_grad'), { tag: `taps ${taps}`, prelude: `const TAPS = ${taps}u;\n` }),
  );

/** Operations over all rows and state elements, `each` per element. */
const stateWork = (p: KernelParams<Rule>, each: number) => p.rows * p.heads * p.keyDim * p.valueDim * each;

// Shaders are compiled at first use: few models have such layers.
const none = () => [];

export const DELTA_PROGRAMS: { readonly [K in Rule | 'conv_silu' | 'conv_silu_grad' | 'conv_silu_dw']: Program<K> } = {
  conv_silu: {
    plan: (p) => [invocations(convolution, p.count * p.cols)],
    shaders: none,
    cost: (p) => p.rows * p.cols * (2 * p.taps + 20),
  },
  conv_silu_grad: {
    plan: (p) => [invocations(convolutionGrad(p.taps), p.count * p.cols)],
    shaders: none,
    cost: (p) => p.rows * p.cols * (4 * p.taps + 30),
  },
  conv_silu_dw: {
    plan: (p) => [invocations(convolutionDw, p.cols * p.taps)],
    shaders: none,
    cost: (p) => p.rows * p.cols * p.taps * (2 * p.taps + 30),
  },
  delta_rule: {
    plan: (p) => [invocations(columns('delta_rule', p.keyDim), p.count * p.heads * p.valueDim)],
    shaders: none,
    cost: (p) => stateWork(p, 7),
  },
  delta_rule_grad: {
    plan: (p) => [
      invocations(columns('delta_rule_grad', p.keyDim), p.count * p.heads * p.valueDim),
      invocations(keys(p.keyDim, p.valueDim), p.count * p.keyHeads * p.keyDim),
      invocations(rows, p.rows * p.heads),
    ],
    shaders: none,
    cost: (p) => stateWork(p, 30),
    scratch: gradScratch,
  },
};
