//! with exp_log
// In place: logits[i,v] ← coef[rowOff+i] · (1[v = target] − softmax_v); one invocation per element.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.vocab) { return; }
  let row = i / params.vocab;
  let at = params.rowOff + row;
  let p = exp1(logits[i] - stats[at * 3u + 1u]);
  logits[i] = select(-coef[at] * p, coef[at] * rounded(1.0 - p), targets[at] == i - row * params.vocab);
}
