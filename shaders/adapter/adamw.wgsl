// AdamW with decoupled decay; one invocation per element.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.n) { return; }
  let grad = params.gScale * g[i];
  let first = params.beta1 * m[i] + (1.0 - params.beta1) * grad;
  let second = params.beta2 * v[i] + (1.0 - params.beta2) * grad * grad;
  m[i] = first;
  v[i] = second;
  p[i] = p[i] - params.lr * (first * params.bc1 / (sqrt(second * params.bc2) + params.eps) + params.wd * p[i]);
}
