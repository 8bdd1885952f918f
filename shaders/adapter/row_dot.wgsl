// out[outOff + j] = beta·out + Σ_c a[j,c] · b[j,c].

// One invocation a row.
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

// One workgroup a row, for long rows on a real GPU.
var<workgroup> partial: array<f32, 64>;
@compute @workgroup_size(64)
fn wide(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u,
        @builtin(num_workgroups) groups: vec3u) {
  let j = wid.y * groups.x + wid.x;
  var sum = 0.0;
  if (j < params.r) {
    for (var c = lid.x; c < params.cols; c += 64u) { sum += a[j * params.cols + c] * b[j * params.cols + c]; }
  }
  partial[lid.x] = sum;
  for (var half = 32u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lid.x < half) { partial[lid.x] += partial[lid.x + half]; }
  }
  if (lid.x == 0u && j < params.r) {
    var old = 0.0;
    if (params.beta != 0u) { old = out[params.outOff + j]; }
    out[params.outOff + j] = old + partial[0];
  }
}
