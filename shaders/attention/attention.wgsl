//! with exp_log
// Softmax attention over the two key ranges of each query row, which are one list of keys: once for the highest score and once
// more for weights and values, so that memory stays O(rows) and every sum has the order that the CPU's has. One invocation a
// (row, head); four keys at a time, so that their loads are in flight together. The scores of up to KEPT keys are kept; of a
// longer list they are computed once more, KEPT at a time. Specialised by head size: Lane is vec4f (or f32), a head has LANES
// lanes. Needs key_at and value_at, which read a lane of k and of v as they are stored.
const KEPT = 512u;

@compute @workgroup_size(GROUP)
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
  var kept: array<vec4f, KEPT / 4u>;
  for (var time = 0u; time < 2u; time++) {
    for (var first = 0u; first < count; first += KEPT) {
      let end = min(first + KEPT, count);
      let isScored = time == 0u || count > KEPT;
      for (var j = first; isScored && j < end; j += 4u) {
        // Keys past the end repeat the last one, with weight 0.
        let near = min(vec4u(j, j + 1u, j + 2u, j + 3u), vec4u(count - 1u));
        let base = (near + select(vec4u(own), vec4u(prefix), near < vec4u(prefixCount))) * stride + kvHead * LANES;
        var p0 = Lane();
        var p1 = Lane();
        var p2 = Lane();
        var p3 = Lane();
        for (var d = 0u; d < LANES; d++) {
          p0 += product(query[d], key_at(base.x + d));
          p1 += product(query[d], key_at(base.y + d));
          p2 += product(query[d], key_at(base.z + d));
          p3 += product(query[d], key_at(base.w + d));
        }
        let score = vec4f(dot_sum(p0), dot_sum(p1), dot_sum(p2), dot_sum(p3)) * SCALE;
        top = max(max(top, max(score.x, score.y)), max(score.z, score.w));
        kept[(j - first) / 4u] = score;
      }
      for (var j = first; time == 1u && j < end; j += 4u) {
        let keys = vec4u(j, j + 1u, j + 2u, j + 3u);
        let near = min(keys, vec4u(count - 1u));
        let base = (near + select(vec4u(own), vec4u(prefix), near < vec4u(prefixCount))) * stride + kvHead * LANES;
        let score = kept[(j - first) / 4u];
        let weight = select(vec4f(), exp4(rounded4(score) - top), keys < vec4u(count));
        sums += weight;
        for (var d = 0u; d < LANES; d++) {
          acc[d] = (((acc[d] + weight.x * value_at(base.x + d)) + weight.y * value_at(base.y + d)) + weight.z * value_at(base.z + d)) + weight.w * value_at(base.w + d);
        }
      }
    }
  }
  let sum = (sums.x + sums.y) + (sums.z + sums.w);
  let norm = 1.0 / sum;
  for (var d = 0u; d < LANES; d++) { o[item * LANES + d] = acc[d] * norm; }
  stats[item * 2u] = plus_log(top, sum);
}

// The form for a real GPU has a workgroup per (row, head). Each invocation scores a key; then each adds up lanes of the values, in the same order
// as above. Needs SLICES, the lanes per invocation.
const TILE = 64u;
var<workgroup> asked: array<Lane, LANES>;
var<workgroup> scores: array<f32, KEPT>; // scores of the first KEPT keys; later ones are scored twice
var<workgroup> part: array<f32, TILE>; // first the highest scores, then the weights

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
  let prefix = ranges[row * 4u];
  let prefixCount = ranges[row * 4u + 1u] - prefix;
  let own = ranges[row * 4u + 2u] - prefixCount;
  let count = prefixCount + (ranges[row * 4u + 3u] - ranges[row * 4u + 2u]) + params.grow;

  for (var d = lane; d < LANES; d += TILE) { asked[d] = q[item * LANES + d]; }
  workgroupBarrier();
  var top = LOWEST;
  for (var j = lane; j < count; j += TILE) {
    let score = score_of((j + select(own, prefix, j < prefixCount)) * stride + kvHead * LANES);
    if (j < KEPT) { scores[j] = score; }
    top = max(top, score);
  }
  part[lane] = top;
  workgroupBarrier();
  for (var i = 0u; i < TILE; i++) { top = max(top, part[i]); }

  var acc: array<Lane, SLICES>;
  for (var i = 0u; i < SLICES; i++) { acc[i] = Lane(); }
  var sums = vec4f();
  for (var begin = 0u; begin < count; begin += TILE) {
    let j = begin + lane;
    var weight = 0.0;
    if (j < count) {
      var score = 0.0;
      if (j < KEPT) {
        score = scores[j];
      } else {
        score = score_of((j + select(own, prefix, j < prefixCount)) * stride + kvHead * LANES);
      }
      weight = exp1(rounded(score) - top);
    }
    workgroupBarrier();
    part[lane] = weight;
    workgroupBarrier();
    for (var t = 0u; t < TILE && begin + t < count; t += 4u) {
      let weights = vec4f(part[t], part[t + 1u], part[t + 2u], part[t + 3u]);
      sums += weights;
      // Keys past the end repeat the last one, with weight 0.
      let near = min(vec4u(begin + t, begin + t + 1u, begin + t + 2u, begin + t + 3u), vec4u(count - 1u));
      let base = (near + select(vec4u(own), vec4u(prefix), near < vec4u(prefixCount))) * stride + kvHead * LANES;
      for (var i = 0u; i < SLICES; i++) {
        let d = lane + i * TILE;
        if (d < LANES) {
          acc[i] = (((acc[i] + weights.x * value_at(base.x + d)) + weights.y * value_at(base.y + d)) + weights.z * value_at(base.z + d)) + weights.w * value_at(base.w + d);
        }
      }
    }
  }
  let sum = (sums.x + sums.y) + (sums.z + sums.w);
  let norm = 1.0 / sum;
  for (var i = 0u; i < SLICES; i++) {
    let d = lane + i * TILE;
    if (d < LANES) { o[item * LANES + d] = acc[i] * norm; }
  }
  if (lane == 0u) { stats[item * 2u] = plus_log(top, sum); }
}

fn score_of(base: u32) -> f32 {
  var p = Lane();
  for (var d = 0u; d < LANES; d++) { p += product(asked[d], key_at(base + d)); }
  return dot_sum(p) * SCALE;
}
