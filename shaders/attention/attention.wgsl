//! with exp_log
// Softmax attention over the two key ranges of each query row, which are one list of keys: once for the highest score and once
// more for weights and values, so that memory stays O(rows) and every sum has the order that the CPU's has. One invocation a
// (row, head); four keys at a time, so that their loads are in flight together. Specialised by head size: Lane is vec4f (or
// f32), a head has LANES lanes.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let item = flat(id, groups); // row · heads + head
  if (item >= params.rows * params.heads) { return; }
  let row = item / params.heads;
  let head = item - row * params.heads;
  let kvHead = head * params.kvHeads / params.heads;
  let stride = params.kvHeads * LANES;
  let prefix = ranges[row * 4u];
  let prefixCount = ranges[row * 4u + 1u] - prefix;
  let own = ranges[row * 4u + 2u] - prefixCount;
  let count = prefixCount + (ranges[row * 4u + 3u] - ranges[row * 4u + 2u]) + params.grow;

  var query: array<Lane, LANES>;
  var acc: array<Lane, LANES>;
  for (var d = 0u; d < LANES; d++) {
    query[d] = q[item * LANES + d];
    acc[d] = Lane();
  }
  var top = LOWEST;
  var sums = vec4f();
  for (var time = 0u; time < 2u; time++) {
    for (var j = 0u; j < count; j += 4u) {
      // Keys past the end repeat the last one, with weight 0.
      let keys = vec4u(j, j + 1u, j + 2u, j + 3u);
      let near = min(keys, vec4u(count - 1u));
      let base = (near + select(vec4u(own), vec4u(prefix), near < vec4u(prefixCount))) * stride + kvHead * LANES;
      var p0 = Lane();
      var p1 = Lane();
      var p2 = Lane();
      var p3 = Lane();
      for (var d = 0u; d < LANES; d++) {
        p0 += product(query[d], k[base.x + d]);
        p1 += product(query[d], k[base.y + d]);
        p2 += product(query[d], k[base.z + d]);
        p3 += product(query[d], k[base.w + d]);
      }
      let score = vec4f(dot_sum(p0), dot_sum(p1), dot_sum(p2), dot_sum(p3)) * SCALE;
      if (time == 0u) {
        top = max(max(top, max(score.x, score.y)), max(score.z, score.w));
        continue;
      }
      let weight = select(vec4f(), exp4(rounded4(score) - top), keys < vec4u(count));
      sums += weight;
      for (var d = 0u; d < LANES; d++) {
        acc[d] = (((acc[d] + weight.x * v[base.x + d]) + weight.y * v[base.y + d]) + weight.z * v[base.z + d]) + weight.w * v[base.w + d];
      }
    }
  }
  let sum = (sums.x + sums.y) + (sums.z + sums.w);
  let norm = 1.0 / sum;
  for (var d = 0u; d < LANES; d++) { o[item * LANES + d] = acc[d] * norm; }
  stats[item * 2u] = plus_log(top, sum);
}
