// C [m,n] = op(A) op(B) + beta·C without shared memory: one invocation computes a 4×4 block in registers, k ascending,
// one accumulator per element. Rows are read four elements at a time, so their length and the offsets are multiples of
// four. Needs one of matmul_a_*.wgsl, one of matmul_b_*.wgsl, and mul_add.

fn store_row(row: u32, col: u32, values: vec4f) {
  let at = params.cOff + row * params.n + col;
  if (row < params.m) {
    if (params.beta == 0u) {
      c[at] = values.x;
      if (col + 1u < params.n) { c[at + 1u] = values.y; }
      if (col + 2u < params.n) { c[at + 2u] = values.z; }
      if (col + 3u < params.n) { c[at + 3u] = values.w; }
    } else {
      c[at] += values.x;
      if (col + 1u < params.n) { c[at + 1u] += values.y; }
      if (col + 2u < params.n) { c[at + 2u] += values.z; }
      if (col + 3u < params.n) { c[at + 3u] += values.w; }
    }
  }
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) within: vec3u) {
  let id = within.xy + vec2u(params.firstX, params.firstY) * 8u;
  let row = id.y * 4u;
  let col = id.x * 4u;
  if (row >= params.m || col >= params.n) { return; }
  var c0 = vec4f();
  var c1 = vec4f();
  var c2 = vec4f();
  var c3 = vec4f();
  for (var k = 0u; k < params.k; k += 4u) {
    let x = a_block(row, k);
    let y = b_block(k, col);
    c0 = mul_add(x[0].w, y[3], mul_add(x[0].z, y[2], mul_add(x[0].y, y[1], mul_add(x[0].x, y[0], c0))));
    c1 = mul_add(x[1].w, y[3], mul_add(x[1].z, y[2], mul_add(x[1].y, y[1], mul_add(x[1].x, y[0], c1))));
    c2 = mul_add(x[2].w, y[3], mul_add(x[2].z, y[2], mul_add(x[2].y, y[1], mul_add(x[2].x, y[0], c2))));
    c3 = mul_add(x[3].w, y[3], mul_add(x[3].z, y[2], mul_add(x[3].y, y[1], mul_add(x[3].x, y[0], c3))));
  }
  store_row(row, col, c0);
  store_row(row + 1u, col, c1);
  store_row(row + 2u, col, c2);
  store_row(row + 3u, col, c3);
}
