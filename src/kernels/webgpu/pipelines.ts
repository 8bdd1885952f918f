// Compiled pipelines and bind groups of one device, each made once. A bind group is found by its buffers' ids, and
// dropped when one of them is freed.
import { kept } from '../../lib/kept.ts';
import type { BufferSpec } from '../contract/kernel.ts';
import { type KernelName, specOf } from '../contract.ts';
import { STAGE_COMPUTE, USAGE } from './adapter.ts';
import type { WebGpuBuffer } from './buffer.ts';
import type { Shader } from './shader.ts';

/** Room for any kernel's parameters in a slot of the parameter buffer. */
const PARAM_BYTES = 64;

export class Pipelines {
  private readonly pipelines = new Map<Shader, GPUComputePipeline>();
  private readonly layouts = new Map<string, GPUBindGroupLayout>();
  private readonly groups = new Map<string, GPUBindGroup>();
  private scratch: GPUBuffer | undefined;

  constructor(
    private readonly device: GPUDevice,
    /** The uniform buffer whose slots hold the calls' parameters. */
    private readonly uniform: GPUBuffer,
  ) {}

  get(shader: Shader): GPUComputePipeline {
    return kept(this.pipelines, shader, () => this.device.createComputePipeline(this.descriptor(shader)));
  }

  /** Compiles the missing shaders in parallel and reports progress. */
  async prepare(shaders: readonly Shader[], onProgress?: (done: number, total: number) => void): Promise<void> {
    const missing = [...new Set(shaders)].filter((shader) => !this.pipelines.has(shader));
    let done = 0;
    await Promise.all(
      missing.map(async (shader) => {
        const pipeline = await this.device.createComputePipelineAsync(this.descriptor(shader));
        if (!this.pipelines.has(shader)) this.pipelines.set(shader, pipeline);
        onProgress?.(++done, missing.length);
      }),
    );
  }

  /** `scratch`: f32 elements to bind after the buffers; 0 for none. The caller has checked the buffers against the
   *  contract (check.ts). */
  group(kernel: KernelName, buffers: readonly WebGpuBuffer[], scratch: number): GPUBindGroup {
    let key: string = kernel;
    for (let i = 0; i < buffers.length; i++) key += `,${buffers[i].id}`;
    if (scratch > 0) key += `;${this.scratchOf(scratch * 4).label}`;
    return kept(this.groups, key, () => {
      const bound = buffers.map((buffer) => buffer.gpu);
      if (scratch > 0) bound.push(this.scratchOf(scratch * 4));
      for (const buffer of buffers) buffer.groups.push(key);
      return this.device.createBindGroup({
        layout: this.layout(kernel, scratch > 0),
        entries: [
          { binding: 0, resource: { buffer: this.uniform, size: PARAM_BYTES } },
          ...bound.map((buffer, i) => ({ binding: i + 1, resource: { buffer } })),
        ],
      });
    });
  }

  forget(buffer: WebGpuBuffer): void {
    for (const key of buffer.groups) this.groups.delete(key);
  }

  /** All kernels share one scratch buffer: a call's dispatches run in order, and no call reads what another one left. */
  private scratchOf(bytes: number): GPUBuffer {
    if (!this.scratch || this.scratch.size < bytes) {
      this.scratch = this.device.createBuffer({ size: bytes, usage: USAGE.storage, label: `scratch ${bytes}` });
    }
    return this.scratch;
  }

  private descriptor(shader: Shader): GPUComputePipelineDescriptor {
    const layout = this.layout(shader.kernel, shader.scratch);
    return {
      label: shader.label,
      layout: this.device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: {
        module: this.device.createShaderModule({ code: shader.code, label: shader.label }),
        entryPoint: shader.entry,
      },
    };
  }

  /** Explicit, because automatic layouts have no dynamic offsets and are not shared between pipelines. */
  private layout(kernel: KernelName, scratch: boolean): GPUBindGroupLayout {
    const specs: readonly BufferSpec[] = specOf(kernel).buffers;
    const types = specs.map((spec): GPUBufferBindingType => (spec.access === 'r' ? 'read-only-storage' : 'storage'));
    if (scratch) types.push('storage');
    const visibility = STAGE_COMPUTE;
    return kept(this.layouts, types.join(), () =>
      this.device.createBindGroupLayout({
        entries: [
          { binding: 0, visibility, buffer: { type: 'uniform', hasDynamicOffset: true, minBindingSize: PARAM_BYTES } },
          ...types.map((type, i) => ({ binding: i + 1, visibility, buffer: { type } })),
        ],
      }),
    );
  }
}
