// Returns a block of matrix PART of a call, which is stored as [n,k]: [j] = B[4·k4 + j, col .. col + 4). Columns past the end repeat the last one;
// their results are never stored. Needs b_four_PART, which reads four elements.
fn b_block_PART(k4: u32, col: u32, n: u32) -> mat4x4f {
  let stride = params.k / 4u;
  let last = n - 1u;
  return transpose(mat4x4f(
    b_four_PART(k4 + min(col, last) * stride),
    b_four_PART(k4 + min(col + 1u, last) * stride),
    b_four_PART(k4 + min(col + 2u, last) * stride),
    b_four_PART(k4 + min(col + 3u, last) * stride)));
}
