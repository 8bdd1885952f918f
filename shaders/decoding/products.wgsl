// C_i [m,n_i] = A B_iᵀ + beta·C_i for three matrices in one call. Tiles of the first come first, then those of the second and the third, each in one
// of three forms (products_part.wgsl). Needs mul_add and mul_add1.
const SIDE = 8u;
const SPAN = 32u; // vectors of four along k
const STRIDE = SPAN + 1u; // padded, so that eight columns do not hit one bank
const LOADS = SPAN / SIDE;

var<workgroup> tileA: array<vec4f, SIDE * STRIDE>;
var<workgroup> tileB: array<vec4f, SIDE * STRIDE>;

struct Own {
  rowOWN: u32,
}
struct Sums {
  cROW: vec4f,
}

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

// A tile of one of the three matrices: its first column there, and where the matrix's A and C begin.
struct Tile {
  part: u32,
  n: u32,
  col: u32,
  aOff: u32,
  cOff: u32,
}

// `side`: columns of a tile.
fn tile_of(tile: u32, side: u32) -> Tile {
  let first = (params.n0 + side - 1u) / side;
  let second = (params.n1 + side - 1u) / side;
  let a = select(0u, params.m * params.k, params.apart != 0u);
  if (tile < first) { return Tile(0u, params.n0, tile * side, 0u, 0u); }
  if (tile < first + second) { return Tile(1u, params.n1, (tile - first) * side, a, params.m * params.n0); }
  return Tile(2u, params.n2, (tile - first - second) * side, 2u * a, params.m * (params.n0 + params.n1));
}

fn steps_of(tile: Tile, part: u32) -> u32 { return select(0u, params.k / 4u, tile.part == part); }

@compute @workgroup_size(4)
fn main(here: Here, @builtin(workgroup_id) wid: vec3u) {
  let row = (wid.y + params.firstY) * 8u;
  let tile = tile_of(wid.x + params.firstX, 16u);
  let col = tile.col + here.lid.x * 4u;
  // Rows past the end repeat the last one.
  var own: Own;
  own.rowOWN = (tile.aOff + min(row + own_row(here, OWNu), params.m - 1u) * params.k) / 4u;
  var sums: Sums;
  rows_0(&sums, own, col, steps_of(tile, 0u));
  rows_1(&sums, own, col, steps_of(tile, 1u));
  rows_2(&sums, own, col, steps_of(tile, 2u));
  store_four(row + ROWu, col, tile.n, tile.cOff, sums.cROW);
}

// The entry point for m = 1.
@compute @workgroup_size(16)
fn single(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u) {
  let tile = tile_of(wid.x + params.firstX, 64u);
  let col = tile.col + lid.x * 4u;
  let first = tile.aOff / 4u;
  var sums = single_0(vec4f(), first, col, steps_of(tile, 0u));
  sums = single_1(sums, first, col, steps_of(tile, 1u));
  sums = single_2(sums, first, col, steps_of(tile, 2u));
  store_four(0u, col, tile.n, tile.cOff, sums);
}

@compute @workgroup_size(64)
fn wide(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u) {
  let row0 = (wid.y + params.firstY) * SIDE;
  let tile = tile_of(wid.x + params.firstX, SIDE);
  if (tile.part == 0u) {
    tile_0(lid.x, row0, tile);
  } else if (tile.part == 1u) {
    tile_1(lid.x, row0, tile);
  } else {
    tile_2(lid.x, row0, tile);
  }
}
