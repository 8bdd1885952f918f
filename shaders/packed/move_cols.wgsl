// dst[dstOff + row·dstStride + col] = src[srcOff + row·srcStride + col]; one invocation per element.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.cols) { return; }
  let row = i / params.cols;
  let col = i - row * params.cols;
  dst[params.dstOff + row * params.dstStride + col] = src[params.srcOff + row * params.srcStride + col];
}
