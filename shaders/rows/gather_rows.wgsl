// dst[i,:] = src[index[i],:]; one invocation per element.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.dim) { return; }
  let row = i / params.dim;
  dst[i] = src[index[row] * params.dim + (i - row * params.dim)];
}
