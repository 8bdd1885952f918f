//! with exp_log
// out = x · σ(gate).
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.n) { return; }
  out[i] = x[i] * rounded(1.0 / (1.0 + exp1(-gate[i])));
}
