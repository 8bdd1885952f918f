// Computes inner products of the 32 rows of a pair of blocks over one slice of their columns (src/kernels/contract/). One workgroup per (pair,
// slice), one invocation per 4 × 4 tile of the 32 × 32 products. A slice has about 256 columns.

const WIDTH = 32u;
// The extra column puts rows in different banks.
var<workgroup> rows: array<array<f32, WIDTH + 1u>, 32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let group = nth_group(wid, groups);
  let live = group < params.count * params.slices;
  let pair = params.pairOff + select(0u, group / params.slices, live);
  let length = (params.m + params.slices - 1u) / params.slices;
  let first = (group % params.slices) * length;
  let end = min(params.m, first + length);
  let tileRow = (lane / 8u) * 4u;
  let tileCol = (lane % 8u) * 4u;
  var sums = array<vec4f, 4>();
  for (var at = 0u; at < length; at += WIDTH) {
    // Each invocation loads 16 elements; adjacent invocations read adjacent memory.
    for (var k = 0u; k < 16u; k++) {
      let row = k * 2u + lane / WIDTH;
      let column = lane % WIDTH;
      let x_row = pairs[pair * 2u + row / 16u] * 16u + row % 16u;
      let x_col = first + at + column;
      var value = 0.0;
      if (live && x_row < params.n && x_col < end) { value = x[x_row * params.stride + x_col]; }
      rows[row][column] = value;
    }
    workgroupBarrier();
    // A part is summed separately and then added, so that rounding grows only with the longer of the two chains.
    var part = array<vec4f, 4>();
    for (var j = 0u; j < WIDTH; j++) {
      let right = vec4f(rows[tileCol][j], rows[tileCol + 1u][j], rows[tileCol + 2u][j], rows[tileCol + 3u][j]);
      for (var i = 0u; i < 4u; i++) { part[i] += rows[tileRow + i][j] * right; }
    }
    for (var i = 0u; i < 4u; i++) { sums[i] += part[i]; }
    workgroupBarrier();
  }
  if (!live) { return; }
  for (var i = 0u; i < 4u; i++) {
    let to = group * 1024u + (tileRow + i) * 32u + tileCol;
    for (var j = 0u; j < 4u; j++) { gram[to + j] = sums[i][j]; }
  }
}
