// The heads of q and k, normed and turned (norm/rmsnorm.wgsl, norm/rope.wgsl), and those of v: q in place, k and v into their rows of the
// cache. qkv holds q, k and v one behind another. Items are a row's heads, of q first, then of k and of v. Needs write, which has every
// `step`-th number of a head from `first` on, or every pair of them.

struct Head {
  source: u32, // its first number in qkv
  to: u32, // its first number in q, k or v
  kind: u32, // 0: q, 1: k, 2: v
  angles: u32, // its row of cos and sin
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

// The number d of a head of q or k after its norm.
fn normed(head: Head, d: u32, rstd: f32) -> f32 {
  let value = qkv[head.source + d];
  if (params.normed == 0u) { return value; }
  if (head.kind == 0u) { return value * rstd * qNorm[d]; }
  return value * rstd * kNorm[d];
}

// The pair (i, i + turned/2) of a head of q or k, normed and turned.
fn turned_pair(head: Head, i: u32, rstd: f32) -> vec2f {
  let c = cos[head.angles + i];
  let s = sin[head.angles + i];
  let first = normed(head, i, rstd);
  let second = normed(head, i + params.turned / 2u, rstd);
  return vec2f(first * c - second * s, second * c + first * s);
}

// One invocation a head.
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

// One workgroup a head, for long ones on a real GPU. Needs reduce/tree_*.wgsl.
@compute @workgroup_size(64)
fn wide(here: Place) {
  let lane = here.lid.x;
  let item = nth_group(here.wid, here.groups);
  let isItem = item < params.rows * (params.heads + 2u * params.kvHeads);
  let head = head_of(select(0u, item, isItem)); // the grid may be folded past the last one
  var sum = 0.0;
  for (var d = lane; d < params.headDim; d += 64u) {
    let value = qkv[head.source + d];
    sum += value * value;
  }
  let total = tree_sum(here, sum);
  if (!isItem) { return; }
  write(head, lane, 64u, 1.0 / sqrt(total / f32(params.headDim) + params.eps));
}
