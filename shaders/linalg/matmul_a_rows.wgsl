// Returns a block of A, which is stored as [m,k] (k a multiple of four): [i] = A[row + i, k0 .. k0 + 4).
// Rows past the end repeat the last one; their results are never stored.
fn a_block(row: u32, k0: u32) -> mat4x4f {
  let stride = params.k / 4u;
  let at = (params.aOff + k0) / 4u;
  let last = params.m - 1u;
  return mat4x4f(
    a[at + row * stride],
    a[at + min(row + 1u, last) * stride],
    a[at + min(row + 2u, last) * stride],
    a[at + min(row + 3u, last) * stride]);
}
