// Unpacks four elements as half_of, byte_of and nibble_of (packed/unpacking.wgsl) do; the first is in the low bits of the first word.
fn halves_of(words: vec2u) -> vec4f {
  let h = vec4u(words.x & 0xffffu, words.x >> 16u, words.y & 0xffffu, words.y >> 16u);
  let sign = (h & vec4u(0x8000u)) << vec4u(16u);
  let magnitude = h & vec4u(0x7fffu);
  let normal = bitcast<vec4f>(sign | ((magnitude << vec4u(13u)) + vec4u(112u << 23u)));
  let subnormal = select(vec4f(1.0), vec4f(-1.0), sign != vec4u()) * vec4f(magnitude) * 0x1p-24;
  return select(normal, subnormal, magnitude < vec4u(0x400u));
}

fn bytes_of(word: u32) -> vec4f {
  return vec4f(bitcast<vec4i>(vec4u(word) << vec4u(24u, 16u, 8u, 0u)) >> vec4u(24u));
}

fn nibbles_of(word: u32) -> vec4f {
  return vec4f(bitcast<vec4i>(vec4u(word) << vec4u(28u, 24u, 20u, 16u)) >> vec4u(28u));
}
