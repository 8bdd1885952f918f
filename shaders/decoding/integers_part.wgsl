// Multiplies integers by one of the matrices of products.wgsl; PART stands for its number. Blocks of k are summed in ascending order, with one
// accumulator per element. Needs integers.wgsl.

// The scales of four blocks.
fn b_scales_PART(at: vec4u) -> vec4f {
  let words = vec4u(scalePART[at.x / 2u], scalePART[at.y / 2u], scalePART[at.z / 2u], scalePART[at.w / 2u]);
  return half_values((words >> (16u * (at & vec4u(1u)))) & vec4u(0xffffu));
}

// Where four columns begin, in blocks. Columns past the end repeat the last one; their results are never stored.
fn b_columns_PART(col: u32) -> vec4u {
  return min(vec4u(col, col + 1u, col + 2u, col + 3u), vec4u(params.nPART - 1u)) * (params.k / UNIT);
}

// Computes eight rows and four columns. `steps` is the number of blocks of k, or 0 where the tile is another matrix's.
fn rows_PART(sums: ptr<function, Sums>, own: Own, col: u32, steps: u32) {
  let first = b_columns_PART(col);
  for (var t = 0u; t < steps; t++) {
    let at = first + t;
    let scale = b_scales_PART(at);
    let y0 = bPART[2u * at.x];
    let y1 = bPART[2u * at.y];
    let y2 = bPART[2u * at.z];
    let y3 = bPART[2u * at.w];
    let z0 = bPART[2u * at.x + 1u];
    let z1 = bPART[2u * at.y + 1u];
    let z2 = bPART[2u * at.z + 1u];
    let z3 = bPART[2u * at.w + 1u];
    let xOWN = a[3u * (own.rowOWN + t)];
    let hOWN = a[3u * (own.rowOWN + t) + 1u];
    let sOWN = bitcast<f32>(a[3u * (own.rowOWN + t) + 2u].x);
    let lowROW = GIVEN(x);
    let highROW = GIVEN(h);
    let integersROW = vec4i(dots(lowROW, y0) + dots(highROW, z0), dots(lowROW, y1) + dots(highROW, z1), dots(lowROW, y2) + dots(highROW, z2), dots(lowROW, y3) + dots(highROW, z3));
    (*sums).cROW += (GIVEN(s) * scale) * vec4f(integersROW);
  }
}

// Computes four columns of a single row.
fn single_PART(sums: vec4f, first: u32, col: u32, steps: u32) -> vec4f {
  let columns = b_columns_PART(col);
  var c = sums;
  for (var t = 0u; t < steps; t++) {
    let at = columns + t;
    let x = a[3u * (first + t)];
    let h = a[3u * (first + t) + 1u];
    let s = bitcast<f32>(a[3u * (first + t) + 2u].x);
    let integers = vec4i(
      dots(x, bPART[2u * at.x]) + dots(h, bPART[2u * at.x + 1u]),
      dots(x, bPART[2u * at.y]) + dots(h, bPART[2u * at.y + 1u]),
      dots(x, bPART[2u * at.z]) + dots(h, bPART[2u * at.z + 1u]),
      dots(x, bPART[2u * at.w]) + dots(h, bPART[2u * at.w + 1u]),
    );
    c += (s * b_scales_PART(at)) * vec4f(integers);
  }
  return c;
}

// Computes a tile of eight rows and eight columns through shared memory, with 64 invocations.
fn tile_PART(lane: u32, row0: u32, tile: Tile) {
  let blocks = params.k / UNIT;
  let line = lane / SIDE;
  let column = lane % SIDE;
  let row = min(row0 + line, params.m - 1u) * blocks;
  let col = min(tile.col + column, tile.n - 1u) * blocks;
  let lineB = min(tile.col + line, tile.n - 1u) * blocks;
  var sum = 0.0;
  for (var t0 = 0u; t0 < blocks; t0 += SPAN) {
    let at = t0 + column;
    if (at < blocks) {
      tileA[line * STRIDE + 2u * column] = a[3u * (row + at)];
      tileA[line * STRIDE + 2u * column + 1u] = a[3u * (row + at) + 1u];
      tileB[line * STRIDE + 2u * column] = bPART[2u * (lineB + at)];
      tileB[line * STRIDE + 2u * column + 1u] = bPART[2u * (lineB + at) + 1u];
    }
    workgroupBarrier();
    for (var p = 0u; p < min(SPAN, blocks - t0); p++) {
      let x = line * STRIDE + 2u * p;
      let y = column * STRIDE + 2u * p;
      let integers = dots(tileA[x], tileB[y]) + dots(tileA[x + 1u], tileB[y + 1u]);
      let scale = bitcast<f32>(a[3u * (row + t0 + p) + 2u].x) * half_of(scalePART[(col + t0 + p) / 2u], col + t0 + p);
      sum += scale * f32(integers);
    }
    workgroupBarrier();
  }
  if (row0 + line < params.m && tile.col + column < tile.n) {
    let at = tile.cOff + (row0 + line) * tile.n + tile.col + column;
    var old = 0.0;
    if (params.beta != 0u) { old = c[at]; }
    c[at] = sum + old;
  }
}
