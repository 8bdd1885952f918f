//! with exp_log
// In place: logits[i,v] ← coef[rowOff+i] · p_v (r_v − kl[rowOff+i]); one invocation per element.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.vocab) { return; }
  let at = params.rowOff + i / params.vocab;
  let a = rounded(logits[i] - stats[at * 3u + 1u]);
  let p = exp1(a);
  let gap = rounded(a - rounded(teacher[i] - teacherStats[at * 3u + 1u])) - kl[at];
  logits[i] = select(0.0, rounded(coef[at] * p) * gap, p > 0.0);
}
