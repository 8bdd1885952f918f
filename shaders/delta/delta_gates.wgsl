//! with exp_log
// g = −exp(aLog) · log(1 + e^(a + dtBias)), β = σ(b).
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.heads) { return; }
  let head = i % params.heads;
  let x = rounded(a[i] + dtBias[head]);
  let e = exp1(-abs(x));
  // This gives log(1 + e) in single precision however small e is: the logarithm of the rounded sum, corrected for its rounding.
  let sum = rounded(1.0 + e);
  let less = rounded(sum - 1.0);
  var log = e;
  if (less > 0.0) { log = rounded(log1(sum) * e) / less; }
  gates[2u * i] = -exp1(aLog[head]) * rounded(max(x, 0.0) + rounded(log));
  gates[2u * i + 1u] = 1.0 / (1.0 + exp1(-b[i]));
}
