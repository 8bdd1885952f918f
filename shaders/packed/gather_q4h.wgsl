//! with unpacking
// gather_q8h for 4-bit integers.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.dim) { return; }
  let row = i / params.dim;
  let at = index[row] - params.first; // wraps round if the row is before this part, and is then past its end
  if (at >= params.count) { return; }
  let element = at * params.dim + (i - row * params.dim);
  let block = element / params.block;
  dst[i] = half_of(scale[block / 2u], block) * nibble_of(src[element / 8u], element);
}
