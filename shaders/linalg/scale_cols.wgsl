// x [rows, cols], from xOff on, *= s[sOff + col]; one invocation per element.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.cols) { return; }
  x[params.xOff + i] = x[params.xOff + i] * s[params.sOff + i % params.cols];
}
