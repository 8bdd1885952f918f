// Rotates the 32 rows of a pair of blocks in place (src/kernels/contract/). One workgroup per (pair, 64 columns) reads all its columns before it
// writes any; an invocation computes 8 rows of 4 adjacent columns.

var<workgroup> columns: array<array<vec4f, 16>, 32>;
// The rotation is stored transposed, [k][row / 4], so that an invocation's 8 factors for one k are two vectors.
var<workgroup> factors: array<array<vec4f, 8>, 32>;

fn row_of(pair: u32, k: u32) -> u32 {
  return pairs[pair * 2u + k / 16u] * 16u + k % 16u;
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let group = nth_group(wid, groups);
  let chunks = (params.stride + 63u) / 64u;
  let i = group / chunks;
  let pair = params.pairOff + i;
  if (i >= params.count) { return; }
  if (report[pair * 3u + 2u] == 0.0) { return; }
  let first = (group % chunks) * 64u;
  for (var k = 0u; k < 8u; k++) {
    let slot = k * 64u + lane;
    let row = row_of(pair, slot / 16u);
    let column = first + (slot % 16u) * 4u;
    var value = vec4f();
    if (row < params.n) {
      for (var j = 0u; j < 4u; j++) {
        if (column + j < params.stride) { value[j] = x[row * params.stride + column + j]; }
      }
    }
    columns[slot / 16u][slot % 16u] = value;
    if (k < 4u) {
      let at = i * 1024u + (slot / 32u) * 128u + slot % 32u;
      factors[slot % 32u][slot / 32u] = vec4f(q[at], q[at + 32u], q[at + 64u], q[at + 96u]);
    }
  }
  workgroupBarrier();
  let quad = lane % 16u;
  let rows = (lane / 16u) * 2u;
  var sums = array<vec4f, 8>();
  for (var k = 0u; k < 32u; k++) {
    let value = columns[k][quad];
    let low = factors[k][rows];
    let high = factors[k][rows + 1u];
    for (var j = 0u; j < 4u; j++) {
      sums[j] += low[j] * value;
      sums[4u + j] += high[j] * value;
    }
  }
  for (var j = 0u; j < 8u; j++) {
    let row = row_of(pair, rows * 4u + j);
    if (row >= params.n) { continue; }
    for (var k = 0u; k < 4u; k++) {
      let column = first + quad * 4u + k;
      if (column < params.stride) { x[row * params.stride + column] = sums[j][k]; }
    }
  }
}
