// Rounds a block of 32 numbers of a row to integers of 8 bits.
const LEAST = 0x04000000u; // the bits of 2⁻¹¹⁹: what is smaller counts as 0, so that the inverse of a scale is finite
const PER_LARGEST = 0x1.020408p-7f; // 1/127; a driver may divide in its own way, but multiplies as all do

@compute @workgroup_size(GROUP)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let block = flat(id, groups);
  let blocks = params.rows * params.dim / 32u;
  if (block >= blocks) { return; }
  // The largest magnitude by its bits, which are ordered as the numbers are and put NaN above all: a block with one has no other scale.
  var largest = 0u;
  for (var i = 0u; i < 32u; i++) { largest = max(largest, bitcast<u32>(x[32u * block + i]) & 0x7fffffffu); }
  var scale = 0.0;
  var inverse = 0.0;
  if (largest >= LEAST) {
    scale = bitcast<f32>(largest) * PER_LARGEST;
    inverse = 1.0 / scale;
  }
  dst[12u * block + 8u] = bitcast<u32>(scale);
  for (var i = 0u; i < 8u; i++) {
    let at = 32u * block + 4u * i;
    dst[12u * block + i] = pack4xI8Clamp(vec4i(round(vec4f(x[at], x[at + 1u], x[at + 2u], x[at + 3u]) * inverse)));
  }
}
