// C [m,n] = A Bᵀ + beta·C for few rows: 8×8 invocations compute one element each. They add 128 of k at a time through shared memory, and load the
// next 128 meanwhile, since with few rows little else hides the latency of memory. The sums are those of matmul_register.wgsl: k ascending, one
// accumulator. A and B are read four elements at a time. Needs mul_add1 and b_four.
const SIDE = 8u;
const SPAN = 32u; // vectors of four along k
const STRIDE = SPAN + 1u; // padded, so that eight columns do not hit one bank
const LOADS = SPAN / SIDE;

var<workgroup> tileA: array<vec4f, SIDE * STRIDE>;
var<workgroup> tileB: array<vec4f, SIDE * STRIDE>;

@compute @workgroup_size(8, 8)
fn main(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u) {
  let row0 = (wid.y + params.firstY) * SIDE;
  let col0 = (wid.x + params.firstX) * SIDE;
  let width = params.k / 4u;
  // An invocation loads every eighth vector of four from one line of each tile.
  let lineA = params.aOff / 4u + (row0 + lid.y) * width;
  let lineB = params.bOff / 4u + (col0 + lid.y) * width;
  let inA = row0 + lid.y < params.m;
  let inB = col0 + lid.y < params.n;
  var nextA: array<vec4f, LOADS>;
  var nextB: array<vec4f, LOADS>;
  for (var i = 0u; i < LOADS; i++) {
    let at = i * SIDE + lid.x;
    if (inA && at < width) { nextA[i] = a[lineA + at]; }
    if (inB && at < width) { nextB[i] = b_four(lineB + at); }
  }
  var acc = 0.0;
  for (var k0 = 0u; k0 < width; k0 += SPAN) {
    for (var i = 0u; i < LOADS; i++) {
      let at = i * SIDE + lid.x;
      tileA[lid.y * STRIDE + at] = nextA[i];
      tileB[lid.y * STRIDE + at] = nextB[i];
    }
    workgroupBarrier();
    for (var i = 0u; i < LOADS; i++) {
      let at = k0 + SPAN + i * SIDE + lid.x;
      nextA[i] = vec4f();
      nextB[i] = vec4f();
      if (inA && at < width) { nextA[i] = a[lineA + at]; }
      if (inB && at < width) { nextB[i] = b_four(lineB + at); }
    }
    for (var p = 0u; p < SPAN; p++) {
      let x = tileA[lid.y * STRIDE + p];
      let y = tileB[lid.x * STRIDE + p];
      acc = mul_add1(x.w, y.w, mul_add1(x.z, y.z, mul_add1(x.y, y.y, mul_add1(x.x, y.x, acc))));
    }
    workgroupBarrier();
  }
  let row = row0 + lid.y;
  let col = col0 + lid.x;
  if (row < params.m && col < params.n) {
    let at = params.cOff + row * params.n + col;
    var old = 0.0;
    if (params.beta != 0u) { old = c[at]; }
    c[at] = acc + old;
  }
}
