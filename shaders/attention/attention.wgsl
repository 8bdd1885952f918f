// Softmax attention over the two key ranges of each query row, with a running maximum (online softmax), so that memory
// stays O(rows). One invocation a (row, head); four keys at a time, so that their loads are in flight together and the
// accumulator is rescaled once for all four. Specialised by head size: Lane is vec4f (or f32), a head has LANES lanes.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let item = flat(id, groups); // row · heads + head
  if (item >= params.rows * params.heads) { return; }
  let row = item / params.heads;
  let head = item - row * params.heads;
  let kvHead = head * params.kvHeads / params.heads;
  let scale = 1.0 / sqrt(f32(params.headDim));
  let stride = params.kvHeads * LANES;

  var query: array<Lane, LANES>;
  var acc: array<Lane, LANES>;
  for (var d = 0u; d < LANES; d++) {
    query[d] = q[item * LANES + d] * scale;
    acc[d] = Lane();
  }
  var top = LOWEST;
  var sum = 0.0;
  for (var part = 0u; part < 2u; part++) {
    let first = ranges[row * 4u + part * 2u];
    let end = ranges[row * 4u + part * 2u + 1u] + part * params.grow;
    for (var j = first; j < end; j += 4u) {
      // Keys past the end repeat the last one, with weight 0.
      let live = vec4u(j, j + 1u, j + 2u, j + 3u) < vec4u(end);
      let base = min(vec4u(j, j + 1u, j + 2u, j + 3u), vec4u(end - 1u)) * stride + kvHead * LANES;
      var p0 = Lane();
      var p1 = Lane();
      var p2 = Lane();
      var p3 = Lane();
      for (var d = 0u; d < LANES; d++) {
        p0 += query[d] * k[base.x + d];
        p1 += query[d] * k[base.y + d];
        p2 += query[d] * k[base.z + d];
        p3 += query[d] * k[base.w + d];
      }
      let score = vec4f(lane_sum(p0), lane_sum(p1), lane_sum(p2), lane_sum(p3));
      let higher = max(max(top, max(score.x, score.y)), max(score.z, score.w));
      let shrink = exp(top - higher);
      let weight = select(vec4f(), exp(score - higher), live);
      top = higher;
      sum = sum * shrink + ((weight.x + weight.y) + (weight.z + weight.w));
      for (var d = 0u; d < LANES; d++) {
        acc[d] = acc[d] * shrink
          + ((weight.x * v[base.x + d] + weight.y * v[base.y + d]) + (weight.z * v[base.z + d] + weight.w * v[base.w + d]));
      }
    }
  }
  let norm = 1.0 / sum;
  for (var d = 0u; d < LANES; d++) { o[item * LANES + d] = acc[d] * norm; }
  stats[item * 2u] = top + log(sum);
}
