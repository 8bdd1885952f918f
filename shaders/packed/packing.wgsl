// A number as a half: to the nearest, ties to even; the largest half where it is beyond that, or no number; 0 below the smallest normal one, so
// that unpack2x16float, which may lose subnormals, gives what is there. By hand, as pack2x16float may round its own way.
fn half_bits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let magnitude = bits & 0x7fffffffu;
  let normal = (magnitude + 0xfffu + ((magnitude >> 13u) & 1u) - (112u << 23u)) >> 13u;
  return ((bits >> 16u) & 0x8000u) | select(min(normal, 0x7bffu), 0u, magnitude < 0x38800000u);
}
