// dst[index[i] + shift,:] = or += src[i,:]; one invocation per element. Indices are distinct, so no two write one place.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.dim) { return; }
  let row = i / params.dim;
  let to = (index[row] + params.shift) * params.dim + (i - row * params.dim);
  if (params.add != 0u) {
    dst[to] = dst[to] + src[i];
  } else {
    dst[to] = src[i];
  }
}
