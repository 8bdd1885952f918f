// What products.wgsl multiplies where A is in f32: numbers that a step of its loops takes, the tiles' memory, and the sums of four columns.
const UNIT = 4u;
const SPAN = 32u; // vectors of four along k
const STRIDE = SPAN + 1u; // padded, so that eight columns do not hit one bank
const LOADS = SPAN / SIDE;

var<workgroup> tileA: array<vec4f, SIDE * STRIDE>;
var<workgroup> tileB: array<vec4f, SIDE * STRIDE>;

// Numbers between the A of one matrix and that of the next.
fn a_apart() -> u32 { return select(0u, params.m * params.k, params.apart != 0u); }

// Adds x [k .. k + 4) times a block of B to the sums of four columns.
fn four(x: vec4f, y: mat4x4f, sums: vec4f) -> vec4f {
  return mul_add(x.w, y[3], mul_add(x.z, y[2], mul_add(x.y, y[1], mul_add(x.x, y[0], sums))));
}
