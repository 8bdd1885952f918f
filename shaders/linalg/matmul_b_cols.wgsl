// Returns a block of B, which is stored as [n,k] (k a multiple of four): [j] = B[k0 + j, col .. col + 4).
// Columns past the end repeat the last one; their results are never stored. Needs b_four, which reads four elements.
fn b_block(k0: u32, col: u32) -> mat4x4f {
  let stride = params.k / 4u;
  let at = (params.bOff + k0) / 4u;
  let last = params.n - 1u;
  return transpose(mat4x4f(
    b_four(at + col * stride),
    b_four(at + min(col + 1u, last) * stride),
    b_four(at + min(col + 2u, last) * stride),
    b_four(at + min(col + 3u, last) * stride)));
}
