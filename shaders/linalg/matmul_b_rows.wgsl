// Returns a block of B, which is stored as [k,n] (n a multiple of four): [j] = B[k0 + j, col .. col + 4); 0 from k on.
fn b_block(k0: u32, col: u32) -> mat4x4f {
  let stride = params.n / 4u;
  let at = (params.bOff + col) / 4u + k0 * stride;
  let zero = vec4f();
  return mat4x4f(
    b[at],
    select(zero, b[at + stride], k0 + 1u < params.k),
    select(zero, b[at + 2u * stride], k0 + 2u < params.k),
    select(zero, b[at + 3u * stride], k0 + 3u < params.k));
}
