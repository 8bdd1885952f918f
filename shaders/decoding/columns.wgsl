// Where four columns of a matrix [n,k] begin, in fours: a parameter in a loop would be read anew at each turn. Columns past the end repeat the
// last one; their results are never stored.
fn columns_of(col: u32, n: u32) -> vec4u {
  return min(vec4u(col, col + 1u, col + 2u, col + 3u), vec4u(n - 1u)) * (params.k / 4u);
}
