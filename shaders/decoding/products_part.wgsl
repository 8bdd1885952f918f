// One of the matrices that products multiplies by; PART stands for its number. Sums are in ascending k with one accumulator an element, as
// those of linalg/matmul_register.wgsl and matmul_thin.wgsl. Needs mul_add, mul_add1, b_four_PART and b_block_PART.

// Four rows and eight columns, in registers: with fewer, what is read costs more than the sums. Rows past the end repeat the last one.
fn rows_PART(row: u32, col: u32, n: u32, aOff: u32, cOff: u32) {
  let stride = params.k / 4u;
  let last = params.m - 1u;
  let at0 = aOff / 4u + row * stride;
  let at1 = aOff / 4u + min(row + 1u, last) * stride;
  let at2 = aOff / 4u + min(row + 2u, last) * stride;
  let at3 = aOff / 4u + min(row + 3u, last) * stride;
  var c0 = vec4f();
  var c1 = vec4f();
  var c2 = vec4f();
  var c3 = vec4f();
  var d0 = vec4f();
  var d1 = vec4f();
  var d2 = vec4f();
  var d3 = vec4f();
  for (var k = 0u; k < stride; k++) {
    let x0 = a[at0 + k];
    let x1 = a[at1 + k];
    let x2 = a[at2 + k];
    let x3 = a[at3 + k];
    let y = b_block_PART(k, col, n);
    c0 = four(x0, y, c0);
    c1 = four(x1, y, c1);
    c2 = four(x2, y, c2);
    c3 = four(x3, y, c3);
    let z = b_block_PART(k, col + 4u, n);
    d0 = four(x0, z, d0);
    d1 = four(x1, z, d1);
    d2 = four(x2, z, d2);
    d3 = four(x3, z, d3);
  }
  store_four(row, col, n, cOff, c0);
  store_four(row + 1u, col, n, cOff, c1);
  store_four(row + 2u, col, n, cOff, c2);
  store_four(row + 3u, col, n, cOff, c3);
  store_four(row, col + 4u, n, cOff, d0);
  store_four(row + 1u, col + 4u, n, cOff, d1);
  store_four(row + 2u, col + 4u, n, cOff, d2);
  store_four(row + 3u, col + 4u, n, cOff, d3);
}

// Four columns of a single row.
fn single_PART(col: u32, n: u32, aOff: u32, cOff: u32) {
  var sums = vec4f();
  for (var k = 0u; k < params.k / 4u; k++) { sums = four(a[aOff / 4u + k], b_block_PART(k, col, n), sums); }
  store_four(0u, col, n, cOff, sums);
}

// A tile of eight rows and eight columns through shared memory, by 64 invocations.
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
