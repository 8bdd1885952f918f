// Returns a block of matrix PART of a call, which is stored as [n,k]: [j] = B[4·k4 + j, col .. col + 4), at = columns_of(col) + k4. Needs b_four_PART,
// which reads four elements.
fn b_block_PART(at: vec4u) -> mat4x4f {
  return transpose(mat4x4f(b_four_PART(at.x), b_four_PART(at.y), b_four_PART(at.z), b_four_PART(at.w)));
}
