// dUp = dOut · silu(g); dGate = dOut · up · σ(g) · (1 + g · (1 − σ(g))).
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.n) { return; }
  let g = gate[i];
  let d = dOut[i];
  let sigma = 1.0 / (1.0 + exp(min(-g, 88.0)));
  dUp[i] = d * g * sigma;
  dGate[i] = d * up[i] * sigma * (1.0 + g * (1.0 - sigma));
}
