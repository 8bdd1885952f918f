// Returns a block of A, which is stored as [k,m] (m a multiple of four): [i] = A[row + i, k0 .. k0 + 4); 0 from k on.
fn a_block(row: u32, k0: u32) -> mat4x4f {
  let stride = params.m / 4u;
  let at = (params.aOff + row) / 4u + k0 * stride;
  let zero = vec4f();
  return transpose(mat4x4f(
    a[at],
    select(zero, a[at + stride], k0 + 1u < params.k),
    select(zero, a[at + 2u * stride], k0 + 2u < params.k),
    select(zero, a[at + 3u * stride], k0 + 3u < params.k)));
}
