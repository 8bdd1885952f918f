// out = silu(gate) · up.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.n) { return; }
  let g = gate[i];
  // Clamped, since exp may overflow and WGSL promises nothing about infinities.
  out[i] = g / (1.0 + exp(min(-g, 88.0))) * up[i];
}
