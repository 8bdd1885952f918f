// x[xOff..+n] += y[yOff..+n].
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.n) { return; }
  x[params.xOff + i] = x[params.xOff + i] + y[params.yOff + i];
}
