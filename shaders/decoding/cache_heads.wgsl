//! with heads
// Writes heads into a cache of f32.
fn put(head: Head, d: u32, value: f32) {
  if (head.kind == 0u) {
    qkv[head.to + d] = value;
  } else {
    k[head.to + d] = value;
  }
}

fn write(head: Head, first: u32, step: u32, rstd: f32) {
  if (head.kind == 2u) {
    for (var d = first; d < params.headDim; d += step) { v[head.to + d] = qkv[head.source + d]; }
    return;
  }
  let half = params.turned / 2u;
  for (var i = first; i < half; i += step) {
    let pair = turned_pair(head, i, rstd);
    put(head, i, pair.x);
    put(head, i + half, pair.y);
  }
  for (var d = params.turned + first; d < params.headDim; d += step) { put(head, d, normed(head, d, rstd)); }
}
