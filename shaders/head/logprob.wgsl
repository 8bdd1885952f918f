//! with exp_log
// stats[rowOff + i] = (log-probability of the target, log-sum-exp, entropy) of logits[i,:].
// Formulas, with e = exp(l − max), Z = Σe, S = Σ e·(l − max): lse = max + log Z, entropy = log Z − S/Z.

fn store(row: u32, top: f32, z: f32, s: f32) {
  let at = (params.rowOff + row) * 3u;
  let logZ = log1(z);
  stats[at] = (logits[row * params.vocab + targets[params.rowOff + row]] - top) - logZ;
  stats[at + 1u] = plus_log(top, z);
  stats[at + 2u] = logZ - s / z;
}

// One invocation per row, for small vocabularies.
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
    let l = rounded(logits[base + t] - top);
    let e = exp1(l);
    z += e;
    s += rounded(e * l);
  }
  store(row, top, z, s);
}

// One workgroup per row. Needs reduce/tree_*.wgsl.
var<workgroup> tops: array<f32, 256>;
@compute @workgroup_size(256)
fn wide(here: Place) {
  let lane = here.lid.x;
  let row = nth_group(here.wid, here.groups);
  let base = row * params.vocab;
  let count = select(0u, params.vocab, row < params.rows);
  var top = LOWEST;
  for (var t = lane; t < count; t += 256u) { top = max(top, logits[base + t]); }
  tops[lane] = top;
  for (var half = 128u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) { tops[lane] = max(tops[lane], tops[lane + half]); }
  }
  workgroupBarrier();
  top = tops[0];
  var sum = vec2f();
  for (var t = lane; t < count; t += 256u) {
    let l = rounded(logits[base + t] - top);
    let e = exp1(l);
    sum += vec2f(e, rounded(e * l));
  }
  let total = tree_sum(here, sum);
  if (lane == 0u && row < params.rows) { store(row, top, total.x, total.y); }
}
