// dw [dim] = beta·dw + Σ_rows dy · x · rstd.

// One invocation per column.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let d = flat(id, groups);
  if (d >= params.dim) { return; }
  var sum = 0.0;
  for (var row = 0u; row < params.rows; row++) {
    let i = row * params.dim + d;
    sum += dy[i] * x[i] * rstd[row];
  }
  var old = 0.0;
  if (params.beta != 0u) { old = dw[d]; }
  dw[d] = old + sum;
}

// A workgroup computes 16 columns, each in 16 slices of the rows, which are added in ascending order.
var<workgroup> partial: array<f32, 256>;
@compute @workgroup_size(16, 16)
fn wide(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u,
        @builtin(num_workgroups) groups: vec3u) {
  let d = nth_group(wid, groups) * 16u + lid.x;
  var sum = 0.0;
  if (d < params.dim) {
    for (var row = lid.y; row < params.rows; row += 16u) {
      let i = row * params.dim + d;
      sum += dy[i] * x[i] * rstd[row];
    }
  }
  partial[lid.y * 16u + lid.x] = sum;
  workgroupBarrier();
  if (lid.y == 0u && d < params.dim) {
    var total = 0.0;
    for (var s = 0u; s < 16u; s++) { total += partial[s * 16u + lid.x]; }
    var old = 0.0;
    if (params.beta != 0u) { old = dw[d]; }
    dw[d] = old + total;
  }
}
