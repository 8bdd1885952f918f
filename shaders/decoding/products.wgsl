// C_i [m,n_i] = A B_iᵀ + beta·C_i for three matrices in one call. Tiles of the first come first, then those of the second and the third, each in one
// of three forms (products_part.wgsl). Needs mul_add and mul_add1.
const SIDE = 8u;
const SPAN = 32u; // vectors of four along k
const STRIDE = SPAN + 1u; // padded, so that eight columns do not hit one bank
const LOADS = SPAN / SIDE;

var<workgroup> tileA: array<vec4f, SIDE * STRIDE>;
var<workgroup> tileB: array<vec4f, SIDE * STRIDE>;

// Adds x [k .. k + 4) times a block of B to the sums of four columns.
fn four(x: vec4f, y: mat4x4f, sums: vec4f) -> vec4f {
  return mul_add(x.w, y[3], mul_add(x.z, y[2], mul_add(x.y, y[1], mul_add(x.x, y[0], sums))));
}

fn store_four(row: u32, col: u32, n: u32, cOff: u32, values: vec4f) {
  if (row >= params.m || col >= n) { return; }
  let at = cOff + row * n + col;
  for (var i = 0u; i < min(4u, n - col); i++) {
    if (params.beta == 0u) {
      c[at + i] = values[i];
    } else {
      c[at + i] += values[i];
    }
  }
}

// Returns the matrix that a tile of `side` columns belongs to, and the tile's first column there.
fn part_of(tile: u32, side: u32) -> vec2u {
  let first = (params.n0 + side - 1u) / side;
  let second = (params.n1 + side - 1u) / side;
  if (tile < first) { return vec2u(0u, tile * side); }
  if (tile < first + second) { return vec2u(1u, (tile - first) * side); }
  return vec2u(2u, (tile - first - second) * side);
}

fn a_off(part: u32) -> u32 { return select(0u, part * params.m * params.k, params.apart != 0u); }

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u) {
  let row = (wid.y + params.firstY) * 8u;
  let part = part_of(wid.x + params.firstX, 16u);
  let col = part.y + lid.x * 4u;
  let aOff = a_off(part.x);
  if (part.x == 0u) {
    if (col < params.n0) { rows_0(row, col, params.n0, aOff, 0u); }
  } else if (part.x == 1u) {
    if (col < params.n1) { rows_1(row, col, params.n1, aOff, params.m * params.n0); }
  } else if (col < params.n2) {
    rows_2(row, col, params.n2, aOff, params.m * (params.n0 + params.n1));
  }
}

// The entry point for m = 1.
@compute @workgroup_size(16)
fn single(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u) {
  let part = part_of(wid.x + params.firstX, 64u);
  let col = part.y + lid.x * 4u;
  let aOff = a_off(part.x);
  if (part.x == 0u) {
    if (col < params.n0) { single_0(col, params.n0, aOff, 0u); }
  } else if (part.x == 1u) {
    if (col < params.n1) { single_1(col, params.n1, aOff, params.n0); }
  } else if (col < params.n2) {
    single_2(col, params.n2, aOff, params.n0 + params.n1);
  }
}

@compute @workgroup_size(64)
fn wide(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u) {
  let row0 = (wid.y + params.firstY) * SIDE;
  let part = part_of(wid.x + params.firstX, SIDE);
  let aOff = a_off(part.x);
  if (part.x == 0u) {
    tile_0(lid.x, row0, part.y, params.n0, aOff, 0u);
  } else if (part.x == 1u) {
    tile_1(lid.x, row0, part.y, params.n1, aOff, params.m * params.n0);
  } else {
    tile_2(lid.x, row0, part.y, params.n2, aOff, params.m * (params.n0 + params.n1));
  }
}
