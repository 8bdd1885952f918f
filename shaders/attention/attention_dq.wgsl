//! with exp_log
// dq = Σ_j P_ij (dO·v_j − delta) k_j · scale, with P from the kept log-sum-exp. One invocation a (row, head); four keys at
// a time, so that their loads are in flight together.
@compute @workgroup_size(64)
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
