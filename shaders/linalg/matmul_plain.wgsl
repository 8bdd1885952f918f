// C [m,n] = op(A) op(B) + beta·C, one invocation per element, for sizes and offsets that are no multiples of four.
// The sums are those of matmul_register.wgsl: k ascending, one accumulator. Needs mul_add1, b_one, and a_turned and b_turned, which say whether A
// and B are stored transposed.
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) within: vec3u) {
  let id = within.xy + vec2u(params.firstX, params.firstY) * 8u;
  if (id.y >= params.m || id.x >= params.n) { return; }
  let stepA = select(1u, params.m, a_turned());
  let stepB = select(params.n, 1u, b_turned());
  var i = params.aOff + select(id.y * params.k, id.y, a_turned());
  var j = params.bOff + select(id.x, id.x * params.k, b_turned());
  var sum = 0.0;
  for (var k = 0u; k < params.k; k++) {
    sum = mul_add1(a[i], b_one(j), sum);
    i += stepA;
    j += stepB;
  }
  let at = params.cOff + id.y * params.n + id.x;
  if (params.beta != 0u) { sum = sum + c[at]; }
  c[at] = sum;
}
