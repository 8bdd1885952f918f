// Multiplies by one of the matrices of products.wgsl; PART stands for its number. The sums are those of linalg/matmul_register.wgsl and
// matmul_thin.wgsl: k ascending, one accumulator per element. Needs mul_add, mul_add1, b_four_PART and b_block_PART.

// Computes eight rows and four columns in registers; with fewer rows reading would cost more than the sums. Rows past the end repeat the last one.
// A line with ROW stands for eight lines, for the rows 0 to 7.
fn rows_PART(row: u32, col: u32, n: u32, aOff: u32, cOff: u32) {
  let stride = params.k / 4u;
  let last = params.m - 1u;
  let atROW = aOff / 4u + min(row + ROWu, last) * stride;
  var cROW = vec4f();
  for (var k = 0u; k < stride; k++) {
    let y = b_block_PART(k, col, n);
    cROW = four(a[atROW + k], y, cROW);
  }
  store_four(row + ROWu, col, n, cOff, cROW);
}

// Computes four columns of a single row.
fn single_PART(col: u32, n: u32, aOff: u32, cOff: u32) {
  var sums = vec4f();
  for (var k = 0u; k < params.k / 4u; k++) { sums = four(a[aOff / 4u + k], b_block_PART(k, col, n), sums); }
  store_four(0u, col, n, cOff, sums);
}

// Computes a tile of eight rows and eight columns through shared memory, with 64 invocations.
fn tile_PART(lane: u32, row0: u32, col0: u32, n: u32, aOff: u32, cOff: u32) {
  let width = params.k / 4u;
  let line = lane / SIDE;
  let column = lane % SIDE;
  let lineA = aOff / 4u + (row0 + line) * width;
  let lineB = (col0 + line) * width;
  let inA = row0 + line < params.m;
  let inB = col0 + line < n;
  var nextA: array<vec4f, LOADS>;
  var nextB: array<vec4f, LOADS>;
  for (var i = 0u; i < LOADS; i++) {
    let at = i * SIDE + column;
    if (inA && at < width) { nextA[i] = a[lineA + at]; }
    if (inB && at < width) { nextB[i] = b_four_PART(lineB + at); }
  }
  var sum = 0.0;
  for (var k0 = 0u; k0 < width; k0 += SPAN) {
    for (var i = 0u; i < LOADS; i++) {
      let at = i * SIDE + column;
      tileA[line * STRIDE + at] = nextA[i];
      tileB[line * STRIDE + at] = nextB[i];
    }
    workgroupBarrier();
    for (var i = 0u; i < LOADS; i++) {
      let at = k0 + SPAN + i * SIDE + column;
      nextA[i] = vec4f();
      nextB[i] = vec4f();
      if (inA && at < width) { nextA[i] = a[lineA + at]; }
      if (inB && at < width) { nextB[i] = b_four_PART(lineB + at); }
    }
    for (var p = 0u; p < SPAN; p++) {
      let x = tileA[line * STRIDE + p];
      let y = tileB[column * STRIDE + p];
      sum = mul_add1(x.w, y.w, mul_add1(x.z, y.z, mul_add1(x.y, y.y, mul_add1(x.x, y.x, sum))));
    }
    workgroupBarrier();
  }
  let row = row0 + line;
  let col = col0 + column;
  if (row < params.m && col < n) {
    let at = cOff + row * n + col;
    var old = 0.0;
    if (params.beta != 0u) { old = c[at]; }
    c[at] = sum + old;
  }
}
