//! with unpacking
// gather_part for a table of 8-bit integers with an f32 scale for each block.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.rows * params.dim) { return; }
  let row = i / params.dim;
  let at = index[row] - params.first; // wraps round if the row is before this part, and is then past its end
  if (at >= params.count) { return; }
  let element = at * params.dim + (i - row * params.dim);
  dst[i] = scale[element / params.block] * byte_of(src[element / 4u], element);
}
