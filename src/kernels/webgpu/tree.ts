// Kernels whose workgroups sum in a tree (tree_sum): the same pairs are added through barriers, or through subgroups where the adapter has them.
// The bits are the same by construction, whatever the subgroup size; which is faster is measured (tune-subgroups.ts).
import treeBarriers from '../../../shaders/reduce/tree_barriers.wgsl?raw';
import treeSubgroups from '../../../shaders/reduce/tree_subgroups.wgsl?raw';
import type { KernelName } from '../contract.ts';
import { type Shader, type ShaderOptions, shader } from './shader.ts';

export interface Tree {
  /** Invocations of a workgroup. */
  readonly width: number;
  /** WGSL's type of a term. */
  readonly sum: 'f32' | 'vec2f' | 'vec3f';
}

/** Subgroup sizes that a tree can assume: powers of two from `least` to `most`, none larger than a workgroup. */
export function treeSizes(least = 0, most = 0): number[] {
  return [2, 4, 8, 16, 32, 64].filter((size) => size >= least && size <= most);
}

/** A shader whose body calls tree_sum; `subgroup`: the size that is expected, or 0 for barriers. */
export function treeShader(
  kernel: KernelName,
  body: string,
  tree: Tree,
  subgroup = 0,
  options: ShaderOptions = {},
): Shader {
  const { prelude = '' } = options;
  const constants = `${prelude}\nconst WIDTH = ${tree.width}u;\nalias Sum = ${tree.sum};`;
  if (subgroup === 0) return shader(kernel, `${treeBarriers}\n${body}`, { ...options, prelude: constants });
  return shader(kernel, `${treeSubgroups}\n${body}`, {
    ...options,
    tag: `subgroups of ${subgroup}`,
    prelude: `enable subgroups;\n${constants}\nconst SIZE = ${subgroup}u;`,
  });
}
