//! with unpacking
// dst[0..n) = f16 elements [srcOff, srcOff + n) of src; one invocation per element.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.n) { return; }
  let element = params.srcOff + i;
  dst[i] = half_of(src[element / 2u], element);
}
