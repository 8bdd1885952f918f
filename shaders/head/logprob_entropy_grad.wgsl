//! with exp_log
// In place: logits[i,v] ← coef[rowOff+i] · (1[v = target] − p_v) − slope[rowOff+i] · p_v (log p_v + H); one invocation per element.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.vocab) { return; }
  let row = i / params.vocab;
  let at = params.rowOff + row;
  let logp = rounded(logits[i] - stats[at * 3u + 1u]);
  let p = exp1(logp);
  let own = select(rounded(-coef[at] * p), rounded(coef[at] * rounded(1.0 - p)), targets[at] == i - row * params.vocab);
  let pull = rounded(rounded(slope[at] * p) * rounded(logp + stats[at * 3u + 2u]));
  logits[i] = select(own, own - pull, p > 0.0);
}
