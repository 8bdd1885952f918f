//! with exp_log
// stats[row, head, 1] = Σ_d dO · O; one invocation per (row, head).
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let item = flat(id, groups);
  if (item >= params.rows * params.heads) { return; }
  var products = Lane();
  for (var d = 0u; d < LANES; d++) { products += product(dO[item * LANES + d], o[item * LANES + d]); }
  stats[item * 2u + 1u] = lane_sum(products);
}
