//! with heads packing
// Writes heads into a cache of f16, two to a word.
fn number(head: Head, d: u32, rstd: f32) -> f32 {
  let half = params.turned / 2u;
  if (head.kind == 2u) { return qkv[head.source + d]; }
  if (d < half) { return turned_pair(head, d, rstd).x; }
  if (d < params.turned) { return turned_pair(head, d - half, rstd).y; }
  return normed(head, d, rstd);
}

fn write(head: Head, first: u32, step: u32, rstd: f32) {
  if (head.kind == 0u) {
    let half = params.turned / 2u;
    for (var i = first; i < half; i += step) {
      let pair = turned_pair(head, i, rstd);
      qkv[head.to + i] = pair.x;
      qkv[head.to + i + half] = pair.y;
    }
    for (var d = params.turned + first; d < params.headDim; d += step) { qkv[head.to + d] = normed(head, d, rstd); }
    return;
  }
  for (var i = first; i < params.headDim / 2u; i += step) {
    let word = half_bits(number(head, 2u * i, rstd)) | (half_bits(number(head, 2u * i + 1u, rstd)) << 16u);
    if (head.kind == 1u) {
      k[head.to / 2u + i] = word;
    } else {
      v[head.to / 2u + i] = word;
    }
  }
}
