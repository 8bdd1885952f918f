//! with exp_log runs
// The first of three dispatches of the delta rule's gradient, with an invocation per column of a head's state. Forward it computes Ŝᵀk, from which
// the rule's error is e = v − Ŝᵀk. Backward it carries the column of dS through the rows, which needs no state, and stores e and du = dSᵀk. The
// gradient of a row's decay, Σ dŜ ∘ Ŝ, needs both: it is the sum Σ dS ∘ S of the next row, minus ⟨dSᵀk, u⟩ with that row's dS, plus ⟨dO, Ŝᵀq⟩ −
// β⟨du, Ŝᵀk⟩. The last two terms vanish with Ŝ where a head forgets, so that no large numbers cancel; if it forgets everything, the first two are
// equal. But rounding errors of S and dS would stay in such a sum for all earlier rows, so S is kept at every EVERY-th row, where the sum is computed
// anew as Σ dS ∘ S. Scratch holds e, du and a column's share of that sum, [rows, heads, valueDim] each, then the kept states. Needs LANES, the lanes
// of a key, EVERY, and SCALE.

// A state that is scaled below this is smaller than the rounding of what is added to it.
const FORGOTTEN = 5.9604645e-8;

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
  let all = params.rows * width;

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
    if (row % EVERY == 0u && row > run.start) {
      for (var d = 0u; d < LANES; d++) { store_kept(row / EVERY, head, column, d, state[d]); }
    }
    for (var d = 0u; d < LANES; d++) {
      state[d] *= keeps;
      found += state[d] * qk[key + d];
    }
    let at = row * width + column;
    let known = lane_sum(found);
    let u = gates[gate + 1u] * (v[at] - known);
    var read = Lane();
    for (var d = 0u; d < LANES; d++) {
      read += state[d] * qk[query + d];
      state[d] += qk[key + d] * u;
    }
    scratch[at] = known;
    scratch[2u * all + at] = SCALE * lane_sum(read) * dOV[at];
  }

  // `state` holds the column of dS from here on.
  var both = Lane();
  for (var d = 0u; d < LANES; d++) {
    var sum = Lane();
    for (var child = 1u; child <= run.children; child++) { sum += load_lane(run.after + child, head, column, d); }
    both += sum * state[d];
    state[d] = sum;
  }
  var shared_sum = lane_sum(both);
  for (var row = run.end; row > run.start;) {
    row--;
    let query = (row * 2u * params.keyHeads + keyHead) * LANES;
    let key = query + share;
    let gate = 2u * (row * params.heads + head);
    let at = row * width + column;
    let slope = SCALE * dOV[at];
    var later = Lane();
    var back = Lane();
    for (var d = 0u; d < LANES; d++) {
      later += state[d] * qk[key + d];
      state[d] += qk[query + d] * slope;
      back += state[d] * qk[key + d];
    }
    let du = lane_sum(back);
    let known = scratch[at];
    let e = v[at] - known;
    let lost = gates[gate + 1u] * du;
    let keeps = exp1(gates[gate]);
    for (var d = 0u; d < LANES; d++) { state[d] = keeps * (state[d] - qk[key + d] * lost); }
    let kept = shared_sum - lane_sum(later) * (gates[gate + 1u] * e);
    shared_sum = select(kept, 0.0, keeps < FORGOTTEN) + (scratch[2u * all + at] - lost * known);
    if (row % EVERY == 0u && row > run.start) {
      both = Lane();
      for (var d = 0u; d < LANES; d++) { both += state[d] * load_kept(row / EVERY, head, column, d); }
      shared_sum = lane_sum(both);
    }
    scratch[at] = e;
    scratch[all + at] = du;
    scratch[2u * all + at] = shared_sum;
  }
  for (var d = 0u; d < LANES; d++) { store_lane(run.after, head, column, d, state[d]); }
}
