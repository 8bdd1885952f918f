// Threefry-2x32, 20 rounds (Salmon et al. 2011, Random123; the reference kernel of src/rng/threefry.ts): a counter-based generator,
// so that a number depends on its key and counter alone, never on what was drawn before it or beside it.
fn rotl(x: u32, n: u32) -> u32 {
  return (x << n) | (x >> (32u - n));
}

fn threefry2x32(key: vec2u, counter: vec2u) -> vec2u {
  let ks = array<u32, 3>(key.x, key.y, key.x ^ key.y ^ 0x1BD11BDAu);
  let rotations = array<u32, 8>(13u, 15u, 26u, 6u, 17u, 29u, 16u, 24u);
  var x = counter + key;
  for (var group = 0u; group < 5u; group++) {
    for (var round = 0u; round < 4u; round++) {
      x.x += x.y;
      x.y = rotl(x.y, rotations[(group & 1u) * 4u + round]) ^ x.x;
    }
    x += vec2u(ks[(group + 1u) % 3u], ks[(group + 2u) % 3u] + group + 1u);
  }
  return x;
}
