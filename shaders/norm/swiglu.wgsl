//! with exp_log
// out = silu(gate) · up.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.n) { return; }
  let g = gate[i];
  out[i] = rounded(g * rounded(1.0 / (1.0 + exp1(-g)))) * up[params.upOff + i];
}
