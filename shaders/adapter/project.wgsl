// kept = g − removed, removed = overshoot · c_use V, c = V g, per module; two passes instead of a barrier.
// One workgroup per module; a row of `table` is (gOff, r, vOff, k, cOff).

// The first pass computes coef[cOff + i] = Σ_j V[i,j] g[j]; each invocation takes every 64th axis.
@compute @workgroup_size(64)
fn coefficients(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u,
                @builtin(num_workgroups) groups: vec3u) {
  let item = nth_group(wid, groups);
  if (item >= params.modules) { return; }
  let gOff = table[item * 5u];
  let r = table[item * 5u + 1u];
  let vOff = table[item * 5u + 2u];
  let axes = table[item * 5u + 3u];
  for (var i = lid.x; i < axes; i += 64u) {
    var sum = 0.0;
    for (var j = 0u; j < r; j++) { sum += v[vOff + i * r + j] * g[gOff + j]; }
    coef[table[item * 5u + 4u] + i] = sum;
  }
}

// The second pass computes kept and removed; each invocation takes every 64th element of g.
@compute @workgroup_size(64)
fn split(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u,
         @builtin(num_workgroups) groups: vec3u) {
  let item = nth_group(wid, groups);
  if (item >= params.modules) { return; }
  let gOff = table[item * 5u];
  let r = table[item * 5u + 1u];
  let vOff = table[item * 5u + 2u];
  let axes = table[item * 5u + 3u];
  let cOff = table[item * 5u + 4u];
  for (var j = lid.x; j < r; j += 64u) {
    var along = 0.0;
    for (var i = 0u; i < axes; i++) {
      var c = coef[cOff + i];
      if (params.gate == 0u) {
        c = max(c, 0.0);
      } else if (params.gate == 2u) {
        c = 2.0 * c;
      }
      along += c * v[vOff + i * r + j];
    }
    let out = params.overshoot * along;
    removed[gOff + j] = out;
    kept[gOff + j] = g[gOff + j] - out;
  }
}
