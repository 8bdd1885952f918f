// out[outOff + j] = beta·out + Σ_i p[rowOff+i, j] · q[rowOff+i, j]; one invocation per adapter parameter.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let j = flat(id, groups);
  if (j >= params.r) { return; }
  var sum = 0.0;
  for (var i = 0u; i < params.rows; i++) {
    let at = (params.rowOff + i) * params.r + j;
    sum += p[at] * q[at];
  }
  var old = 0.0;
  if (params.beta != 0u) { old = out[params.outOff + j]; }
  out[params.outOff + j] = old + sum;
}

// The form for a real GPU has 16 parameters per workgroup, each in 16 slices of the rows, which are added in ascending order.
var<workgroup> partial: array<f32, 256>;
@compute @workgroup_size(16, 16)
fn wide(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u,
        @builtin(num_workgroups) groups: vec3u) {
  let j = nth_group(wid, groups) * 16u + lid.x;
  var sum = 0.0;
  if (j < params.r) {
    for (var i = lid.y; i < params.rows; i += 16u) {
      let at = (params.rowOff + i) * params.r + j;
      sum += p[at] * q[at];
    }
  }
  partial[lid.y * 16u + lid.x] = sum;
  workgroupBarrier();
  if (lid.y == 0u && j < params.r) {
    var total = 0.0;
    for (var s = 0u; s < 16u; s++) { total += partial[s * 16u + lid.x]; }
    var old = 0.0;
    if (params.beta != 0u) { old = out[params.outOff + j]; }
    out[params.outOff + j] = old + total;
  }
}
