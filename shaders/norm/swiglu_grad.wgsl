//! with exp_log
// dUp = dOut · silu(g); dGate = dOut · up · σ(g) · (1 + g · (1 − σ(g))).
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.n) { return; }
  let g = gate[i];
  let d = dOut[i];
  let sigma = rounded(1.0 / (1.0 + exp1(-g)));
  dUp[i] = rounded(d * g) * sigma;
  let slope = rounded(sigma * rounded(1.0 + rounded(g * rounded(1.0 - sigma))));
  dGate[i] = rounded(d * up[i]) * slope;
}
