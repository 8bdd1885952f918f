// Converts a number to f16: to the nearest, ties to even; to the largest f16 if it is beyond that, or NaN; to 0 below the smallest normal one, so
// that unpack2x16float, which may lose subnormals, is exact. The code does this by hand, since pack2x16float may round differently.
fn half_bits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let magnitude = bits & 0x7fffffffu;
  let normal = (magnitude + 0xfffu + ((magnitude >> 13u) & 1u) - (112u << 23u)) >> 13u;
  return ((bits >> 16u) & 0x8000u) | select(min(normal, 0x7bffu), 0u, magnitude < 0x38800000u);
}
