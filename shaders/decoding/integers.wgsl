// What products.wgsl multiplies where A is rows as quantize_rows.wgsl leaves them: a step of its loops takes a block of 32 bytes, two vectors of
// four words, whose products are summed as integers; of A a third vector follows, which begins with their scale.
const UNIT = 32u;
const SPAN = SIDE; // blocks along k
const STRIDE = 2u * SPAN + 1u; // padded, so that eight columns do not hit one bank

var<workgroup> tileA: array<vec4u, SIDE * STRIDE>;
var<workgroup> tileB: array<vec4u, SIDE * STRIDE>;

// All matrices are multiplied by the same rows.
fn a_apart() -> u32 { return 0u; }

fn dots(x: vec4u, y: vec4u) -> i32 {
  return dot4I8Packed(x.x, y.x) + dot4I8Packed(x.y, y.y) + dot4I8Packed(x.z, y.z) + dot4I8Packed(x.w, y.w);
}

// The values of four halves, as half_of's.
fn half_values(h: vec4u) -> vec4f {
  let sign = (h & vec4u(0x8000u)) << vec4u(16u);
  let magnitude = h & vec4u(0x7fffu);
  let normal = bitcast<vec4f>(sign | ((magnitude << vec4u(13u)) + vec4u(112u << 23u)));
  let subnormal = select(vec4f(1.0), vec4f(-1.0), sign != vec4u()) * vec4f(magnitude) * 0x1p-24;
  return select(normal, subnormal, magnitude < vec4u(0x400u));
}
