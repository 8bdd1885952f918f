//! with runs
// The last dispatch of the delta rule's gradient: dv = β du in place of dO, dβ = ⟨du, e⟩, and dg, the sum of the columns' shares. One invocation
// per (row, head); rows of other runs are not changed.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let item = flat(id, groups); // row · heads + head
  if (item >= params.rows * params.heads) { return; }
  let row = item / params.heads;
  var isIn = false;
  for (var index = 0u; index < params.count; index++) {
    let run = run_at(index);
    isIn = isIn || (row >= run.start && row < run.end);
  }
  if (!isIn) { return; }
  let all = params.rows * params.heads * params.valueDim;
  let beta = gates[2u * item + 1u];
  var dBeta = 0.0;
  var dG = 0.0;
  for (var j = 0u; j < params.valueDim; j++) {
    let at = item * params.valueDim + j;
    let du = scratch[all + at];
    dBeta += du * scratch[at];
    dG += scratch[2u * all + at];
    dOV[at] = beta * du;
  }
  gates[2u * item] = dG;
  gates[2u * item + 1u] = dBeta;
}
