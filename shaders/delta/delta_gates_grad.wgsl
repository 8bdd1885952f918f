//! with exp_log
// dA = −dG · exp(aLog) · σ(a + dtBias), dB = dβ · β · (1 − β).
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.heads) { return; }
  let head = i % params.heads;
  let opened = rounded(1.0 / (1.0 + exp1(-rounded(a[i] + dtBias[head]))));
  dA[i] = -dGates[2u * i] * rounded(exp1(aLog[head]) * opened);
  let beta = rounded(1.0 / (1.0 + exp1(-b[i])));
  dB[i] = dGates[2u * i + 1u] * beta * (1.0 - beta);
}
