//! with unpacking
// unpack_q8 with f16 scales.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.n) { return; }
  let element = params.srcOff + i;
  let at = element / params.block;
  dst[i] = half_of(scale[at / 2u], at) * byte_of(src[element / 4u], element);
}
