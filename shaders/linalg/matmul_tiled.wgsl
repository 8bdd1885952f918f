// C [m,n] = op(A) op(B) + beta·C through shared memory: 16×16 invocations compute a (16·MICRO)² tile, MICRO×MICRO elements
// each (constant), k ascending in steps of 16, one accumulator per element: the same sums as matmul_register.wgsl.
// Needs mul_add1 and b_one.
const DEPTH = 16u;
const TILE = 16u * MICRO;
const STRIDE = TILE + 4u; // padded, so that a transposed store does not hit one bank

var<workgroup> tileA: array<f32, DEPTH * STRIDE>; // [k][row]
var<workgroup> tileB: array<f32, DEPTH * STRIDE>; // [k][col]

@compute @workgroup_size(16, 16)
fn main(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u) {
  let row0 = (wid.y + params.firstY) * TILE;
  let col0 = (wid.x + params.firstX) * TILE;
  let lane = lid.y * 16u + lid.x;
  var acc: array<f32, MICRO * MICRO>;
  for (var i = 0u; i < MICRO * MICRO; i++) { acc[i] = 0.0; }
  for (var k0 = 0u; k0 < params.k; k0 += DEPTH) {
    // 256 invocations load DEPTH × TILE elements of each matrix; adjacent invocations read adjacent memory in either layout.
    for (var part = 0u; part < MICRO; part++) {
      let item = part * 256u + lane;
      {
        var kk = item % DEPTH;
        var r = item / DEPTH;
        if (TA) {
          kk = item / TILE;
          r = item % TILE;
        }
        var value = 0.0;
        if (k0 + kk < params.k && row0 + r < params.m) {
          if (TA) {
            value = a[params.aOff + (k0 + kk) * params.m + row0 + r];
          } else {
            value = a[params.aOff + (row0 + r) * params.k + k0 + kk];
          }
        }
        tileA[kk * STRIDE + r] = value;
      }
      {
        var kk = item / TILE;
        var col = item % TILE;
        if (TB) {
          kk = item % DEPTH;
          col = item / DEPTH;
        }
        var value = 0.0;
        if (k0 + kk < params.k && col0 + col < params.n) {
          if (TB) {
            value = b_one(params.bOff + (col0 + col) * params.k + k0 + kk);
          } else {
            value = b_one(params.bOff + (k0 + kk) * params.n + col0 + col);
          }
        }
        tileB[kk * STRIDE + col] = value;
      }
    }
    workgroupBarrier();
    for (var kk = 0u; kk < DEPTH; kk++) {
      var x: array<f32, MICRO>;
      var y: array<f32, MICRO>;
      for (var i = 0u; i < MICRO; i++) {
        x[i] = tileA[kk * STRIDE + lid.y * MICRO + i];
        y[i] = tileB[kk * STRIDE + lid.x * MICRO + i];
      }
      for (var i = 0u; i < MICRO; i++) {
        for (var j = 0u; j < MICRO; j++) { acc[i * MICRO + j] = mul_add1(x[i], y[j], acc[i * MICRO + j]); }
      }
    }
    workgroupBarrier();
  }
  for (var i = 0u; i < MICRO; i++) {
    for (var j = 0u; j < MICRO; j++) {
      let row = row0 + lid.y * MICRO + i;
      let col = col0 + lid.x * MICRO + j;
      if (row < params.m && col < params.n) {
        let at = params.cOff + row * params.n + col;
        var old = 0.0;
        if (params.beta != 0u) { old = c[at]; }
        c[at] = acc[i * MICRO + j] + old;
      }
    }
  }
}
