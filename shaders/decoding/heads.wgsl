// Norms and rotates the heads of q and k (norm/rmsnorm.wgsl, norm/rope.wgsl), and copies those of v: q is written in place, k and v into their rows
// of the cache. qkv holds q, k and v in this order, and items are a row's heads in the same order. Needs write, which writes every `step`-th element
// of a head from `first` on, or every such pair.

struct Head {
  source: u32, // offset in qkv
  to: u32, // offset in q, k or v
  kind: u32, // 0: q, 1: k, 2: v
  angles: u32, // offset of its row in cos and sin
}

fn head_of(item: u32) -> Head {
  let all = params.heads + 2u * params.kvHeads;
  let row = item / all;
  let head = item - row * all;
  let pos = (places[row * 2u] + params.shift) * (params.turned / 2u);
  if (head < params.heads) {
    let at = (row * params.heads + head) * params.headDim;
    return Head(at, at, 0u, pos);
  }
  let isV = head >= params.heads + params.kvHeads;
  let own = head - params.heads - select(0u, params.kvHeads, isV);
  let before = params.rows * (params.heads + select(0u, params.kvHeads, isV));
  let source = (before + row * params.kvHeads + own) * params.headDim;
  let to = ((places[row * 2u + 1u] + params.shift) * params.kvHeads + own) * params.headDim;
  return Head(source, to, select(1u, 2u, isV), pos);
}

// Returns element d of a head of q or k after its norm.
fn normed(head: Head, d: u32, rstd: f32) -> f32 {
  let value = qkv[head.source + d];
  if (params.normed == 0u) { return value; }
  if (head.kind == 0u) { return value * rstd * qNorm[d]; }
  return value * rstd * kNorm[d];
}

// Returns the pair (i, i + turned/2) of a head of q or k, normed and rotated.
fn turned_pair(head: Head, i: u32, rstd: f32) -> vec2f {
  let c = cos[head.angles + i];
  let s = sin[head.angles + i];
  let first = normed(head, i, rstd);
  let second = normed(head, i + params.turned / 2u, rstd);
  return vec2f(first * c - second * s, second * c + first * s);
}

// One invocation per head.
@compute @workgroup_size(GROUP)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let item = flat(id, groups);
  if (item >= params.rows * (params.heads + 2u * params.kvHeads)) { return; }
  let head = head_of(item);
  var rstd = 1.0;
  if (params.normed != 0u && head.kind != 2u) {
    var sum = 0.0;
    for (var d = 0u; d < params.headDim; d++) {
      let value = qkv[head.source + d];
      sum += value * value;
    }
    rstd = 1.0 / sqrt(sum / f32(params.headDim) + params.eps);
  }
  write(head, 0u, 1u, rstd);
}

// One workgroup per head, for long heads on a real GPU. Needs reduce/tree_*.wgsl.
@compute @workgroup_size(64)
fn wide(here: Place) {
  let lane = here.lid.x;
  let item = nth_group(here.wid, here.groups);
  let isItem = item < params.rows * (params.heads + 2u * params.kvHeads);
  let head = head_of(select(0u, item, isItem)); // the grid may be folded past the last item
  var sum = 0.0;
  for (var d = lane; d < params.headDim; d += 64u) {
    let value = qkv[head.source + d];
    sum += value * value;
  }
  let total = tree_sum(here, sum);
  if (!isItem) { return; }
  write(head, lane, 64u, 1.0 / sqrt(total / f32(params.headDim) + params.eps));
}
