// dst [rows, cols] = s[sOff + row] · src; one invocation per element.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.cols) { return; }
  dst[i] = s[params.sOff + i / params.cols] * src[i];
}
