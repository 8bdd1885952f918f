// out[outOff + j] = beta·out + Σ_c a[j,c] · b[j,c].

// One invocation per row.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let j = flat(id, groups);
  if (j >= params.r) { return; }
  var sum = 0.0;
  for (var c = 0u; c < params.cols; c++) { sum += a[j * params.cols + c] * b[j * params.cols + c]; }
  var old = 0.0;
  if (params.beta != 0u) { old = out[params.outOff + j]; }
  out[params.outOff + j] = old + sum;
}

// One workgroup per row, for long rows on a real GPU. Needs reduce/tree_*.wgsl.
@compute @workgroup_size(64)
fn wide(here: Place) {
  let lane = here.lid.x;
  let j = nth_group(here.wid, here.groups);
  var sum = 0.0;
  if (j < params.r) {
    for (var c = lane; c < params.cols; c += 64u) { sum += a[j * params.cols + c] * b[j * params.cols + c]; }
  }
  let total = tree_sum(here, sum);
  if (lane == 0u && j < params.r) {
    var old = 0.0;
    if (params.beta != 0u) { old = out[params.outOff + j]; }
    out[params.outOff + j] = old + total;
  }
}
