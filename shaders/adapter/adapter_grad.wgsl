// out[outOff + j] = beta·out + Σ_i p[rowOff+i, j] · q[rowOff+i, j]; one invocation an adapter parameter.
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
