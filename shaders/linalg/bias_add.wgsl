// x [rows, cols] += bias [cols]; one invocation per element.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.cols) { return; }
  x[i] = x[i] + bias[i % params.cols];
}
