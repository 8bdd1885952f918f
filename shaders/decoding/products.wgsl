// C_i [m,n_i] = A B_iᵀ + beta·C_i for three matrices in one call. Tiles of the first come first, then those of the second and the third, each in one
// of three forms. Needs floats.wgsl and products_part.wgsl, or integers.wgsl and integers_part.wgsl.
const SIDE = 8u;

struct Own {
  rowOWN: u32,
}
struct Sums {
  cROW: vec4f,
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
  let a = a_apart();
  if (tile < first) { return Tile(0u, params.n0, tile * side, 0u, 0u); }
  if (tile < first + second) { return Tile(1u, params.n1, (tile - first) * side, a, params.m * params.n0); }
  return Tile(2u, params.n2, (tile - first - second) * side, 2u * a, params.m * (params.n0 + params.n1));
}

fn steps_of(tile: Tile, part: u32) -> u32 { return select(0u, params.k / UNIT, tile.part == part); }

@compute @workgroup_size(4)
fn main(here: Here, @builtin(workgroup_id) wid: vec3u) {
  let row = (wid.y + params.firstY) * 8u;
  let tile = tile_of(wid.x + params.firstX, 16u);
  let col = tile.col + here.lid.x * 4u;
  // Rows past the end repeat the last one.
  var own: Own;
  own.rowOWN = (tile.aOff + min(row + own_row(here, OWNu), params.m - 1u) * params.k) / UNIT;
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
  let first = tile.aOff / UNIT;
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
