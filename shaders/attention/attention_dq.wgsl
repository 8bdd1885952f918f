//! with exp_log
// dq = Σ_j P_ij (dO·v_j − delta) k_j · scale, with P from the kept log-sum-exp. One invocation per (row, head) loads
// four keys at a time, so that their loads are in flight together.
@compute @workgroup_size(GROUP)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let item = flat(id, groups); // row · heads + head
  if (item >= params.rows * params.heads) { return; }
  let row = item / params.heads;
  let head = item - row * params.heads;
  let kvHead = head * params.kvHeads / params.heads;
  let stride = params.kvHeads * LANES;
  let lse = stats[item * 2u];
  let delta = stats[item * 2u + 1u];

  var query: array<Lane, LANES>;
  var up: array<Lane, LANES>;
  var acc: array<Lane, LANES>;
  for (var d = 0u; d < LANES; d++) {
    query[d] = q[item * LANES + d];
    up[d] = dO[item * LANES + d];
    acc[d] = Lane();
  }
  for (var part = 0u; part < 2u; part++) {
    let end = ranges[row * 4u + part * 2u + 1u];
    for (var j = ranges[row * 4u + part * 2u]; j < end; j += 4u) {
      // Keys past the end repeat the last one, with slope 0.
      let live = vec4u(j, j + 1u, j + 2u, j + 3u) < vec4u(end);
      let base = min(vec4u(j, j + 1u, j + 2u, j + 3u), vec4u(end - 1u)) * stride + kvHead * LANES;
      var s0 = Lane();
      var s1 = Lane();
      var s2 = Lane();
      var s3 = Lane();
      var v0 = Lane();
      var v1 = Lane();
      var v2 = Lane();
      var v3 = Lane();
      for (var d = 0u; d < LANES; d++) {
        s0 += product(query[d], k[base.x + d]);
        s1 += product(query[d], k[base.y + d]);
        s2 += product(query[d], k[base.z + d]);
        s3 += product(query[d], k[base.w + d]);
        v0 += product(up[d], v[base.x + d]);
        v1 += product(up[d], v[base.y + d]);
        v2 += product(up[d], v[base.z + d]);
        v3 += product(up[d], v[base.w + d]);
      }
      let score = vec4f(dot_sum(s0), dot_sum(s1), dot_sum(s2), dot_sum(s3)) * SCALE;
      let p = exp4(rounded4(score) - lse);
      let value = vec4f(dot_sum(v0), dot_sum(v1), dot_sum(v2), dot_sum(v3));
      let slope = select(vec4f(), p * (value - delta), live);
      for (var d = 0u; d < LANES; d++) {
        acc[d] = (((acc[d] + slope.x * k[base.x + d]) + slope.y * k[base.y + d]) + slope.z * k[base.z + d]) + slope.w * k[base.w + d];
      }
    }
  }
  for (var d = 0u; d < LANES; d++) { dq[item * LANES + d] = acc[d] * SCALE; }
}

// The form for a real GPU has a workgroup per (row, head). Each invocation finds a key's slope; then each adds up lanes, in the same order as above.
// Needs SLICES, the lanes per invocation.
const TILE = 64u;
var<workgroup> asked: array<Lane, LANES>;
var<workgroup> upper: array<Lane, LANES>;
var<workgroup> slopes: array<f32, TILE>;

@compute @workgroup_size(64)
fn wide(
  @builtin(local_invocation_id) lid: vec3u,
  @builtin(workgroup_id) wid: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let lane = lid.x;
  let item = nth_group(wid, groups); // row · heads + head
  if (item >= params.rows * params.heads) { return; }
  let row = item / params.heads;
  let head = item - row * params.heads;
  let kvHead = head * params.kvHeads / params.heads;
  let stride = params.kvHeads * LANES;
  let lse = stats[item * 2u];
  let delta = stats[item * 2u + 1u];

  for (var d = lane; d < LANES; d += TILE) {
    asked[d] = q[item * LANES + d];
    upper[d] = dO[item * LANES + d];
  }
  var acc: array<Lane, SLICES>;
  for (var i = 0u; i < SLICES; i++) { acc[i] = Lane(); }
  for (var range = 0u; range < 2u; range++) {
    let end = ranges[row * 4u + range * 2u + 1u];
    for (var begin = ranges[row * 4u + range * 2u]; begin < end; begin += TILE) {
      workgroupBarrier();
      var slope = 0.0;
      if (begin + lane < end) {
        let base = (begin + lane) * stride + kvHead * LANES;
        var s = Lane();
        var u = Lane();
        for (var d = 0u; d < LANES; d++) {
          s += product(asked[d], k[base + d]);
          u += product(upper[d], v[base + d]);
        }
        slope = exp1(rounded(dot_sum(s) * SCALE) - lse) * (dot_sum(u) - delta);
      }
      slopes[lane] = slope;
      workgroupBarrier();
      for (var t = 0u; t < TILE && begin + t < end; t += 4u) {
        let four = vec4f(slopes[t], slopes[t + 1u], slopes[t + 2u], slopes[t + 3u]);
        // Keys past the end repeat the last one, with slope 0.
        let at = vec4u(begin + t, begin + t + 1u, begin + t + 2u, begin + t + 3u);
        let base = min(at, vec4u(end - 1u)) * stride + kvHead * LANES;
        for (var i = 0u; i < SLICES; i++) {
          let d = lane + i * TILE;
          if (d < LANES) {
            acc[i] = (((acc[i] + four.x * k[base.x + d]) + four.y * k[base.y + d]) + four.z * k[base.z + d]) + four.w * k[base.w + d];
          }
        }
      }
    }
  }
  for (var i = 0u; i < SLICES; i++) {
    let d = lane + i * TILE;
    if (d < LANES) { dq[item * LANES + d] = acc[i] * SCALE; }
  }
}
