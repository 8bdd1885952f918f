//! with exp_log runs
// Computes the gated delta rule; one invocation per column of a head's state keeps that column from a run's first row to its last. Needs LANES,
// the lanes of a key, and SCALE.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let item = flat(id, groups); // (run · heads + head) · valueDim + column
  let width = params.heads * params.valueDim;
  if (item >= params.count * width) { return; }
  let run = run_at(item / width);
  let column = item % width; // among the columns of all heads
  let head = column / params.valueDim;
  let keyHead = head * params.keyHeads / params.heads;
  let share = params.keyHeads * LANES;

  var state: array<Lane, LANES>;
  for (var d = 0u; d < LANES; d++) {
    state[d] = Lane();
    if (run.before != NONE) { state[d] = load_lane(run.before, head, column, d); }
  }
  for (var row = run.start; row < run.end; row++) {
    let query = (row * 2u * params.keyHeads + keyHead) * LANES;
    let key = query + share;
    let gate = 2u * (row * params.heads + head);
    let keeps = exp1(gates[gate]);
    var found = Lane();
    for (var d = 0u; d < LANES; d++) {
      state[d] *= keeps;
      found += state[d] * qk[key + d];
    }
    let at = row * width + column;
    let u = gates[gate + 1u] * (v[at] - lane_sum(found));
    var read = Lane();
    for (var d = 0u; d < LANES; d++) {
      state[d] += qk[key + d] * u;
      read += state[d] * qk[query + d];
    }
    o[at] = SCALE * lane_sum(read);
  }
  for (var d = 0u; d < LANES; d++) { store_lane(run.after, head, column, d, state[d]); }
}
