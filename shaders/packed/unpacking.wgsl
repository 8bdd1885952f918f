// Unpacks one element of a word. f16 is decoded by hand, since unpack2x16float may lose subnormals, and all devices must give the same bits.
fn half_of(word: u32, i: u32) -> f32 {
  let h = (word >> (16u * (i & 1u))) & 0xffffu;
  let sign = (h & 0x8000u) << 16u;
  let magnitude = h & 0x7fffu;
  let normal = bitcast<f32>(sign | ((magnitude << 13u) + (112u << 23u)));
  let subnormal = select(1.0, -1.0, sign != 0u) * f32(magnitude) * 0x1p-24;
  return select(normal, subnormal, magnitude < 0x400u);
}

fn byte_of(word: u32, i: u32) -> f32 {
  return f32(bitcast<i32>(word << (24u - 8u * (i & 3u))) >> 24u);
}

fn nibble_of(word: u32, i: u32) -> f32 {
  return f32(bitcast<i32>(word << (28u - 4u * (i & 7u))) >> 28u);
}
