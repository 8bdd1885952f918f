//! with exp_log
// dX = dOut · σ(gate); dGate = dOut · x · σ(gate) · (1 − σ(gate)).
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.n) { return; }
  let sigma = rounded(1.0 / (1.0 + exp1(-gate[i])));
  let d = rounded(dOut[i] * sigma);
  dX[i] = d;
  dGate[i] = rounded(d * x[i]) * rounded(1.0 - sigma);
}
