// A kernel on the WebGPU device: shaders (one compiled pipeline each) and a program that turns a call's parameters
// into dispatches. The declarations of bindings and parameters are generated from contract.ts, so a shader file
// contains the computation alone and cannot disagree with the contract.
import { type KernelName, type KernelParams, specOf } from '../contract.ts';

/** Invocations per workgroup of a flat kernel, unless its shader says otherwise (GROUP in WGSL). */
export const WORKGROUP = 64;
/** Workgroup size for few but expensive items: a software adapter computes a workgroup on one core. */
export const SMALL_WORKGROUP = 8;
/** WebGPU guarantees no more workgroups than this in one dimension; longer grids are folded into two. */
export const MAX_GROUPS = 65535;

/** Traits of a device by which programs choose. They are fixed for a device, so that its results are too. */
export interface Traits {
  /** Software adapters compile a barrier in seconds and have few cores: plain kernels suit them. */
  readonly software: boolean;
  /** Whether a software adapter's subgroups always have four invocations, which can then share what each of them has read. */
  readonly quads: boolean;
  /** Subgroup size that tree sums assume (tree.ts); 0: they use barriers. */
  readonly subgroup: number;
  /** Time of an operation of attention relative to one of a product. */
  readonly attention: number;
}

export interface Shader {
  readonly kernel: KernelName;
  /** Kernel, entry and specialisation, for messages. */
  readonly label: string;
  readonly entry: string;
  /** Complete WGSL. */
  readonly code: string;
  /** Whether a scratch buffer is bound after the kernel's own. */
  readonly scratch: boolean;
  /** Invocations per workgroup, if the kernel is flat. */
  readonly group: number;
}

export interface ShaderOptions {
  readonly entry?: string;
  /** Distinguishes specialisations in labels. */
  readonly tag?: string;
  /** WGSL before the bindings: constants and aliases. */
  readonly prelude?: string;
  /** Element types other than the contract's, by buffer name. */
  readonly types?: Readonly<Record<string, string>>;
  readonly scratch?: boolean;
  readonly group?: number;
}

export interface Dispatch {
  readonly shader: Shader;
  readonly x: number;
  readonly y: number;
  /** Whether x and y are columns and rows of tiles. Otherwise workgroups form one line, folded where it is too long. */
  readonly isPlane?: boolean;
  /** Whether each invocation strides over all elements, so that the dispatch cannot be split. */
  readonly isWhole?: boolean;
}

/** What the host knows of a call's buffer. */
export interface Known {
  /** The words that the host last wrote into a u32 buffer; null if the buffer may hold others. */
  readonly words: Uint32Array | null;
}

export interface Program<K extends KernelName> {
  /** Dispatches of one call, in order; x = 0 dispatches nothing. */
  plan(params: KernelParams<K>, traits: Traits): readonly Dispatch[];
  /** The shaders that calls are likely to need, to compile ahead. */
  shaders(traits: Traits, headDims: readonly number[]): readonly Shader[];
  /** Elements of f32 scratch for a call; the shaders say whether they bind it. */
  scratch?(params: KernelParams<K>): number;
  /** Rough floating-point operations of a call, to bound a submit; 0 by default. */
  cost?(params: KernelParams<K>, buffers: readonly Known[], traits: Traits): number;
  /** Cumulative cost of the first g workgroups, for every g from 0 to all of them; defined where workgroups differ in
   *  cost. */
  costsTo?(params: KernelParams<K>, buffers: readonly Known[], traits: Traits): Float64Array;
}

const HELPERS = `
const LOWEST = -0x1.fffffep+127f;

// The index of an invocation in a grid that may be folded into two dimensions, and is one part of the call's (split.ts).
fn flat(id: vec3u, groups: vec3u) -> u32 {
  return id.y * (groups.x * GROUP) + id.x + params.firstX * GROUP;
}
// The same of a workgroup.
fn nth_group(wid: vec3u, groups: vec3u) -> u32 {
  return wid.y * groups.x + wid.x + params.firstX;
}
`;

/** Struct of parameters and bindings of a kernel; types as in the contract unless overridden. */
function header(kernel: KernelName, types: Readonly<Record<string, string>> = {}, scratch = false): string {
  const spec = specOf(kernel);
  const fields = Object.entries(spec.params).map(([name, type]) => `  ${name}: ${type === 'f32' ? 'f32' : 'u32'},`);
  const { buffers } = spec;
  const bindings = buffers.map((buffer, i) => {
    const access = buffer.access === 'r' ? 'read' : 'read_write';
    const type = types[buffer.name] ?? buffer.dtype;
    return `@group(0) @binding(${i + 1}) var<storage, ${access}> ${buffer.name}: array<${type}>;`;
  });
  if (scratch) {
    bindings.push(`@group(0) @binding(${buffers.length + 1}) var<storage, read_write> scratch: array<f32>;`);
  }
  return [
    'struct Params {',
    ...fields,
    // The first workgroup of a part of a call.
    '  firstX: u32,',
    '  firstY: u32,',
    '  zero: u32,', // always 0 (batch.ts), which no compiler knows (math/exp_log.wgsl)
    '}',
    '@group(0) @binding(0) var<uniform> params: Params;',
    ...bindings,
    HELPERS,
  ].join('\n');
}

export function shader(kernel: KernelName, body: string, options: ShaderOptions = {}): Shader {
  const { entry = 'main', tag, prelude = '', types, scratch = false, group = WORKGROUP } = options;
  return {
    kernel,
    label: [kernel, entry, tag].filter((part) => part !== undefined && part !== 'main').join(' '),
    entry,
    code: `${prelude}\nconst GROUP = ${group}u;\n${header(kernel, types, scratch)}\n${body}`,
    scratch,
    group,
  };
}

/** A grid of `groups` workgroups, folded into two dimensions where one is too short. */
export function grid(of: Shader, groups: number): Dispatch {
  if (groups <= MAX_GROUPS) return { shader: of, x: groups, y: 1 };
  const y = Math.ceil(groups / MAX_GROUPS);
  return { shader: of, x: Math.ceil(groups / y), y };
}

/** A grid of at least `items` invocations, in flat workgroups. */
export function invocations(of: Shader, items: number): Dispatch {
  return grid(of, Math.ceil(items / of.group));
}
