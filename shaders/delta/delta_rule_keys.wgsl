//! with exp_log runs
// The second dispatch of the delta rule's gradient: dq and dk of a run, with an invocation per row of a key head's states. With e and du known, a
// row of S can be computed forward and a row of dS backward independently of other rows. `after` is already written and is not read. Needs VALUES,
// the columns of a head, and SCALE.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let item = flat(id, groups); // (run · keyHeads + keyHead) · keyDim + d
  let keys = params.keyHeads * params.keyDim;
  if (item >= params.count * keys) { return; }
  let run = run_at(item / keys);
  let key = item % keys; // among the rows of all key heads
  let keyHead = key / params.keyDim;
  let d = key % params.keyDim;
  let share = params.heads / params.keyHeads;
  let width = params.heads * VALUES;
  let all = params.rows * width;

  for (var member = 0u; member < share; member++) {
    let head = keyHead * share + member;
    let column = head * VALUES;
    var state: array<f32, VALUES>;
    for (var j = 0u; j < VALUES; j++) {
      state[j] = 0.0;
      if (run.before != NONE) { state[j] = states[state_at(run.before, head, d) + j]; }
    }
    // This adds dq = S do, and the part −Ŝ dv of dk.
    for (var row = run.start; row < run.end; row++) {
      let at = row * width + column;
      let gate = 2u * (row * params.heads + head);
      let keeps = exp1(gates[gate]);
      let beta = gates[gate + 1u];
      let k = qk[row * 2u * keys + keys + key];
      var query = 0.0;
      var lost = 0.0;
      for (var j = 0u; j < VALUES; j++) {
        let decayed = keeps * state[j];
        lost += decayed * scratch[all + at + j];
        state[j] = decayed + k * (beta * scratch[at + j]);
        query += state[j] * dOV[at + j];
      }
      add_keys(row, key, keys, member, SCALE * query, -(beta * lost));
    }
    // Backward, dk += dS u.
    for (var j = 0u; j < VALUES; j++) {
      state[j] = 0.0;
      for (var child = 1u; child <= run.children; child++) {
        state[j] += states[state_at(run.after + child, head, d) + j];
      }
    }
    for (var row = run.end; row > run.start;) {
      row--;
      let at = row * width + column;
      let gate = 2u * (row * params.heads + head);
      let keeps = exp1(gates[gate]);
      let beta = gates[gate + 1u];
      let q = SCALE * qk[row * 2u * keys + key];
      let k = qk[row * 2u * keys + keys + key];
      var sum = 0.0;
      for (var j = 0u; j < VALUES; j++) {
        let own = state[j] + q * dOV[at + j];
        sum += own * (beta * scratch[at + j]);
        state[j] = keeps * (own - k * (beta * scratch[all + at + j]));
      }
      dQk[row * 2u * keys + keys + key] += sum;
    }
  }
}

fn state_at(slot: u32, head: u32, d: u32) -> u32 {
  return ((slot * params.heads + head) * params.keyDim + d) * VALUES;
}

// The first value head of a key head overwrites, the others add.
fn add_keys(row: u32, key: u32, keys: u32, member: u32, query: f32, lost: f32) {
  let at = row * 2u * keys + key;
  if (member == 0u) {
    dQk[at] = query;
    dQk[at + keys] = lost;
  } else {
    dQk[at] += query;
    dQk[at + keys] += lost;
  }
}
