// Multiplies by one of the matrices of products.wgsl; PART stands for its number. The sums are those of linalg/matmul_register.wgsl and
// matmul_thin.wgsl: k ascending, one accumulator per element. Needs floats.wgsl, mul_add1, b_four_PART and b_block_PART.

// Computes eight rows and four columns in registers; with fewer rows reading would cost more than the sums. `steps` is the number of fours of k,
// or 0 where the tile is another matrix's.
fn rows_PART(sums: ptr<function, Sums>, own: Own, col: u32, steps: u32) {
  let at = columns_of(col, params.nPART);
  for (var k = 0u; k < steps; k++) {
    let y = b_block_PART(at + k);
    let xOWN = a[own.rowOWN + k];
    (*sums).cROW = four(GIVEN(x), y, (*sums).cROW);
  }
}

// Computes four columns of a single row.
fn single_PART(sums: vec4f, first: u32, col: u32, steps: u32) -> vec4f {
  let at = columns_of(col, params.nPART);
  var c = sums;
  for (var k = 0u; k < steps; k++) { c = four(a[first + k], b_block_PART(at + k), c); }
  return c;
}

// Computes a tile of eight rows and eight columns through shared memory, with 64 invocations.
fn tile_PART(lane: u32, row0: u32, tile: Tile) {
  let width = params.k / 4u;
  let line = lane / SIDE;
  let column = lane % SIDE;
  let lineA = tile.aOff / 4u + (row0 + line) * width;
  let lineB = (tile.col + line) * width;
  let inA = row0 + line < params.m;
  let inB = tile.col + line < tile.n;
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
  let col = tile.col + column;
  if (row < params.m && col < tile.n) {
    let at = tile.cOff + row * tile.n + col;
    var old = 0.0;
    if (params.beta != 0u) { old = c[at]; }
    c[at] = sum + old;
  }
}
