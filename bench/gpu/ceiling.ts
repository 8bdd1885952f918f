// Measures an adapter's ceiling: fused multiply-adds in registers, in f32, and in f16 if it has `shader-f16`. A product's figure is compared with
// it. It uses its own device, since the lab's does not request f16.
const CHAINS = 8;
const GROUPS = 1024;
const WIDTH = 64;
/** Minimum milliseconds of a measurement: long enough for the clock, short enough for a driver that resets after
 *  seconds. */
const LEAST_MS = 40;
const MOST_ROUNDS = 2 ** 16;
const STORAGE = 0x80;

const each = (text: (i: number) => string) => Array.from({ length: CHAINS }, (_, i) => text(i)).join('\n');

const source = (type: 'f32' | 'f16') => `${type === 'f16' ? 'enable f16;' : ''}
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(${WIDTH}) fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = vec4<${type}>(${type}(out[0]));
  let y = vec4<${type}>(${type}(out[1]));
  let rounds = u32(out[2]);
${each((i) => `  var c${i} = vec4<${type}>(${type}(f32(id.x % 7u) + ${i}.0));`)}
  for (var i = 0u; i < rounds; i++) {
${each((i) => `    c${i} = fma(c${i}, x, y);`)}
  }
  let sum = ${Array.from({ length: CHAINS }, (_, i) => `c${i}`).join(' + ')};
  out[3u + id.x % 64u] = f32(sum.x + sum.y + sum.z + sum.w);
}`;

/** GFLOP/s; `f16` is null if the adapter lacks it. */
export async function gpuCeiling(gpu: GPU, isTiny: boolean): Promise<{ f32: number; f16: number | null }> {
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('no adapter');
  const hasHalves = adapter.features.has('shader-f16');
  const device = await adapter.requestDevice({ requiredFeatures: hasHalves ? ['shader-f16'] : [] });
  try {
    return {
      f32: await measured(device, 'f32', isTiny),
      f16: hasHalves ? await measured(device, 'f16', isTiny) : null,
    };
  } finally {
    device.destroy();
  }
}

async function measured(device: GPUDevice, type: 'f32' | 'f16', isTiny: boolean): Promise<number> {
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code: source(type) }), entryPoint: 'main' },
  });
  const out = device.createBuffer({ size: 1024, usage: STORAGE | 0x08 });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: out } }],
  });
  const groups = isTiny ? 4 : GROUPS;
  const go = async (rounds: number): Promise<number> => {
    // c → c / 2 + 1 stays finite in f16 too.
    device.queue.writeBuffer(out, 0, Float32Array.of(0.5, 1, rounds));
    await device.queue.onSubmittedWorkDone();
    const begun = performance.now();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(groups);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - begun;
  };
  let rounds = 64;
  let ms = await go(rounds);
  for (ms = await go(rounds); ms < LEAST_MS && rounds < MOST_ROUNDS; ms = await go(rounds)) rounds *= 2;
  for (let i = 0; i < 4; i++) ms = Math.min(ms, await go(rounds));
  out.destroy();
  return (rounds * CHAINS * 4 * 2 * WIDTH * groups) / ms / 1e6;
}
