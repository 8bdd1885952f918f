// stats[rowOff + i] = (log-probability of the target, log-sum-exp, entropy) of logits[i,:].
// With e = exp(l − max), Z = Σe, S = Σ e·(l − max): lse = max + log Z, entropy = log Z − S/Z.

fn store(row: u32, top: f32, z: f32, s: f32) {
  let at = (params.rowOff + row) * 3u;
  let logZ = log(z);
  stats[at] = (logits[row * params.vocab + targets[params.rowOff + row]] - top) - logZ;
  stats[at + 1u] = top + logZ;
  stats[at + 2u] = logZ - s / z;
}

// One invocation a row, for small vocabularies.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let row = flat(id, groups);
  if (row >= params.rows) { return; }
  let base = row * params.vocab;
  var top = LOWEST;
  for (var t = 0u; t < params.vocab; t++) { top = max(top, logits[base + t]); }
  var z = 0.0;
  var s = 0.0;
  for (var t = 0u; t < params.vocab; t++) {
    let l = logits[base + t] - top;
    let e = exp(l);
    z += e;
    s += e * l;
  }
  store(row, top, z, s);
}

// One workgroup a row.
var<workgroup> tops: array<f32, 256>;
var<workgroup> sums: array<vec2f, 256>;
@compute @workgroup_size(256)
fn wide(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u,
        @builtin(num_workgroups) groups: vec3u) {
  let row = wid.y * groups.x + wid.x;
  let base = row * params.vocab;
  let count = select(0u, params.vocab, row < params.rows);
  var top = LOWEST;
  for (var t = lid.x; t < count; t += 256u) { top = max(top, logits[base + t]); }
  tops[lid.x] = top;
  for (var half = 128u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lid.x < half) { tops[lid.x] = max(tops[lid.x], tops[lid.x + half]); }
  }
  workgroupBarrier();
  top = tops[0];
  var sum = vec2f();
  for (var t = lid.x; t < count; t += 256u) {
    let l = logits[base + t] - top;
    let e = exp(l);
    sum += vec2f(e, e * l);
  }
  sums[lid.x] = sum;
  for (var half = 128u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lid.x < half) { sums[lid.x] += sums[lid.x + half]; }
  }
  if (lid.x == 0u && row < params.rows) { store(row, top, sums[0].x, sums[0].y); }
}
