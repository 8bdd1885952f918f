// out [cols] = beta·out + Σ_r x[r,:].

// One invocation per column; its four partial sums keep four loads in flight.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let c = flat(id, groups);
  if (c >= params.cols) { return; }
  var sum = vec4f();
  var r = 0u;
  for (; r + 4u <= params.rows; r += 4u) {
    let i = r * params.cols + c;
    sum += vec4f(x[i], x[i + params.cols], x[i + 2u * params.cols], x[i + 3u * params.cols]);
  }
  var total = (sum.x + sum.y) + (sum.z + sum.w);
  for (; r < params.rows; r++) { total += x[r * params.cols + c]; }
  var old = 0.0;
  if (params.beta != 0u) { old = out[c]; }
  out[c] = old + total;
}

// A workgroup computes 16 columns, each in 16 slices of the rows, which are added in ascending order.
var<workgroup> partial: array<f32, 256>;
@compute @workgroup_size(16, 16)
fn wide(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u,
        @builtin(num_workgroups) groups: vec3u) {
  let c = nth_group(wid, groups) * 16u + lid.x;
  var sum = 0.0;
  if (c < params.cols) {
    for (var r = lid.y; r < params.rows; r += 16u) { sum += x[r * params.cols + c]; }
  }
  partial[lid.y * 16u + lid.x] = sum;
  workgroupBarrier();
  if (lid.y == 0u && c < params.cols) {
    var total = 0.0;
    for (var s = 0u; s < 16u; s++) { total += partial[s * 16u + lid.x]; }
    var old = 0.0;
    if (params.beta != 0u) { old = out[c]; }
    out[c] = old + total;
  }
}
