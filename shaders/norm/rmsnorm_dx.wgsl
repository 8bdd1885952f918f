// dx = beta·dx + rstd · (w·dy − x · rstd² · mean(w·dy·x)).

// One invocation per row.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let row = flat(id, groups);
  if (row >= params.rows) { return; }
  let base = row * params.dim;
  let r = rstd[row];
  var sum = 0.0;
  for (var d = 0u; d < params.dim; d++) { sum += w[d] * dy[base + d] * x[base + d]; }
  let back = r * r * (sum / f32(params.dim));
  for (var d = 0u; d < params.dim; d++) {
    let i = base + d;
    var old = 0.0;
    if (params.beta != 0u) { old = dx[i]; }
    dx[i] = old + r * (w[d] * dy[i] - x[i] * back);
  }
}

// One workgroup per row, for long rows on a real GPU. Needs reduce/tree_*.wgsl.
@compute @workgroup_size(64)
fn wide(here: Place) {
  let lane = here.lid.x;
  let row = nth_group(here.wid, here.groups);
  let base = row * params.dim;
  var sum = 0.0;
  if (row < params.rows) {
    for (var d = lane; d < params.dim; d += 64u) { sum += w[d] * dy[base + d] * x[base + d]; }
  }
  let total = tree_sum(here, sum);
  if (row >= params.rows) { return; }
  let r = rstd[row];
  let back = r * r * (total / f32(params.dim));
  for (var d = lane; d < params.dim; d += 64u) {
    let i = base + d;
    var old = 0.0;
    if (params.beta != 0u) { old = dx[i]; }
    dx[i] = old + r * (w[d] * dy[i] - x[i] * back);
  }
}
