//! with unpacking
// dst[0..n) = bytes [srcOff, srcOff + n) of src, each times its block's scale; one invocation per element.
//
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.n) { return; }
  let element = params.srcOff + i;
  dst[i] = scale[element / params.block] * byte_of(src[element / 4u], element);
}
