//! with exp_log
// kl[rowOff + i] = KL(student ‖ teacher) of row i over the vocabulary, from logits and either's log-sum-exp.
// The sum is Σ (p·r − p + q) with r = log p − log q: its terms are ≥ 0 and insensitive to the rounding of the log-sum-exps (src/kernels/contract/).

fn term(i: u32, lse: f32, teacherLse: f32) -> f32 {
  let a = rounded(logits[i] - lse);
  let b = rounded(teacher[i] - teacherLse);
  let p = exp1(a);
  // 0 · -∞ would be NaN: a token that the student never gives contributes only the teacher's mass.
  return select(0.0, rounded(rounded(p * rounded(a - b)) - p), p > 0.0) + exp1(b);
}

// One invocation per row, for small vocabularies.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let row = flat(id, groups);
  if (row >= params.rows) { return; }
  let base = row * params.vocab;
  let at = params.rowOff + row;
  let lse = stats[at * 3u + 1u];
  let teacherLse = teacherStats[at * 3u + 1u];
  var sum = 0.0;
  for (var t = 0u; t < params.vocab; t++) { sum += term(base + t, lse, teacherLse); }
  kl[at] = max(0.0, sum);
}

// One workgroup per row. Needs reduce/tree_*.wgsl.
@compute @workgroup_size(256)
fn wide(here: Place) {
  let lane = here.lid.x;
  let row = nth_group(here.wid, here.groups);
  let base = row * params.vocab;
  let at = params.rowOff + row;
  let count = select(0u, params.vocab, row < params.rows);
  let lse = stats[at * 3u + 1u];
  let teacherLse = teacherStats[at * 3u + 1u];
  var sum = 0.0;
  for (var t = lane; t < count; t += 256u) { sum += term(base + t, lse, teacherLse); }
  let total = tree_sum(here, sum);
  if (lane == 0u && row < params.rows) { kl[at] = max(0.0, total); }
}
