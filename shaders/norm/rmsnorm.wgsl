// y = x · rstd · w, rstd[row] = 1/sqrt(mean(x²) + eps).

// One invocation per row.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let row = flat(id, groups);
  if (row >= params.rows) { return; }
  let base = row * params.dim;
  var sum = 0.0;
  for (var d = 0u; d < params.dim; d++) {
    let value = x[base + d];
    sum += value * value;
  }
  let r = 1.0 / sqrt(sum / f32(params.dim) + params.eps);
  rstd[row] = r;
  for (var d = 0u; d < params.dim; d++) { y[base + d] = x[base + d] * r * w[d]; }
}

// One workgroup per row, for long rows on a real GPU. Needs reduce/tree_*.wgsl.
@compute @workgroup_size(64)
fn wide(here: Place) {
  let lane = here.lid.x;
  let row = nth_group(here.wid, here.groups);
  let base = row * params.dim;
  var sum = 0.0;
  if (row < params.rows) {
    for (var d = lane; d < params.dim; d += 64u) {
      let value = x[base + d];
      sum += value * value;
    }
  }
  let total = tree_sum(here, sum);
  if (row >= params.rows) { return; }
  let r = 1.0 / sqrt(total / f32(params.dim) + params.eps);
  if (lane == 0u) { rstd[row] = r; }
  for (var d = lane; d < params.dim; d += 64u) { y[base + d] = x[base + d] * r * w[d]; }
}
