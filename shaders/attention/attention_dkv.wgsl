//! with exp_log
// dv_j = Σ_i P_ij dO_i and dk_j = Σ_i P_ij (dO_i·v_j − delta_i) q_i · scale over the query rows i in [j, qEnd[j]) and
// the query heads of this key/value head. One invocation per (key row, key/value head) gathers, so no atomics are needed. Two pairs of (query row,
// head) are loaded at a time, so that their loads are in flight together; they are added in ascending order.
@compute @workgroup_size(GROUP)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let item = flat(id, groups); // row · kvHeads + kvHead
  if (item >= params.rows * params.kvHeads) { return; }
  let row = item / params.kvHeads;
  let kvHead = item - row * params.kvHeads;
  let share = params.heads / params.kvHeads;

  var key: array<Lane, LANES>;
  var value: array<Lane, LANES>;
  var accK: array<Lane, LANES>;
  var accV: array<Lane, LANES>;
  for (var d = 0u; d < LANES; d++) {
    key[d] = k[item * LANES + d];
    value[d] = v[item * LANES + d];
    accK[d] = Lane();
    accV[d] = Lane();
  }
  let count = (max(qEnd[row], row) - row) * share; // of (query row, head), row-major
  for (var e = 0u; e < count; e += 2u) {
    // The pair past the end repeats the last one, with weight 0.
    let at = min(vec2u(e, e + 1u), vec2u(count - 1u));
    let source = (row + at / share) * params.heads + kvHead * share + at % share;
    let base = source * LANES;
    var s0 = Lane();
    var s1 = Lane();
    var v0 = Lane();
    var v1 = Lane();
    for (var d = 0u; d < LANES; d++) {
      s0 += product(key[d], q[base.x + d]);
      s1 += product(key[d], q[base.y + d]);
      v0 += product(value[d], dO[base.x + d]);
      v1 += product(value[d], dO[base.y + d]);
    }
    let lse = vec2f(stats[source.x * 2u], stats[source.y * 2u]);
    let delta = vec2f(stats[source.x * 2u + 1u], stats[source.y * 2u + 1u]);
    let score = vec2f(rounded(dot_sum(s0) * SCALE), rounded(dot_sum(s1) * SCALE)) - lse;
    let p = select(vec2f(), vec2f(exp1(score.x), exp1(score.y)), vec2u(e, e + 1u) < vec2u(count));
    let slope = p * (vec2f(dot_sum(v0), dot_sum(v1)) - delta);
    for (var d = 0u; d < LANES; d++) {
      accV[d] = (accV[d] + p.x * dO[base.x + d]) + p.y * dO[base.y + d];
      accK[d] = (accK[d] + slope.x * q[base.x + d]) + slope.y * q[base.y + d];
    }
  }
  for (var d = 0u; d < LANES; d++) {
    dk[item * LANES + d] = accK[d] * SCALE;
    dv[item * LANES + d] = accV[d];
  }
}

// The form for a real GPU has a workgroup per (key row, key/value head). Each invocation finds the weight and slope of one (query row, head); then
// each adds up lanes of dv or of dk, in the same order as above. Needs SLICES, the lanes of dv and dk together per invocation.
const TILE = 64u;
var<workgroup> key: array<Lane, LANES>;
var<workgroup> value: array<Lane, LANES>;
var<workgroup> found: array<vec2f, TILE>; // weight, slope

@compute @workgroup_size(64)
fn wide(
  @builtin(local_invocation_id) lid: vec3u,
  @builtin(workgroup_id) wid: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let lane = lid.x;
  let item = nth_group(wid, groups); // row · kvHeads + kvHead
  if (item >= params.rows * params.kvHeads) { return; }
  let row = item / params.kvHeads;
  let kvHead = item - row * params.kvHeads;
  let share = params.heads / params.kvHeads;

  for (var d = lane; d < LANES; d += TILE) {
    key[d] = k[item * LANES + d];
    value[d] = v[item * LANES + d];
  }
  var acc: array<Lane, SLICES>; // lanes of dv, then of dk
  for (var i = 0u; i < SLICES; i++) { acc[i] = Lane(); }
  let count = (max(qEnd[row], row) - row) * share; // of (query row, head), row-major
  for (var begin = 0u; begin < count; begin += TILE) {
    workgroupBarrier();
    var pair = vec2f();
    if (begin + lane < count) {
      let source = source_of(row, kvHead, share, begin + lane);
      var s = Lane();
      var u = Lane();
      for (var d = 0u; d < LANES; d++) {
        s += product(key[d], q[source * LANES + d]);
        u += product(value[d], dO[source * LANES + d]);
      }
      let p = exp1(rounded(dot_sum(s) * SCALE) - stats[source * 2u]);
      pair = vec2f(p, p * (dot_sum(u) - stats[source * 2u + 1u]));
    }
    found[lane] = pair;
    workgroupBarrier();
    for (var t = 0u; t < TILE && begin + t < count; t += 2u) {
      // The pair past the end repeats the last one, with weight 0.
      let base0 = source_of(row, kvHead, share, begin + t) * LANES;
      let base1 = source_of(row, kvHead, share, min(begin + t + 1u, count - 1u)) * LANES;
      for (var i = 0u; i < SLICES; i++) {
        let d = lane + i * TILE;
        if (d < LANES) {
          acc[i] = (acc[i] + found[t].x * dO[base0 + d]) + found[t + 1u].x * dO[base1 + d];
        } else if (d < 2u * LANES) {
          acc[i] = (acc[i] + found[t].y * q[base0 + d - LANES]) + found[t + 1u].y * q[base1 + d - LANES];
        }
      }
    }
  }
  for (var i = 0u; i < SLICES; i++) {
    let d = lane + i * TILE;
    if (d < LANES) {
      dv[item * LANES + d] = acc[i];
    } else if (d < 2u * LANES) {
      dk[item * LANES + d - LANES] = acc[i] * SCALE;
    }
  }
}

fn source_of(row: u32, kvHead: u32, share: u32, e: u32) -> u32 {
  return (row + e / share) * params.heads + kvHead * share + e % share;
}
