//! with packing
// Stores rows as f16; one invocation per word. The written indices are distinct.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  let width = params.dim / 2u;
  if (i >= params.rows * width) { return; }
  let row = i / width;
  let column = i - row * width;
  let named = index[row];
  let source = (select(row, named, params.gathers != 0u) * width + column) * 2u;
  let to = select(named, row, params.gathers != 0u) + params.shift;
  dst[to * width + column] = half_bits(src[source]) | (half_bits(src[source + 1u]) << 16u);
}
