// C [m,n] = op(A) op(B) + beta·C, one invocation an element, for sizes and offsets that are no multiples of four.
// k ascending, one accumulator: the same sums as matmul_register.wgsl.
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.y >= params.m || id.x >= params.n) { return; }
  let stepA = select(1u, params.m, params.ta != 0u);
  let stepB = select(params.n, 1u, params.tb != 0u);
  var i = params.aOff + select(id.y * params.k, id.y, params.ta != 0u);
  var j = params.bOff + select(id.x, id.x * params.k, params.tb != 0u);
  var sum = 0.0;
  for (var k = 0u; k < params.k; k++) {
    sum = mul_add1(a[i], b[j], sum);
    i += stepA;
    j += stepB;
  }
  let at = params.cOff + id.y * params.n + id.x;
  if (params.beta != 0u) { sum = sum + c[at]; }
  c[at] = sum;
}
